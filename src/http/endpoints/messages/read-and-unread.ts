import * as array from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import type { MessageDocument } from '../../../../projections/messages.ts'
import { moderates } from '../../../commands/standings.ts'
import type { MessageId, SubsiteId } from '../../../domain/ids.ts'
import { clearInbox, InboxClearing } from '../../../domain/inbox-clearing.ts'
import { InboxEntry, markRead, markUnread } from '../../../domain/inbox-entry.ts'
import { Message, markModmail } from '../../../domain/message.ts'
import type { Document } from '../../../ports/documents.ts'
import { entriesOf, unreadEntries } from '../../../queries/inbox.ts'
import { actAs } from '../../../runtime/command.ts'
import { type AnyEndpoint, type Need, type Param, section } from '../../contract/endpoint.ts'
import { fullnames } from '../../contract/name-params.ts'
import { describeParam } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import { isViewerSuspended } from '../../things/access.ts'
import { inboxHere } from '../../things/inbox.ts'
import { documentsNamed, kindsWith } from '../../things/kinds/all.ts'

const { post } = section('Private messages', { scope: 'privatemessages', login: 'user', errors: 'silent' })

const MAX_MARKED_MESSAGES = 25
const marked = fullnames({ kinds: kindsWith('inbox'), max: MAX_MARKED_MESSAGES })
/** At least one and not too many fullnames: too many are 413, none that is well formed is 400. */
const namedThings: Param<readonly string[]> = {
  ...marked,
  decode: (value, name) =>
    E.mapLeft(({ code }: Refusal): Refusal => ({ code: code === 'TOO_MANY_THING_IDS' ? 'TOO_LARGE' : 'BAD_REQUEST', field: name }))(
      marked.decode(value, name),
    ),
}

type MarkTargets = { readonly entries: readonly string[]; readonly mail: readonly MessageId[] }

const isModmail = (document: Document): document is MessageDocument => 'modmail' in document && document.modmail === true

/**
 * Returns the viewer's inbox entries among some things, and mail of subsites that the viewer moderates. Others are ignored, and so are the
 * viewer's own messages, and for suspended moderators all mail of subsites.
 */
const findMarkable: Need<MarkTargets, { readonly id: readonly string[] }> = async (context) => {
  const { params, documents, viewer } = context
  const found = await documentsNamed(context, params.id)
  if (found.length !== params.id.length) return refuseRule('BAD_REQUEST', 'id')
  const entries = await entriesOf(documents, viewer.account, params.id)
  const others = [...entries.values()].filter(({ from }) => from !== viewer.account)
  const shared = (await isViewerSuspended(context)) ? [] : found.filter(isModmail)
  const moderated = new Set<SubsiteId>()
  // each subsite once, so that all its mail is decided on the same moderators
  for (const subsite of new Set(shared.map((message) => message.subsite)))
    if (subsite !== null && (await moderates(context, { subsite, account: viewer.account }))) moderated.add(subsite)
  const mail = shared.flatMap(({ id, subsite }) => (subsite !== null && moderated.has(subsite) ? [id] : []))
  return E.right({ entries: others.map(({ thing }) => thing), mail })
}

const markEndpoint = (path: string, summary: string, unread: boolean) =>
  post(path, {
    whileSuspended: true,
    summary,
    notes:
      'An unknown id is 400, more than 25 ids are 413; things that are not in your inbox are ignored. Mail to moderators has one read mark, shared by all moderators of the subsite.',
    params: { id: describeParam(namedThings, 'fullnames of messages and comments, at most 25') },
    needs: { marked: findMarkable },
    handle: async ({ marked: { entries, mail }, viewer: { account }, run, command }) => {
      const decide = unread ? markUnread : markRead
      const forSubsite = actAs(command, 'moderator')
      const outcomes: readonly E.Either<Refusal, unknown>[] = await Promise.all([
        ...entries.map((thing) => run(InboxEntry, `${account}.${thing}`, decide(account, thing))),
        ...mail.map((id) => run(Message, id, markModmail(unread), forSubsite)),
      ])
      return array.sequence(E.Applicative)([...outcomes])
    },
  })

const readMessage = markEndpoint('/api/read_message', 'Mark entries of your inbox as read.', false)
const unreadMessage = markEndpoint('/api/unread_message', 'Mark entries of your inbox as unread.', true)

const readAll = post('/api/read_all_messages', {
  whileSuspended: true,
  answers: { 202: noBody },
  summary: 'Mark everything in your inbox as read.',
  notes:
    'Returns 202: accepted, completed asynchronously. A second call within ten minutes is 429. Messages that arrive in the meantime stay unread.',
  handle: async (context) => {
    const { viewer, documents, clock, run } = context
    const { account } = viewer
    const things = (await unreadEntries(documents, await inboxHere(context))).map(({ thing }) => thing)
    return run(InboxClearing, account, clearInbox(account, clock(), things))
  },
})

export const readMarkEndpoints: readonly AnyEndpoint[] = [readMessage, unreadMessage, readAll]
