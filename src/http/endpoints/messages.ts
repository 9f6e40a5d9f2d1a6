import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { comments } from '../../../projections/comments.ts'
import type { MessageDocument } from '../../../projections/messages.ts'
import type { App } from '../../app.ts'
import type { Command } from '../../commands/command.ts'
import { refuse } from '../../domain/decision.ts'
import { type AccountId, fullname, kindOf, type MessageId, type SubsiteId } from '../../domain/ids.ts'
import { clearInbox, InboxEntry, Mailbox, markRead, markUnread } from '../../domain/inbox-entry.ts'
import { type Address, Message, markModmail, replyToMessage, type Sender, sendMessage } from '../../domain/message.ts'
import { Moderators } from '../../domain/moderators.ts'
import { bareSubsite, claimOf, mayBeSubsiteName } from '../../domain/names.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { SubsiteName } from '../../domain/subsite.ts'
import { limits } from '../../domain/text.ts'
import { entriesOf, unreadEntries } from '../../queries/inbox.ts'
import { messagesById } from '../../queries/messages.ts'
import { asWritten } from '../../queries/told.ts'
import { capacityIn } from '../access.ts'
import { type AnyEndpoint, type Context, endpoint, type Param, type Reply, type Viewer } from '../endpoint.ts'
import { messageThings } from '../mail.ts'
import { accountCalled } from '../needs.ts'
import { aliased, described, fullnames, raw } from '../params.ts'
import { inboxEndpoints } from './inbox.ts'

const section = 'Private messages'

type Recipient = { readonly to: AccountId } | { readonly toSubsite: SubsiteId }

const subsiteCalled = async ({ load }: Pick<Context, 'load'>, name: string, field: string): Promise<Either<Refusal, SubsiteId>> => {
  const claim = mayBeSubsiteName(name) ? await load(SubsiteName, claimOf(name)) : undefined
  return claim ? E.right(claim.subsite) : refuse('SUBSITE_NOEXIST', field)
}

/** `name`, or the moderators of a subsite as `/s/name` or `#name`. */
const recipientOf = async (app: Context, to: string): Promise<Either<Refusal, Recipient>> => {
  const subsite = /^(?:#|\/?[sr]\/)(.*?)\/?$/s.exec(to.trim())?.[1]
  if (subsite !== undefined) return E.map((toSubsite: SubsiteId) => ({ toSubsite }))(await subsiteCalled(app, subsite, 'to'))
  if (!/^[A-Za-z0-9_-]+$/.test(to.trim())) return refuse('NO_USER', 'to')
  return E.map((account: AccountId) => ({ to: account }))(await accountCalled(app, to.trim(), 'to'))
}

type Writer = { readonly viewer: Viewer; readonly account: AccountId; readonly command: Command }

const senderOf = async (app: App, { viewer, account, command }: Writer, subsite: SubsiteId | null): Promise<Sender> => ({
  message: fullname('message', command.mint),
  author: account,
  admin: viewer.admin,
  moderators: subsite === null ? undefined : await app.load(Moderators, subsite, command),
})

const limited = (max: number): Param<string> => ({ ...raw(), schema: { type: 'string', maxLength: max } })

export const compose = endpoint({
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
    text: described(aliased(limited(limits.message), 'message'), 'markdown, at most 10,000 characters'),
    from_sr: described(raw(), 'the subsite in whose name it is sent'),
  },
  handle: async ({ params, viewer, command }, app) => {
    const { account } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    const recipient = await recipientOf(app, params.to)
    if (E.isLeft(recipient)) return recipient
    const name = bareSubsite(params.from_sr)
    const from = name === '' ? E.right(null) : await subsiteCalled(app, name, 'from_sr')
    const written = { subject: params.subject, body: params.text }
    const concerned = 'toSubsite' in recipient.right ? recipient.right.toSubsite : E.isRight(from) ? from.right : null
    const sender = await senderOf(app, { viewer, account, command }, concerned)
    if (E.isLeft(from)) {
      // what is written is looked at before in whose name
      const unsent = sendMessage(sender, { ...recipient.right, from: null }, written)(undefined)
      return E.isLeft(unsent) ? unsent : from
    }
    const address: Address = { ...recipient.right, from: from.right }
    return E.map((): Reply => ({ kind: 'form' }))(await app.run(Message, sender.message, sendMessage(sender, address, written), command))
  },
})

