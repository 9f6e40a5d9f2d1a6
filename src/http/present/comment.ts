import type { CommentDocument } from '../../../projections/comments.ts'
import type { LinkDocument } from '../../../projections/links.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import type { Flair } from '../../domain/flair.ts'
import { id36 } from '../../domain/ids.ts'
import { isArchived } from '../../domain/link.ts'
import { MINUTE } from '../../domain/time.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { Around } from '../../queries/around.ts'
import { type Face, faceOf, REMOVED_PLACEHOLDER } from '../../queries/faces.ts'
import {
  authorFullname as authorFullnameShape,
  cast,
  commentId,
  commentName,
  dated,
  idIn,
  linkNameShape,
  subsiteFullname,
  subsiteName,
  username,
} from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { eitherThing, listingShape, thingShape } from '../contract/schemas/things.ts'
import { Fragment, sharedMembers } from '../wire/json-writing.ts'
import { linkThingShape } from './link.ts'
import { bodyHtml } from './markdown.ts'
import { commentPermalink, linkPermalink } from './permalink.ts'
import {
  authorFlair,
  authorFlairFields,
  authorFullname,
  bitsOf,
  category,
  edited,
  editedShape,
  epoch,
  flairFields,
  fourFlags,
  isSameFlair,
  markBits,
  markFields,
  marks,
  moderation,
  moderationFields,
  type Variants,
  variantOf,
} from './thing.ts'

const commentShape: shape.Part = shape.component('Comment', () =>
  shape.record({
    id: commentId,
    name: commentName,
    ...dated,
    author: username,
    author_fullname: authorFullnameShape,
    ...authorFlairFields,
    body: shape.text('Soft.'),
    body_html: shape.html('Soft.'),
    link_id: linkNameShape,
    parent_id: shape.text(cast.link, 'Fullname of the comment or link that it answers.'),
    subsite: subsiteName,
    subsite_id: subsiteFullname,
    controversiality: shape.among(0, 1),
    stickied: shape.flag,
    distinguished: shape.orNull(shape.among('moderator', 'admin', 'special')),
    gilded: shape.integer(0),
    permalink: shape.text(cast.commentPath),
    removal_reason: shape.orNull(shape.text('')),
    is_submitter: shape.flag,
    score: shape.integer(2),
    ups: shape.integer(1),
    downs: shape.integer(0),
    score_hidden: shape.flag,
    ...markFields,
    collapsed: shape.flag,
    archived: shape.flag,
    edited: editedShape,
    ...moderationFields,
    category: shape.optional(shape.orNull(shape.text('to read'))),
    depth: shape.optional(shape.integer(0)),
    link_title: shape.optional(shape.text('On water')),
    link_author: shape.optional(username),
    link_url: shape.optional(shape.text(cast.service + cast.linkPath)),
    over_18: shape.optional(shape.flag),
    quarantine: shape.optional(shape.flag),
    replies: {
      anyOf: [commentListingShape, shape.constant('')],
      description: 'A listing of comments and stubs; the empty text where there are none.',
    },
  }),
)

/** Comments that a tree names without showing them. */
export const moreShape = shape.component('More', () =>
  shape.record({
    id: shape.text(idIn(cast.comment), 'Of the first of them; `_` where a thread goes on at its parent.'),
    name: shape.text(cast.comment),
    parent_id: shape.text(cast.link),
    count: shape.integer(2, 'How many are below, at all depths; 0 where a thread goes on at its parent.'),
    children: shape.listOf(commentId),
    depth: shape.integer(0),
  }),
)

export const commentThingShape = thingShape('t1', commentShape)
export const commentListingShape = shape.component('CommentListing', () =>
  listingShape(eitherThing(commentThingShape, thingShape('more', moreShape))),
)
export const thingListingShape = shape.component('ThingListing', () => listingShape(eitherThing(linkThingShape, commentThingShape)))

type CommentParts = {
  readonly subsite: string
  /** The title of the link: it is part of the permalink, and an erasure changes it. */
  readonly title: string
  readonly author: string
  readonly face: Face
  readonly flair: Flair | undefined
  readonly members: Fragment
  /** Up to what differs by its place, for viewers who are told nothing that only moderators are. */
  readonly heads: Variants
}

/** What it is made of. */
type Base = Omit<CommentParts, 'members' | 'heads'>

const isControversial = ({ ups, downs }: CommentDocument) => ups + downs >= 7 && ups >= 0.4 * (ups + downs) && ups <= 0.6 * (ups + downs)

const sharedFields = (comment: CommentDocument, { subsite, title, author, face, flair }: Base) => {
  const body = face === 'whole' ? comment.body : face === 'removed' ? REMOVED_PLACEHOLDER : DELETED_PLACEHOLDER
  return {
    id: id36(comment.id),
    name: comment.id,
    created: epoch(comment.created),
    created_utc: epoch(comment.created),
    author,
    author_fullname: authorFullname(comment.author, author),
    ...flairFields('author', flair),
    body,
    body_html: bodyHtml(body),
    link_id: comment.link,
    parent_id: comment.parent ?? comment.link,
    subsite,
    subsite_id: comment.subsite,
    distinguished: face === 'whole' ? comment.distinguished : null,
    gilded: face === 'whole' ? comment.gilded : 0,
    permalink: commentPermalink(subsite, comment.link, title, comment.id),
    removal_reason: null,
  }
}

