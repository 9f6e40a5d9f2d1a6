import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { InboxDocument } from '../../../projections/inbox.ts'
import type { MessageDocument } from '../../../projections/messages.ts'
import { refuse } from '../../domain/decision.ts'
import { kindOf, type MessageId, numberOf, type SubsiteId } from '../../domain/ids.ts'
import { Message, mayRead } from '../../domain/message.ts'
import { Moderators } from '../../domain/moderators.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { Anchor } from '../../ports/documents.ts'
import { type Compartment, entriesOf, inboxOf } from '../../queries/inbox.ts'
import { conversation, modmailOf, reportedOf, sentBy } from '../../queries/messages.ts'
import { relationsOf } from '../../queries/relations.ts'
import type { Source } from '../../queries/walk.ts'
import { capacityIn, mayView, type Place, placeOf, subsiteOf } from '../access.ts'
import { type AnyEndpoint, type Context, endpoint, type Need, type SignedIn, type Viewer } from '../endpoint.ts'
import { list, whole } from '../listing.ts'
import { inboxThings, messageThings, readable, threadThing } from '../mail.ts'
import { described, id36, lenient, oneOf, optional, raw, refusing, withDefault } from '../params.ts'
import { withReports } from '../present/message.ts'
import { inboxListingShape, messageListingShape } from '../schemas/people.ts'

const section = 'Private messages'

type Own = Context<unknown, SignedIn>

/** The first message of the conversation that a message is in; undefined when there is none, 403 for those who take no part in it. */
const rootFor = async ({ load, viewer }: Own, id: MessageId): Promise<Either<Refusal, Message | undefined>> => {
  const { account, admin } = viewer
  const message = await load(Message, id)
  const root = message && (await load(Message, message.root))
  if (!message || !root) return E.right(undefined)
  const moderators = message.subsite === null ? undefined : await load(Moderators, message.subsite)
  return mayRead(message, root, { account, admin, moderators }) ? E.right(root) : refuse('FORBIDDEN')
}

/** The place of a comment that exists, in whichever subsite. */
const placeOfComment = async (app: Context, id: string): Promise<Place | undefined> => {
  const subsite = await subsiteOf(app, id)
  return subsite === undefined ? undefined : placeOf(app, subsite)
}

/** Entries stand in the order of their ids. What is in the own inbox is a place there for ever; anything else only for who may see it. */
const anchorFor =
  (context: Own) =>
  async (name: string): Promise<Either<Refusal, Anchor | undefined>> => {
    const kind = kindOf(name)
    if (kind !== 'message' && kind !== 'comment') return E.right(undefined)
    const key = [numberOf(name)]
    if ((await entriesOf(context.documents, context.viewer.account, [name])).has(name)) return E.right(key)
    if (kind === 'message') return E.map((root: Message | undefined) => root && key)(await rootFor(context, name))
    const place = await placeOfComment(context, name)
    if (!place) return E.right(undefined)
    return (await mayView(context, place)) ? E.right(key) : refuse('FORBIDDEN')
  }

const order = ['-seq']

const entries = (context: Own, compartment: Compartment) =>
  list<InboxDocument>({
    source: inboxOf(context.documents, context.viewer.account, compartment),
    order,
    nameOf: ({ thing }) => thing,
    anchor: anchorFor(context),
    visible: (some) => readable(context, some),
    present: (items) => inboxThings(context, items),
  })

/** What a moderator removed, its author and the admins still see; what the viewer reported is out of the viewer's sight. */
const isShownTo =
  ({ account, admin }: Viewer) =>
  ({ removed, author, reporters }: MessageDocument) =>
    (!removed || admin || author === account) && !reporters.some((reporter) => reporter === account)

const messagesOf = (context: Own, source: Source<MessageDocument>, isShown = isShownTo(context.viewer)) =>
  list<MessageDocument>({
    source,
    order,
    nameOf: ({ id }) => id,
    anchor: anchorFor(context),
    visible: (some) => some.filter(isShown),
    present: (items) => messageThings(context, items),
  })

/** The conversation that a message belongs to. */
const thread = async (context: Own, id: MessageId) => {
  const root = await rootFor(context, id)
  if (E.isLeft(root)) return root
  if (!root.right) return E.right(undefined)
  const shown = (await conversation(context.documents, root.right.message)).filter(isShownTo(context.viewer))
  const child = await threadThing(context, shown)
  return E.right(whole(child ? [child] : []))
}

const common = {
  mark: described(raw(), 'accepted; reading here never marks anything as read'),
  mid: described(lenient(optional(id36('message')), undefined), 'only the conversation of this message'),
}

const compartments = ['messages', 'comments', 'selfreply', 'mentions'] as const