/** Answer a message: `/api/comment` with a message as its parent. The new message is the form's one thing. */
export const replyTo = async (app: App, writer: Writer, parentId: MessageId, body: string): Promise<Either<Refusal, Reply>> => {
  const { account, command } = writer
  const parent = await app.load(Message, parentId, command)
  const root = parent && (await app.load(Message, parent.root, command))
  if (!parent || !root) return refuse('FORBIDDEN')
  const sender = await senderOf(app, writer, parent.subsite)
  const recorded = await app.run(Message, sender.message, replyToMessage(sender, { parent, root }, body), command)
  if (E.isLeft(recorded)) return recorded
  const written = asWritten(app)
  const message = (await messagesById(written.documents, [sender.message])).get(sender.message)
  return E.right({ kind: 'form', data: { things: message ? await messageThings(written, account, [message]) : [] } })
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

/** The mail among some messages whose mark the caller shares, as one of the moderators. */
const mailOf = async (
  app: App,
  { viewer, command }: Writer,
  sent: ReadonlyMap<MessageId, MessageDocument>,
): Promise<readonly MessageId[]> => {
  const mail = [...sent.values()].flatMap(({ id, subsite, modmail }) => (modmail && subsite !== null ? [{ id, subsite }] : []))
  const moderated = await Promise.all(
    mail.map(async ({ subsite }) => (await capacityIn(app, viewer, subsite, 'any', command)) === 'moderator'),
  )
  return mail.flatMap(({ id }, index) => (moderated[index] ? [id] : []))
}

/**
 * Marks the caller's entries of some things, and the mail of the moderators that the caller is one of; what is neither is passed over,
 * and so is what one wrote oneself to one's own inbox.
 */
const mark = async (app: App, writer: Writer, things: readonly string[], unread: boolean): Promise<Either<Refusal, Reply>> => {
  const { account, command } = writer
  const of = (kind: 'message' | 'comment') => things.filter((thing) => kindOf(thing) === kind)
  const posted = of('comment')
  const [sent, comment] = await Promise.all([
    messagesById(app.documents, of('message')),
    posted.length === 0 ? undefined : app.documents.getMany(comments, posted),
  ])
  if (sent.size + (comment?.size ?? 0) !== things.length) return refuse('BAD_REQUEST')
  const [entries, mail] = await Promise.all([entriesOf(app.documents, account, things), mailOf(app, writer, sent)])
  const decide = unread ? markUnread : markRead
  const others = [...entries.values()].filter(({ from }) => from !== account)
  const outcomes = await Promise.all([
    ...others.map(({ thing }) => app.run(InboxEntry, `${account}.${thing}`, decide(account, thing), command)),
    ...mail.map((id) => app.run(Message, id, markModmail(unread), command)),
  ])
  return outcomes.find(E.isLeft) ?? E.right({ kind: 'json', body: {} })
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
    handle: async ({ params, viewer, command }, app) => {
      const { account } = viewer
      return account === undefined ? refuse('USER_REQUIRED') : mark(app, { viewer, account, command }, params.id, unread)
    },
  })

export const readMessage = marking('/api/read_message', 'Mark entries of your inbox as read.', false)
export const unreadMessage = marking('/api/unread_message', 'Mark entries of your inbox as unread.', true)

export const readAll = endpoint({
  method: 'POST',
  path: '/api/read_all_messages',
  scope: 'privatemessages',
  login: 'user',
  errors: 'silent',
  section,
  answers: [202],
  summary: 'Mark everything in your inbox as read.',
  notes:
    'Answers 202: it follows, whatever happens to the service. Again within ten minutes: 429. What comes in the meantime stays unread.',
  params: {},
  handle: async ({ viewer: { account }, command }, app) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const things = (await unreadEntries(app.documents, account)).map(({ thing }) => thing)
    const cleared = await app.run(Mailbox, account, clearInbox(account, app.clock(), things), command)
    return E.map((): Reply => ({ kind: 'empty', status: 202 }))(cleared)
  },
})

export const messageEndpoints: readonly AnyEndpoint[] = [compose, readMessage, unreadMessage, readAll, ...inboxEndpoints]