// a document at one position is one object, so what is made of it is cached with it
const shared = new WeakMap<CommentDocument, CommentParts>()

const isSame = (known: CommentParts, { subsite, title, author, face, flair }: Base): boolean =>
  known.subsite === subsite && known.title === title && known.author === author && known.face === face && isSameFlair(known.flair, flair)

const sharedOf = (comment: CommentDocument, what: Base): CommentParts => {
  const known = shared.get(comment)
  if (known && isSame(known, what)) return known
  const made = { ...what, members: sharedMembers(sharedFields(comment, what)), heads: new Map() }
  shared.set(comment, made)
  return made
}

const isYoung = ({ created }: CommentDocument, { settings }: SubsiteDocument, now: number) =>
  settings.comment_score_hide_mins > 0 && now - created < settings.comment_score_hide_mins * MINUTE

/** Whether it is the stickied comment of its thread. */
const leads = ({ id }: CommentDocument, { stickyComment }: LinkDocument) => stickyComment === id

/** In contest mode, and of a stickied comment, only moderators see scores; of a young comment, where the subsite hides scores at first, its author does, too. */
const hidesScore = (comment: CommentDocument, link: LinkDocument, subsite: SubsiteDocument, { viewer, now, moderates }: Around) => {
  if (moderates(comment.subsite)) return false
  return link.contestMode || leads(comment, link) || (isYoung(comment, subsite, now) && comment.author !== viewer.account)
}

const scores = (comment: CommentDocument, hidden: boolean) => {
  if (hidden) return '"score":1,"ups":1,"downs":0,"controversiality":0'
  const { score, ups, downs } = comment
  return `"score":${score},"ups":${ups},"downs":${downs},"controversiality":${Number(isControversial(comment))}`
}

const flags = fourFlags(
  (submitter, stickied, hidden, archived) =>
    `"is_submitter":${submitter},"stickied":${stickied},"score_hidden":${hidden},"archived":${archived}`,
)

type ThreadFields = { readonly author: string; readonly subsite: string; readonly over18: boolean; readonly fields: Fragment }

// of a link at one position, as above
const ofThreads = new WeakMap<LinkDocument, ThreadFields>()

/** What comments carry in lists outside their thread. */
const threadFields = (link: LinkDocument, { name, settings }: SubsiteDocument, { names, base }: Around): Fragment => {
  const author = link.deleted ? DELETED_PLACEHOLDER : names(link.author)
  const over18 = link.over18 || settings.over_18
  const known = ofThreads.get(link)
  if (known && known.author === author && known.subsite === name && known.over18 === over18) return known.fields
  const url = link.url ?? `${base}${linkPermalink(name, link.id, link.title)}`
  const fields = sharedMembers({ link_title: link.title, link_author: author, link_url: url, over_18: over18, quarantine: false })
  ofThreads.set(link, { author, subsite: name, over18, fields })
  return fields
}

export type CommentOptions = {
  /** The listing of its replies in its thread; absent: the empty text. */
  readonly replies?: Fragment
  readonly depth?: number
  /** In a list outside its thread. */
  readonly flat?: boolean
  /** With `false`, edits are not shown. */
  readonly edits?: boolean
  /** With the category it was saved under. */
  readonly categories?: boolean
}

const START = '{"kind":"t1","data":{'

/** A comment as the viewer sees it; undefined when its link or subsite is unknown. */
export const commentThing = (comment: CommentDocument, around: Around, options: CommentOptions = {}): Fragment | undefined => {
  const subsite = around.subsites.get(comment.subsite)
  const link = around.links.get(comment.link)
  if (!subsite || !link) return undefined
  const { replies, depth, flat = false, edits = true, categories = false } = options
  const face = faceOf(comment, around)
  const author = face === 'whole' ? around.names(comment.author) : DELETED_PLACEHOLDER
  const flair = authorFlair(comment, author, around)
  const common = sharedOf(comment, { subsite: subsite.name, title: link.title, author, face, flair })
  // a deleted link does not show its author, so its comments must not either
  const isSubmitter = face === 'whole' && !link.deleted && comment.author === link.author
  const hidden = hidesScore(comment, link, subsite, around)
  const flagged = bitsOf(isSubmitter, face === 'whole' && leads(comment, link), hidden, isArchived(comment.created, around.now))
  const marked = markBits(comment, around)
  const collapsed = around.shelfOf(comment.id)?.hidden ?? false
  const { members } = common
  const own = () =>
    `,${flags(flagged)},${scores(comment, hidden)},${marks(marked)},"collapsed":${collapsed},${edited(comment, edits)},${moderation(comment, around)}`
  const head =
    edits && !around.moderates(comment.subsite)
      ? [variantOf(common.heads, (marked * 16 + flagged) * 2 + Number(collapsed), { start: START, members, own })]
      : [START, members, own()]
  const placed = `${categories ? category(comment.id, around) : ''}${depth === undefined ? '' : `,"depth":${depth}`}`
  const thread = flat ? [',', threadFields(link, subsite, around)] : []
  return new Fragment(() => [...head, placed, ...thread, ',"replies":', replies ?? '""', '}}'], replies && [replies])
}