/** Both endpoints of the inbox do the same; the one beyond the table has the compartments that clients ask for. */
const read = async (context: Own, where: Compartment | 'sent', mid: MessageId | undefined) => {
  const found = mid === undefined ? E.right(undefined) : await thread(context, mid)
  if (E.isLeft(found) || found.right) return found
  return where === 'sent' ? messagesOf(context, sentBy(context.documents, context.viewer.account)) : entries(context, where)
}

const inbox = endpoint({
  method: 'GET',
  path: '/message/{where}',
  values: { where: ['inbox', 'unread', 'sent'] },
  scope: 'privatemessages',
  login: 'user',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  section,
  answers: { 200: inboxListingShape },
  summary: 'Your messages, newest first: all that came, what is unread of it, what you sent.',
  notes:
    'Comments that concern you stand among the messages, as kind t1 with `was_comment`. What a moderator removed is not shown until it is approved again, nor what stands where you may not read.',
  params: { where: oneOf('inbox', 'unread', 'sent'), ...common },
  handle: (context) => read(context, context.params.where, context.params.mid),
})

const compartment = endpoint({
  method: 'GET',
  path: '/message/{compartment}',
  values: { compartment: compartments },
  scope: 'privatemessages',
  login: 'user',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  section: 'Additions',
  answers: { 200: inboxListingShape },
  summary: 'One kind of what came to your inbox: private messages, replies to comments, replies to posts, mentions.',
  params: { compartment: oneOf(...compartments), ...common },
  handle: (context) => read(context, context.params.compartment, context.params.mid),
})

const conversationOf = endpoint({
  method: 'GET',
  path: '/message/messages/{mid}',
  scope: 'privatemessages',
  login: 'user',
  errors: 'coded',
  section: 'Additions',
  answers: { 200: messageListingShape },
  summary: 'A conversation: its first message, the others as the replies to it.',
  notes: 'For those who take part in it, moderators with `mail` where it is moderator mail, and admins; 403 for others.',
  params: { mid: refusing(id36('message'), 'NOT_FOUND') },
  handle: async (context) => {
    const found = await thread(context, context.params.mid)
    return E.isRight(found) && found.right === undefined ? refuse('NOT_FOUND') : found
  },
})

/** The subsites whose mail the viewer may read: that of the path, or all moderated with `mail`; none is 403. */
const mailboxes: Need<readonly SubsiteId[]> = async (context) => {
  const { site, viewer, documents } = context
  const held = await relationsOf(documents, viewer.account, 'moderator')
  const asked = site.kind === 'subsite' ? [site.subsite.id] : held.map(({ subsite }) => subsite)
  const may = await Promise.all(asked.map((subsite) => capacityIn(context, subsite, 'mail')))
  const readable = asked.filter((_, index) => may[index] !== undefined)
  return readable.length === 0 ? refuse('FORBIDDEN') : E.right(readable)
}

const modmail = endpoint({
  method: 'GET',
  path: '[/s/{sub}]/about/message/{box}',
  aliases: ['/message/moderator', '/message/moderator/{box}'],
  values: { box: ['inbox', 'unread'] },
  scope: 'privatemessages',
  login: 'user',
  errors: 'plain',
  listing: { max: 100 },
  rss: true,
  section: 'Additions',
  answers: { 200: messageListingShape },
  summary: 'The mail of the moderators, newest first: all of it, or what is unread.',
  notes:
    'For moderators with `mail`; without a subsite in the path, of all that the caller moderates with it. Whether it was read is one mark that all moderators share: `/api/read_message` and `/api/unread_message` set it. One’s own is never unread.',
  params: { box: withDefault(oneOf('inbox', 'unread'), 'inbox' as const) },
  needs: { subsites: mailboxes },
  handle: (context) => {
    const { params, subsites, viewer, documents } = context
    const isShown = isShownTo(viewer)
    const isUnread = (message: MessageDocument) => isShown(message) && message.author !== viewer.account
    return messagesOf(context, modmailOf(documents, subsites, params.box), params.box === 'unread' ? isUnread : isShown)
  },
})

const reportedMessages = endpoint({
  method: 'GET',
  path: '/message/reported',
  scope: 'privatemessages',
  login: 'user',
  errors: 'coded',
  listing: { max: 100 },
  section: 'Additions',
  answers: { 200: messageListingShape },
  summary: 'Messages that were reported, newest first, for admins.',
  notes: 'With `num_reports`, and in `user_reports` the reasons and how many gave them.',
  params: {},
  handle: (context) => {
    const { documents, viewer } = context
    if (!viewer.admin) return refuse('FORBIDDEN')
    return list<MessageDocument>({
      source: reportedOf(documents),
      order,
      nameOf: ({ id }) => id,
      anchor: anchorFor(context),
      present: async (items) => {
        const things = await messageThings(context, items)
        return items.flatMap((message, index) => withReports(message, things[index]) ?? [])
      },
    })
  },
})

export const inboxEndpoints: readonly AnyEndpoint[] = [inbox, compartment, conversationOf, modmail, reportedMessages]
