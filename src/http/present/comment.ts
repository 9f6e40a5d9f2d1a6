import type { CommentDocument } from '../../../projections/comments.ts'
import type { LinkDocument } from '../../../projections/links.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import type { Flair } from '../../domain/flair.ts'
import { id36 } from '../../domain/ids.ts'
import { MINUTE } from '../../domain/time.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { ThingSurroundings } from '../../queries/surroundings.ts'
import { type CommentVisibility, REMOVED_PLACEHOLDER, visibilityOf } from '../../queries/visibility.ts'
import {
  authorFullname as authorFullnameShape,
  cast,
  commentId,
  commentName,
  idIn,
  linkNameShape,
  subsiteFullname,
  subsiteName,
  username,
} from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { eitherThing, listingShape, thingShape } from '../contract/schemas/things.ts'
import { Fragment, shareMembers } from '../wire/json-writing.ts'
import { linkThingShape } from './link.ts'
import { bodyHtml } from './markdown.ts'
import { commentPermalink, linkPermalink } from './permalink.ts'
import {
  archived,
  authorFlair,
  authorFlairFields,
  authorFullname,
  createdFields,
  hasSameSurroundings,
  marks,
  noExtras,
  restrictedFields,
  type ThingOptions,
  type ViewerExtras,
  type Viewing,
  viewerExtrasOf,
} from './thing.ts'
import { type Flags, recordFields, recordWriter } from './viewed-record.ts'

/** A comment as many viewers see it. */
export type SharedComment = {
  readonly thing: CommentDocument
  readonly subsite: SubsiteDocument
  /** The title of the link: it is part of the permalink, and an erasure changes it. */
  readonly title: string
  readonly author: string
  readonly face: CommentVisibility
  readonly flair: Flair | undefined
}

const bodyOf = ({ thing, face }: SharedComment): string =>
  face === 'whole' ? thing.body : face === 'removed' ? REMOVED_PLACEHOLDER : DELETED_PLACEHOLDER

export const sharedFields = {
  id: [commentId, ({ thing }) => id36(thing.id)],
  name: [commentName, ({ thing }) => thing.id],
  ...createdFields<SharedComment>(({ thing }) => thing.created),
  author: [username, ({ author }) => author],
  author_fullname: [authorFullnameShape, ({ thing, author }) => authorFullname(thing.author, author)],
  ...authorFlairFields,
  body: [shape.text('Soft.'), bodyOf],
  body_html: [shape.html('Soft.'), (shown) => bodyHtml(bodyOf(shown))],
  link_id: [linkNameShape, ({ thing }) => thing.link],
  parent_id: [shape.text(cast.link, 'Fullname of the comment or link that it answers.'), ({ thing }) => thing.parent ?? thing.link],
  subsite: [subsiteName, ({ subsite }) => subsite.name],
  subsite_id: [subsiteFullname, ({ thing }) => thing.subsite],
  subsite_type: [shape.text('public'), ({ subsite }) => subsite.settings.type],
  distinguished: [
    shape.orNull(shape.choice('moderator', 'admin', 'special')),
    ({ thing, face }) => (face === 'whole' ? thing.distinguished : null),
  ],
  gilded: [shape.integer(0), ({ thing, face }) => (face === 'whole' ? thing.gilded : 0)],
  permalink: [shape.text(cast.commentPath), ({ thing, subsite, title }) => commentPermalink(subsite.name, thing.link, title, thing.id)],
  removal_reason: [shape.orNull(shape.text('')), () => null],
} satisfies shape.RecordTable<SharedComment>

type CommentViewing = Viewing<CommentDocument> & Pick<SharedComment, 'subsite' | 'face'> & { readonly link: LinkDocument }

/** Tells whether a comment is the stickied one of its thread. */
const leads = ({ thing, link }: CommentViewing): boolean => link.stickyComment === thing.id

const isYoung = ({ thing, subsite: { settings }, around: { now } }: CommentViewing): boolean =>
  settings.comment_score_hide_mins > 0 && now - thing.created < settings.comment_score_hide_mins * MINUTE

/** Reports whether only moderators see the score. The author of a young comment does, too, where the subsite hides scores at first. */
const hidesScore = (shown: CommentViewing): boolean => {
  const { thing, link, around } = shown
  if (around.moderates(thing.subsite)) return false
  return link.contestMode || leads(shown) || (isYoung(shown) && thing.author !== around.viewer.account)
}

const flags = {
  // a deleted link does not show its author, so its comments must not either
  is_submitter: [shape.flag, ({ thing, link, face }) => face === 'whole' && !link.deleted && thing.author === link.author],
  stickied: [shape.flag, (shown) => shown.face === 'whole' && leads(shown)],
  score_hidden: [shape.flag, hidesScore],
  ...archived,
} satisfies Flags<CommentViewing>

