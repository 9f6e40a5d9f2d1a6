import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { InboxDocument } from '../../../projections/inbox.ts'
import type { MessageDocument } from '../../../projections/messages.ts'
import { refuse } from '../../domain/decision.ts'
import { type AccountId, kindOf, type MessageId, numberOf } from '../../domain/ids.ts'
import { Message, mayRead } from '../../domain/message.ts'
import { Moderators } from '../../domain/moderators.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { Anchor } from '../../ports/documents.ts'
import { type Compartment, entriesOf, inboxOf } from '../../queries/inbox.ts'
import { conversation, modmailOf, sentBy } from '../../queries/messages.ts'
import { relationsOf } from '../../queries/relations.ts'
import { capacityIn, mayView, type Place, placeOf, subsiteOf } from '../access.ts'
import { type AnyEndpoint, type Context, endpoint, type Reply, type Request, type SignedIn, type Viewer } from '../endpoint.ts'
import { inboxThings, messageThings, readable, threadThing } from '../mail.ts'
import { turnPage } from '../paging.ts'
import { described, id36, lenient, oneOf, optional, raw, refusing, withDefault } from '../params.ts'

const section = 'Private messages'

type Own = Context<unknown, SignedIn>
type Asked = Pick<Request<unknown>, 'viewer' | 'page'>

/** The first message of the conversation that a message is in; undefined when there is none, refused to whom it is none of. */
const rootFor = async (app: Context, { account, admin }: Viewer, id: MessageId): Promise<Either<Refusal, Message | undefined>> => {
  const message = await app.load(Message, id)
  const root = message && (await app.load(Message, message.root))
  if (!message || !root || account === undefined) return E.right(undefined)
  const moderators = message.subsite === null ? undefined : await app.load(Moderators, message.subsite)
  return mayRead(message, root, { account, admin, moderators }) ? E.right(root) : refuse('FORBIDDEN')
}

/** The place of a comment that exists, in whichever subsite. */
const placeOfComment = async (app: Context, id: string): Promise<Place | undefined> => {
  const subsite = await subsiteOf(app, id)
  return subsite === undefined ? undefined : placeOf(app, subsite)
}

/** Entries stand in the order of their ids. What is in the own inbox is a place there for ever; anything else only for who may see it. */
const anchorFor =
  (app: Context, viewer: Viewer) =>
  async (name: string): Promise<Either<Refusal, Anchor | undefined>> => {
    const kind = kindOf(name)
    if (viewer.account === undefined || (kind !== 'message' && kind !== 'comment')) return E.right(undefined)
    const key = [numberOf(name)]
    if ((await entriesOf(app.documents, viewer.account, [name])).has(name)) return E.right(key)
    if (kind === 'message') return E.map((root: Message | undefined) => root && key)(await rootFor(app, viewer, name))
    const place = await placeOfComment(app, name)
    if (!place) return E.right(undefined)
    return (await mayView(app, place)) ? E.right(key) : refuse('FORBIDDEN')
  }

const order = ['-seq']

const entries = async (app: Own, asked: Asked, account: AccountId, compartment: Compartment): Promise<Either<Refusal, Reply>> => {
  const turned = await turnPage<InboxDocument>(app, asked, {
    source: inboxOf(app.documents, account, compartment),
    order,
    nameOf: ({ thing }) => thing,
    anchor: anchorFor(app, asked.viewer),
    keep: (some) => readable(app, some),
  })
  if (E.isLeft(turned)) return turned
  const { items, after, before } = turned.right
  return E.right({ kind: 'listing', children: await inboxThings(app, items), after, before })
}

/** What a moderator removed, its author and the admins still see. */
const isShownTo =
  ({ account, admin }: Viewer) =>
  ({ removed, author }: MessageDocument) =>
    !removed || admin || author === account

const messagesOf = async (
  app: Own,
  asked: Asked,
  source: ReturnType<typeof sentBy>,
  isShown = isShownTo(asked.viewer),
): Promise<Either<Refusal, Reply>> => {
  const keep = (some: readonly MessageDocument[]) => some.filter(isShown)
  const turned = await turnPage<MessageDocument>(app, asked, {
    source,
    order,
    nameOf: ({ id }) => id,
    anchor: anchorFor(app, asked.viewer),
    keep,
  })
  if (E.isLeft(turned)) return turned
  const { items, after, before } = turned.right
  return E.right({ kind: 'listing', children: await messageThings(app, items), after, before })
}

/** The conversation that a message belongs to. */
const thread = async (app: Context, viewer: Viewer, id: MessageId): Promise<Either<Refusal, Reply | undefined>> => {
  const { account } = viewer
  const root = await rootFor(app, viewer, id)
  if (E.isLeft(root)) return root
  if (!root.right || account === undefined) return E.right(undefined)
  const shown = (await conversation(app.documents, root.right.message)).filter(isShownTo(viewer))
  const child = await threadThing({ ...app, viewer: { ...viewer, account } }, shown)
  return E.right({ kind: 'listing', children: child ? [child] : [], after: null, before: null })
}

