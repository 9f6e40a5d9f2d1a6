import * as E from 'fp-ts/lib/Either.js'
import type { InboxDocument } from '../../../../projections/inbox.ts'
import type { MessageDocument } from '../../../../projections/messages.ts'
import { type MessageId, numberOf, type SubsiteId } from '../../../domain/ids.ts'
import { type Compartment, entriesOf, inboxOf } from '../../../queries/inbox.ts'
import { conversation, isModmailFor, isReportedBy, listReported, modmailOf, sentBy } from '../../../queries/messages.ts'
import type { OrderedSource } from '../../../queries/ordered-source.ts'
import { relationsOf } from '../../../queries/relations.ts'
import { type AnyEndpoint, type Need, type SignedInContext, section } from '../../contract/endpoint.ts'
import { id36 } from '../../contract/name-params.ts'
import { describeParam, oneOf, optional, rawText, replaceInvalid, replaceRefusal, withDefault } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { adminOnly, notSuspended } from '../../needs/facts.ts'
import { inboxListingShape, messageListingShape, withReports } from '../../present/message.ts'
import { selectPermitted } from '../../things/access.ts'
import { inboxHere, inboxThings, selectReadable } from '../../things/inbox.ts'
import { column } from '../../things/kinds/all.ts'
import { messageThings, rootFor, threadThing } from '../../things/kinds/message.ts'
import { list, type NamedAnchor, wholeListing } from '../../things/listing.ts'

const commonOptions = { scope: 'privatemessages', login: 'user', errors: 'coded' } as const
const { get } = section('Private messages', commonOptions)

/**
 * Finds an anchor. Entries are ordered by id. Entries of the viewer's inbox are always valid anchors; other things only for viewers who may
 * see them.
 */
const anchorFor =
  (context: SignedInContext) =>
  async (name: string): Promise<NamedAnchor | undefined> => {
    const access = column(name, 'inbox')
    if (!access) return undefined
    const key = [numberOf(name)]
    if ((await entriesOf(context.documents, context.viewer.account, [name])).has(name)) return { key, viewable: true }
    const found = await access.read(context, name)
    return E.isRight(found) && found.right === undefined ? undefined : { key, viewable: E.isRight(found) }
  }

const order = ['-seq']

const entries = async (context: SignedInContext, compartment: Compartment) =>
  list<InboxDocument>({
    source: inboxOf(context.documents, await inboxHere(context), compartment),
    order,
    nameOf: ({ thing }) => thing,
    anchor: anchorFor(context),
    visible: (entries) => selectReadable(context, entries),
    present: (items) => inboxThings(context, items),
  })

/**
 * Tells whether a message is shown. Removed messages are shown to their author and admins only; those that the viewer reported are hidden,
 * too.
 */
const isSharedWith =
  ({ account, admin }: SignedIn) =>
  (message: MessageDocument) =>
    (!message.removed || admin || message.author === account) && !isReportedBy(message, account)

/** Tells whether the viewer may read a message, and has not deleted it as its recipient. The copy in the mail of moderators stays. */
const isShownTo = (viewer: SignedIn) => (message: MessageDocument) =>
  isSharedWith(viewer)(message) && !(message.deletedByRecipient && message.to === viewer.account)

const messagesOf = (context: SignedInContext, source: OrderedSource<MessageDocument>, isShown = isShownTo(context.viewer)) =>
  list<MessageDocument>({
    source,
    order,
    nameOf: ({ id }) => id,
    anchor: anchorFor(context),
    visible: (messages) => messages.filter(isShown),
    present: (items) => messageThings(context, items),
  })

/** Returns the conversation that a message belongs to. */
const thread = async (context: SignedInContext, id: MessageId) => {
  const root = await rootFor(context, id)
  if (E.isLeft(root)) return root
  if (!root.right) return E.right(undefined)
  const shown = (await conversation(context.documents, root.right.message)).filter(isShownTo(context.viewer))
  const child = await threadThing(context, shown)
  return E.right(wholeListing(child ? [child] : []))
}

const common = {
  mark: describeParam(rawText(), 'accepted; reading here never marks anything as read'),
  mid: describeParam(replaceInvalid(optional(id36('message')), undefined), 'only the conversation of this message'),
}

const compartments = ['messages', 'comments', 'selfreply', 'mentions'] as const

