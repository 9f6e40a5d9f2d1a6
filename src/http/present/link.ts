import type { LinkDocument } from '../../../projections/links.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import type { Flair } from '../../domain/flair.ts'
import { id36 } from '../../domain/ids.ts'
import { isArchived } from '../../domain/link.ts'
import { HOUR } from '../../domain/time.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { Around } from '../../queries/around.ts'
import { isRedacted, REMOVED_PLACEHOLDER } from '../../queries/faces.ts'
import {
  authorFullname as authorFullnameShape,
  cast,
  dated,
  linkId,
  linkNameShape,
  subsiteFullname,
  subsiteName,
  username,
} from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../contract/schemas/things.ts'
import { Fragment, fragment, sharedMembers } from '../wire/json-writing.ts'
import { markedHtml } from './markdown.ts'
import { linkPermalink } from './permalink.ts'
import { trimmedSubsiteShape } from './subsite.ts'
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

const linkShape = shape.component('Link', () =>
  shape.record({
    id: linkId,
    name: linkNameShape,
    ...dated,
    title: shape.text('On water'),
    author: username,
    author_fullname: authorFullnameShape,
    ...authorFlairFields,
    subsite: subsiteName,
    subsite_id: subsiteFullname,
    domain: shape.text('self.tea'),
    url: shape.text(cast.service + cast.linkPath),
    permalink: shape.text(cast.linkPath),
    is_self: shape.flag,
    selftext: shape.text('Soft or hard?'),
    selftext_html: shape.orNull(shape.html('Soft or hard?')),
    score: shape.integer(5, 'Twice the insightful votes and the funny ones.'),
    ups: shape.integer(2, 'Insightful votes.'),
    downs: shape.integer(1, 'Funny votes.'),
    num_comments: shape.integer(3),
    over_18: shape.flag,
    quarantine: shape.flag,
    spoiler: shape.flag,
    locked: shape.flag,
    contest_mode: shape.flag,
    stickied: shape.flag,
    suggested_sort: shape.orNull(shape.text('top')),
    link_flair_text: shape.orNull(shape.text('question')),
    link_flair_css_class: shape.orNull(shape.text('question')),
    distinguished: shape.orNull(shape.among('moderator', 'admin', 'special')),
    gilded: shape.integer(0),
    clicked: shape.flag,
    thumbnail: shape.text('self'),
    media: shape.nothing,
    secure_media: shape.nothing,
    media_embed: shape.record({}),
    secure_media_embed: shape.record({}),
    removal_reason: shape.orNull(shape.text('')),
    ...markFields,
    hidden: shape.flag,
    visited: shape.flag,
    hide_score: shape.flag,
    archived: shape.flag,
    edited: editedShape,
    ...moderationFields,
    category: shape.optional(shape.orNull(shape.text('to read'))),
    upvote_ratio: shape.optional(shape.decimal(0.5)),
    sr_detail: shape.optional(trimmedSubsiteShape),
  }),
)

export const linkThingShape = thingShape('t5', linkShape)
export const linkListingShape = shape.component('LinkListing', () => listingShape(linkThingShape))

const HIDE_SCORE_MS = 2 * HOUR

/** What the shared part of a link, which is the same for many viewers, was made of. */
type LinkParts = {
  readonly subsite: SubsiteDocument
  readonly author: string
  /** The text is withheld. */
  readonly redacted: boolean
  readonly flair: Flair | undefined
  readonly members: Fragment
  /** The whole link for viewers who are told nothing that only moderators are. */
  readonly whole: Variants
}

/** What it is made of. */
type Base = Omit<LinkParts, 'members' | 'whole'>

const thumbnailOf = ({ isSelf, over18 }: LinkDocument, { settings }: SubsiteDocument): string => {
  if (!settings.show_media) return ''
  if (isSelf) return 'self'
  return over18 || settings.over_18 ? 'nsfw' : 'default'
}

/** The order that the link suggests, else the one of its subsite. */
export const suggestedSort = (link: LinkDocument, { settings }: SubsiteDocument) => {
  const sort = link.suggestedSort || settings.suggested_comment_sort
  return sort === '' || sort === 'blank' ? null : sort
}

/** A number as JSON that stricter languages read as a float, too. */
const floatText = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value))

const textOf = (link: LinkDocument, redacted: boolean): string => {
  if (!link.isSelf) return ''
  if (link.deleted) return DELETED_PLACEHOLDER
  return redacted ? REMOVED_PLACEHOLDER : link.text
}