const isControversial = ({ ups, downs }: CommentDocument) => ups + downs >= 7 && ups >= 0.4 * (ups + downs) && ups <= 0.6 * (ups + downs)

type OwnComment = SharedComment & ViewerExtras & { readonly flags: Readonly<Record<keyof typeof flags, boolean>> }

const scores: shape.RecordTable<OwnComment> = {
  score: [shape.integer(2), ({ thing, flags }) => (flags.score_hidden ? 1 : thing.score)],
  ups: [shape.integer(1), ({ thing, flags }) => (flags.score_hidden ? 1 : thing.ups)],
  downs: [shape.integer(0), ({ thing, flags }) => (flags.score_hidden ? 0 : thing.downs)],
  controversiality: [shape.choice(0, 1), ({ thing, flags }) => Number(!flags.score_hidden && isControversial(thing))],
}

const tables = {
  shared: sharedFields,
  viewed: [
    { flags },
    { own: scores },
    { flags: { ...marks, collapsed: [shape.flag, ({ shelf }) => shelf?.hidden ?? false] } satisfies Flags<CommentViewing> },
    { own: restrictedFields },
  ],
}

const write = recordWriter<SharedComment, CommentViewing, ViewerExtras, OwnComment>({
  ...tables,
  start: '{"kind":"t1","data":{',
  end: '',
  isSame: (a, b) => a.title === b.title && a.face === b.face && hasSameSurroundings(a, b),
  usual: noExtras,
})

type Thread = {
  readonly link: LinkDocument
  readonly author: string
  readonly subsite: SubsiteDocument
  readonly base: string
}

/** The fields that comments have in lists outside their thread. */
const threadFields: shape.RecordTable<Thread> = {
  link_title: [shape.text('On water'), ({ link }) => link.title],
  link_author: [username, ({ author }) => author],
  link_url: [
    shape.text(cast.service + cast.linkPath),
    ({ link, subsite, base }) => link.url ?? `${base}${linkPermalink(subsite.name, link.id, link.title)}`,
  ],
  over_18: [shape.flag, ({ link, subsite }) => link.over18 || subsite.settings.over_18],
  quarantine: [shape.flag, () => false],
}

// a document at one position is one object, as above
const threads = new WeakMap<LinkDocument, Thread & { readonly members: Fragment }>()

const threadMembers = (link: LinkDocument, subsite: SubsiteDocument, { names, base }: ThingSurroundings): Fragment => {
  const author = link.deleted ? DELETED_PLACEHOLDER : names(link.author)
  const known = threads.get(link)
  if (known && known.author === author && known.subsite === subsite) return known.members
  const thread = { link, author, subsite, base }
  const members = shareMembers(() => shape.valuesOf(threadFields, thread))
  threads.set(link, { ...thread, members })
  return members
}

const commentShape: shape.SchemaOrComponent = shape.component('Comment', () =>
  shape.recordSchema({
    ...recordFields(tables),
    depth: shape.optional(shape.integer(0)),
    ...Object.fromEntries(Object.entries(threadFields).map(([name, [schema]]) => [name, shape.optional(schema)])),
    replies: {
      anyOf: [commentListingShape, shape.constant('')],
      description: 'A listing of comments and stubs; the empty text where there are none.',
    },
  }),
)

/** Comments that a tree names without showing them. */
export const moreShape = shape.component('More', () =>
  shape.recordSchema({
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

export type CommentOptions = ThingOptions & {
  /** The listing of its replies in its thread; absent: the empty text. */
  readonly replies?: Fragment
  readonly depth?: number
  /** True for a comment in a list outside its thread. */
  readonly flat?: boolean
}

/** Returns a comment as the viewer sees it; undefined when its link or subsite is unknown. */
export const commentThing = (thing: CommentDocument, around: ThingSurroundings, options: CommentOptions = {}): Fragment | undefined => {
  const subsite = around.subsites.get(thing.subsite)
  const link = around.links.get(thing.link)
  if (!subsite || !link) return undefined
  const { replies, depth, flat = false } = options
  const face = visibilityOf(thing, around)
  const author = face === 'whole' ? around.names(thing.author) : DELETED_PLACEHOLDER
  const viewing = { thing, around, vote: around.voteOn(thing.id), shelf: around.shelfOf(thing.id), link, subsite, face }
  const head = write(
    { thing, subsite, title: link.title, author, face, flair: authorFlair(thing, author, around) },
    viewing,
    viewerExtrasOf(viewing, options),
  )
  const placed = depth === undefined ? '' : `,"depth":${depth}`
  const thread = flat ? [',', threadMembers(link, subsite, around)] : []
  return new Fragment(() => [head, placed, ...thread, ',"replies":', replies ?? '""', '}}'], replies && [replies])
}
