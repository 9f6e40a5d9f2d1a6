import { array, either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { comments } from '../../../projections/comments.ts'
import { refuse } from '../../domain/decision.ts'
import { type AccountId, fullname, kindOf, type MessageId, type SubsiteId } from '../../domain/ids.ts'
import { clearInbox, InboxEntry, Mailbox, markRead, markUnread } from '../../domain/inbox-entry.ts'
import { type Address, Message, markModmail, replyToMessage, type Sender, sendMessage } from '../../domain/message.ts'
import { Moderators } from '../../domain/moderators.ts'
import { bareSubsite } from '../../domain/names.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { limits } from '../../domain/text.ts'
import { entriesOf, unreadEntries } from '../../queries/inbox.ts'
import { asWritten } from '../../queries/log-fallback.ts'
import { messagesById } from '../../queries/messages.ts'
import { capacityIn } from '../access.ts'
import { type AnyEndpoint, type Context, endpoint, type Need, type Outcome, type Param, type SignedIn } from '../endpoint.ts'
import { messageThings } from '../mail.ts'
import { accountCalled, subsiteCalled } from '../needs.ts'
import { aliased, described, fullnames, markdown, raw } from '../params.ts'
import { noBody } from '../schemas/answers.ts'
import { inboxEndpoints } from './inbox.ts'

const section = 'Private messages'

type Recipient = { readonly to: AccountId } | { readonly toSubsite: SubsiteId }

/** `name`, or the moderators of a subsite as `/s/name` or `#name`. */
const recipientMeant: Need<Recipient, { readonly to: string }> = async (context) => {
  const to = context.params.to.trim()
  const subsite = /^(?:#|\/?[sr]\/)(.*?)\/?$/s.exec(to)?.[1]
  if (subsite !== undefined) return E.map((toSubsite: SubsiteId) => ({ toSubsite }))(await subsiteCalled(context, subsite, 'to'))
  if (!/^[A-Za-z0-9_-]+$/.test(to)) return refuse('NO_USER', 'to')
  return E.map((account: AccountId) => ({ to: account }))(await accountCalled(context, to, 'to'))
}

type Writing = Context<unknown, SignedIn>

const senderOf = async ({ load, viewer, command }: Writing, subsite: SubsiteId | null): Promise<Sender> => ({
  message: fullname('message', command.mint),
  author: viewer.account,
  admin: viewer.admin,
  moderators: subsite === null ? undefined : await load(Moderators, subsite),
})

const limited = (max: number): Param<string> => ({ ...raw({ max }), schema: { type: 'string', maxLength: max } })

const compose = endpoint({
  method: 'POST',
  path: '/api/compose',
  scope: 'privatemessages',
  login: 'user',
  errors: 'form',
  json: true,
  section,
  summary: 'Send a private message, to an account or to the moderators of a subsite.',
  notes: 'With `from_sr` it is sent in the name of a subsite, which needs the permission `mail` there.',
  params: {
    to: described(raw(), 'a username, or `/s/name` or `#name` for the moderators of a subsite'),
    subject: described(limited(limits.subject), 'at most 100 characters'),
    text: markdown(limits.message, described(aliased(limited(limits.message), 'message'), 'markdown, at most 10,000 characters')),
    from_sr: described(raw(), 'the subsite in whose name it is sent'),
  },
  needs: { recipient: recipientMeant },
  handle: async (context) => {
    const { params, recipient, run } = context
    const name = bareSubsite(params.from_sr)
    const from = name === '' ? E.right(null) : await subsiteCalled(context, name, 'from_sr')
    const written = { subject: params.subject, body: params.text }
    const concerned = 'toSubsite' in recipient ? recipient.toSubsite : E.isRight(from) ? from.right : null
    const sender = await senderOf(context, concerned)
    if (E.isLeft(from)) {
      // what is written is looked at before in whose name
      const unsent = sendMessage(sender, { ...recipient, from: null }, written)(undefined)
      return E.isLeft(unsent) ? unsent : from
    }
    const address: Address = { ...recipient, from: from.right }
    return run(Message, sender.message, sendMessage(sender, address, written))
  },
})

/** Answer a message: `/api/comment` with a message as its parent. The new message is the form's one thing. */
export const replyTo = async (context: Writing, parentId: MessageId, body: string): Promise<Outcome> => {
  const { load, run } = context
  const parent = await load(Message, parentId)
  const root = parent && (await load(Message, parent.root))
  if (!parent || !root) return refuse('FORBIDDEN')
  const sender = await senderOf(context, parent.subsite)
  const recorded = await run(Message, sender.message, replyToMessage(sender, { parent, root }, body))
  if (E.isLeft(recorded)) return recorded
  const written = asWritten(context)
  const message = (await messagesById(written.documents, [sender.message])).get(sender.message)
  return { kind: 'form', data: { things: message ? await messageThings(written, [message]) : [] } }
}

const MOST_MARKED = 25
const marked = fullnames({ kinds: ['message', 'comment'], max: MOST_MARKED })
/** Too many are 413, none that is well formed 400. */
const some: Param<readonly string[]> = {
  ...marked,
  decode: (value, name) =>
    E.mapLeft(({ code }: Refusal): Refusal => ({ code: code === 'TOO_MANY_THING_IDS' ? 'TOO_LARGE' : 'BAD_REQUEST', field: null }))(
      marked.decode(value, name),
    ),
}

type Marked = { readonly entries: readonly string[]; readonly mail: readonly MessageId[] }

/**
 * The viewer's entries of some things, and the mail of the moderators that the viewer is one of; what is neither is passed over, and so
 * is what one wrote oneself to one's own inbox.
 */
const markable: Need<Marked, { readonly id: readonly string[] }> = async (context) => {
  const { params, documents, viewer } = context
  const of = (kind: 'message' | 'comment') => params.id.filter((thing) => kindOf(thing) === kind)
  const [sent, posted] = await Promise.all([messagesById(documents, of('message')), documents.getMany(comments, of('comment'))])
  if (sent.size + posted.size !== params.id.length) return refuse('BAD_REQUEST')
  const entries = await entriesOf(documents, viewer.account, params.id)
  const others = [...entries.values()].filter(({ from }) => from !== viewer.account)
  const mail: MessageId[] = []
  for (const { id, subsite, modmail } of sent.values())
    if (modmail && subsite !== null && (await capacityIn(context, subsite, 'any')) === 'moderator') mail.push(id)
  return E.right({ entries: others.map(({ thing }) => thing), mail })
}

const marking = (path: string, summary: string, unread: boolean) =>
  endpoint({
    method: 'POST',
    path,
    scope: 'privatemessages',
    login: 'user',
    errors: 'silent',
    section,
    summary,
    notes:
      'An id that does not exist is 400, more than 25 are 413; what is not in your inbox is passed over. Mail to moderators has one mark, which any moderator of the subsite sets for all.',
    params: { id: described(some, 'fullnames of messages and comments, at most 25') },
    needs: { marked: markable },
    handle: async ({ marked: { entries, mail }, viewer: { account }, run }) => {
      const decide = unread ? markUnread : markRead
      const outcomes: readonly Either<Refusal, unknown>[] = await Promise.all([
        ...entries.map((thing) => run(InboxEntry, `${account}.${thing}`, decide(account, thing))),
        ...mail.map((id) => run(Message, id, markModmail(unread))),
      ])
      return array.sequence(E.Applicative)([...outcomes])
    },
  })

const readMessage = marking('/api/read_message', 'Mark entries of your inbox as read.', false)
const unreadMessage = marking('/api/unread_message', 'Mark entries of your inbox as unread.', true)

const readAll = endpoint({
  method: 'POST',
  path: '/api/read_all_messages',
  scope: 'privatemessages',
  login: 'user',
  errors: 'silent',
  section,
  answers: { 202: noBody },
  summary: 'Mark everything in your inbox as read.',
  notes: 'Answers 202: accepted; completed asynchronously. Again within ten minutes: 429. What arrives in the meantime stays unread.',
  params: {},
  handle: async ({ viewer: { account }, documents, clock, run }) => {
    const things = (await unreadEntries(documents, account)).map(({ thing }) => thing)
    return run(Mailbox, account, clearInbox(account, clock(), things))
  },
})

export const messageEndpoints: readonly AnyEndpoint[] = [compose, readMessage, unreadMessage, readAll, ...inboxEndpoints]