const sharedFields = ({ link, subsite, author, redacted, flair }: Base & { readonly link: LinkDocument }, base: string) => {
  const permalink = linkPermalink(subsite.name, link.id, link.title)
  const text = textOf(link, redacted)
  return {
    id: id36(link.id),
    name: link.id,
    created: epoch(link.created),
    created_utc: epoch(link.created),
    title: link.title,
    author,
    author_fullname: authorFullname(link.author, author),
    ...flairFields('author', flair),
    subsite: subsite.name,
    subsite_id: subsite.id,
    domain: link.isSelf ? `self.${subsite.name}` : link.domain,
    url: link.url ?? `${base}${permalink}`,
    permalink,
    is_self: link.isSelf,
    selftext: text,
    selftext_html: markedHtml(text),
    score: Math.max(0, link.score),
    ups: link.ups,
    downs: link.downs,
    num_comments: Math.max(0, link.comments),
    over_18: link.over18 || subsite.settings.over_18,
    quarantine: false,
    spoiler: false,
    locked: link.locked,
    contest_mode: link.contestMode,
    stickied: link.slot !== null,
    suggested_sort: suggestedSort(link, subsite),
    ...flairFields('link', { text: link.flairText, css: link.flairCss }),
    distinguished: link.deleted ? null : link.distinguished,
    gilded: link.gilded,
    clicked: false,
    thumbnail: thumbnailOf(link, subsite),
    media: null,
    secure_media: null,
    media_embed: {},
    secure_media_embed: {},
    removal_reason: null,
  }
}

// a document at one position is one object, so what is made of it is cached with it
const shared = new WeakMap<LinkDocument, LinkParts>()

const isSame = (a: SubsiteDocument, b: SubsiteDocument) =>
  a === b ||
  (a.id === b.id &&
    a.name === b.name &&
    a.settings.over_18 === b.settings.over_18 &&
    a.settings.show_media === b.settings.show_media &&
    a.settings.suggested_comment_sort === b.settings.suggested_comment_sort)

const sharedOf = (link: LinkDocument, what: Base, base: string): LinkParts => {
  const { subsite, author, redacted, flair } = what
  const known = shared.get(link)
  if (known && known.author === author && known.redacted === redacted && isSameFlair(known.flair, flair) && isSame(known.subsite, subsite))
    return known
  const made = { ...what, members: sharedMembers(sharedFields({ link, ...what }, base)), whole: new Map() }
  shared.set(link, made)
  return made
}

export type LinkOptions = {
  /** On the pages of a single link. */
  readonly withRatio?: boolean
  /** The trimmed record of its subsite. */
  readonly detail?: unknown
  /** With `false`, edits are not shown. */
  readonly edits?: boolean
  /** With the category it was saved under. */
  readonly categories?: boolean
}

const flags = fourFlags(
  (hidden, visited, young, archived) => `"hidden":${hidden},"visited":${visited},"hide_score":${young},"archived":${archived}`,
)

const START = '{"kind":"t5","data":{'

/** A link as the viewer sees it; undefined when its subsite is unknown. */
export const linkThing = (
  link: LinkDocument,
  around: Around,
  { withRatio = false, detail, edits = true, categories = false }: LinkOptions = {},
): Fragment | undefined => {
  const subsite = around.subsites.get(link.subsite)
  if (!subsite) return undefined
  const { viewer, now, names } = around
  const author = link.deleted ? DELETED_PLACEHOLDER : names(link.author)
  const what = { subsite, author, redacted: isRedacted(link, around), flair: authorFlair(link, author, around) }
  const common = sharedOf(link, what, around.base)
  const moderated = around.moderates(link.subsite)
  const young = now - link.created < HIDE_SCORE_MS && link.author !== viewer.account && !moderated
  const marked = markBits(link, around)
  const flagged = bitsOf(around.shelfOf(link.id)?.hidden ?? false, around.visited.has(link.id), young, isArchived(link.created, now))
  const isShared = !moderated && !withRatio && detail === undefined && edits && !categories
  const facts = marked * 16 + flagged
  const kept = isShared ? common.whole.get(facts) : undefined
  if (kept) return kept
  const own = () => `,${marks(marked)},${flags(flagged)},${edited(link, edits)},${moderation(link, around)}`
  const { members } = common
  if (isShared) return variantOf(common.whole, facts, { start: START, members, own: () => `${own()}}}` })
  const ratio = withRatio ? `,"upvote_ratio":${floatText(link.ups / Math.max(1, link.ups + link.downs))}` : ''
  const rest = `${own()}${categories ? category(link.id, around) : ''}${ratio}`
  const expanded = detail === undefined ? [] : [',"sr_detail":', fragment(detail)]
  return new Fragment(() => [START, members, rest, ...expanded, '}}'])
}