const common = {
  mark: described(raw(), 'accepted; reading here never marks anything as read'),
  mid: described(lenient(optional(id36('message')), undefined), 'only the conversation of this message'),
}

const compartments = ['messages', 'comments', 'selfreply', 'mentions'] as const

/** Both endpoints of the inbox do the same; the one beyond the table has the compartments that clients ask for. */
const read = async (
  {
    params: { where, mid },
    viewer,
    page,
  }: Asked & { readonly params: { readonly where: Compartment | 'sent'; readonly mid: string | undefined } },
  app: Own,
): Promise<Either<Refusal, Reply>> => {
  const { account } = viewer
  if (account === undefined) return refuse('USER_REQUIRED')
  const found = mid === undefined ? E.right(undefined) : await thread(app, viewer, mid)
  if (E.isLeft(found)) return found
  if (found.right) return E.right(found.right)
  return where === 'sent'
    ? messagesOf(app, { viewer, page }, sentBy(app.documents, account))
    : entries(app, { viewer, page }, account, where)
}

export const inbox = endpoint({
  method: 'GET',
  path: '/message/{where}',
  values: { where: ['inbox', 'unread', 'sent'] },
  scope: 'privatemessages',
  login: 'user',
  errors: 'coded',
  listing: { max: 100 },
  section,
  summary: 'Your messages, newest first: all that came, what is unread of it, what you sent.',
  notes:
    'Comments that concern you stand among the messages, as kind t1 with `was_comment`. What a moderator removed is not shown until it is approved again, nor what stands where you may not read.',
  params: { where: oneOf('inbox', 'unread', 'sent'), ...common },
  handle: read,
})

export const compartment = endpoint({
  method: 'GET',
  path: '/message/{compartment}',
  values: { compartment: compartments },
  scope: 'privatemessages',
  login: 'user',
  errors: 'coded',
  listing: { max: 100 },
  section: 'Additions',
  summary: 'One kind of what came to your inbox: private messages, replies to comments, replies to posts, mentions.',
  params: { compartment: oneOf(...compartments), ...common },
  handle: ({ params: { compartment: where, mid }, viewer, page }, app) => read({ params: { where, mid }, viewer, page }, app),
})

export const conversationOf = endpoint({
  method: 'GET',
  path: '/message/messages/{mid}',
  scope: 'privatemessages',
  login: 'user',
  errors: 'coded',
  section: 'Additions',
  summary: 'A conversation: its first message, the others as the replies to it.',
  notes: 'For those who take part in it, moderators with `mail` where it is moderator mail, and admins; 403 for others.',
  params: { mid: refusing(id36('message'), 'NOT_FOUND') },
  handle: async ({ params: { mid }, viewer }, app) => {
    const found = await thread(app, viewer, mid)
    if (E.isLeft(found)) return found
    return found.right ? E.right(found.right) : refuse('NOT_FOUND')
  },
})

/** The subsites whose mail the caller may read: that of the path, or all moderated with `mail`. */
const mailboxes = async (app: Context, { site, viewer }: Pick<Request<unknown>, 'site' | 'viewer'>) => {
  const held = viewer.account === undefined ? [] : await relationsOf(app.documents, viewer.account, 'moderator')
  const asked = site.kind === 'subsite' ? [site.subsite.id] : held.map(({ subsite }) => subsite)
  const may = await Promise.all(asked.map((subsite) => capacityIn(app, subsite, 'mail')))
  return asked.filter((_, index) => may[index] !== undefined)
}

export const modmail = endpoint({
  method: 'GET',
  path: '[/s/{sub}]/about/message/{box}',
  aliases: ['/message/moderator', '/message/moderator/{box}'],
  values: { box: ['inbox', 'unread'] },
  scope: 'privatemessages',
  login: 'user',
  errors: 'plain',
  listing: { max: 100 },
  section: 'Additions',
  summary: 'The mail of the moderators, newest first: all of it, or what is unread.',
  notes:
    'For moderators with `mail`; without a subsite in the path, of all that the caller moderates with it. Whether it was read is one mark that all moderators share: `/api/read_message` and `/api/unread_message` set it. One’s own is never unread.',
  params: { box: withDefault(oneOf('inbox', 'unread'), 'inbox' as const) },
  handle: async ({ params: { box }, viewer, page, site }, app) => {
    const { account } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    const subsites = await mailboxes(app, { site, viewer })
    if (subsites.length === 0) return refuse('FORBIDDEN')
    const isShown = isShownTo(viewer)
    const isUnread = (message: MessageDocument) => isShown(message) && message.author !== account
    return messagesOf(app, { viewer, page }, modmailOf(app.documents, subsites, box), box === 'unread' ? isUnread : isShown)
  },
})

export const inboxEndpoints: readonly AnyEndpoint[] = [inbox, compartment, conversationOf, modmail]