/** Both inbox endpoints work alike; the one outside the table has the compartments that clients request. */
const read = async (context: SignedInContext, where: Compartment | 'sent', mid: MessageId | undefined) => {
  const found = mid === undefined ? E.right(undefined) : await thread(context, mid)
  if (E.isLeft(found) || found.right) return found
  return where === 'sent' ? messagesOf(context, sentBy(context.documents, context.viewer.account)) : entries(context, where)
}

const inbox = get('/message/{where}', {
  values: { where: ['inbox', 'unread', 'sent'] },
  listing: { max: 100 },
  rss: true,
  answers: { 200: inboxListingShape },
  summary: 'Your messages, newest first: received, unread or sent.',
  notes:
    'Replies to your posts and mentions of you are included, as kind t1 with `was_comment`. Removed things are hidden until they are approved again, and so is anything in a subsite that you may not view.',
  params: { where: oneOf('inbox', 'unread', 'sent'), ...common },
  handle: (context) => read(context, context.params.where, context.params.mid),
})

const compartment = get('/message/{compartment}', {
  values: { compartment: compartments },
  listing: { max: 100 },
  rss: true,
  answers: { 200: inboxListingShape },
  summary: 'One part of your inbox: private messages, replies to comments, replies to posts, or mentions.',
  params: { compartment: oneOf(...compartments), ...common },
  handle: (context) => read(context, context.params.compartment, context.params.mid),
})

const conversationOf = get('/message/messages/{mid}', {
  answers: { 200: messageListingShape },
  summary: 'A conversation: its first message, with the others as replies.',
  notes: 'For its participants, for moderators with `mail` if it is moderator mail, and for admins; 403 for others.',
  params: { mid: replaceRefusal(id36('message'), 'NOT_FOUND') },
  handle: async (context) => {
    const found = await thread(context, context.params.mid)
    return E.isRight(found) && found.right === undefined ? refuseRule('NOT_FOUND') : found
  },
})

/** Returns the subsites whose mail the viewer may read: that of the path, or all moderated with `mail`; 403 if there is none. */
const mailboxes: Need<readonly SubsiteId[]> = async (context) => {
  const { site, viewer, documents } = context
  const seats = await relationsOf(documents, viewer.account, 'moderator')
  const places = site.kind === 'subsite' ? [site.subsite.id] : seats.map(({ subsite }) => subsite)
  return selectPermitted(context, places, 'mail')
}

const modmail = get('[/s/{sub}]/about/message/{box}', {
  aliases: ['[/s/{sub}]/about/message/moderator', '[/s/{sub}]/message/moderator', '[/s/{sub}]/message/moderator/{box}'],
  values: { box: ['inbox', 'unread'] },
  errors: 'plain',
  listing: { max: 100 },
  rss: true,
  answers: { 200: messageListingShape },
  summary: 'Moderator mail, newest first: all or unread.',
  notes:
    'For moderators with `mail`; without a subsite in the path, for all subsites that you moderate with `mail`. All moderators share one read mark, set by `/api/read_message` and `/api/unread_message`. Messages that you wrote are never unread.',
  params: { box: withDefault(oneOf('inbox', 'unread'), 'inbox' as const) },
  needs: { subsites: mailboxes, active: notSuspended },
  handle: (context) => {
    const { params, subsites, viewer, documents } = context
    const { box } = params
    return messagesOf(context, modmailOf(documents, subsites, box), box === 'unread' ? isModmailFor(viewer.account) : isSharedWith(viewer))
  },
})

const reportedMessages = section('Administration', commonOptions).get('/message/reported', {
  listing: { max: 100 },
  answers: { 200: messageListingShape },
  summary: 'Reported messages, newest first; for admins.',
  notes: 'With `num_reports`; `user_reports` lists each reason and its count.',
  needs: { active: notSuspended, admin: adminOnly() },
  handle: (context) =>
    list<MessageDocument>({
      source: listReported(context.documents),
      order,
      nameOf: ({ id }) => id,
      anchor: anchorFor(context),
      present: async (items) => {
        const things = await messageThings(context, items)
        return items.flatMap((message, index) => withReports(message, things[index]) ?? [])
      },
    }),
})

export const inboxEndpoints: readonly AnyEndpoint[] = [inbox, compartment, conversationOf, modmail, reportedMessages]
