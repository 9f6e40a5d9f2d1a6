import type { LinkDocument } from '../../../projections/links.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { isArchived } from '../../domain/archiving.ts'
import { id36 } from '../../domain/ids.ts'
import type { Around } from '../../queries/reading.ts'
import { Fragment, fragment } from '../json.ts'
import { epoch } from './epoch.ts'
import { markedHtml } from './markdown.ts'
import { linkPermalink } from './permalink.ts'
import { category, DELETED, edited, marks, members, moderation, REMOVED } from './thing.ts'

const HIDE_SCORE = 2 * 60 * 60 * 1000

/** What the part of a link that is the same for many viewers was made of. */
type Shared = {
  readonly subsite: SubsiteDocument
  readonly author: string
  /** The text is withheld. */
  readonly redacted: boolean
  readonly members: Fragment
}

const thumbnailOf = ({ isSelf, over18 }: LinkDocument, { settings }: SubsiteDocument): string => {
  if (!settings.show_media) return ''
  if (isSelf) return 'self'
  return over18 || settings.over_18 ? 'nsfw' : 'default'
}

const suggestedSort = ({ settings: { suggested_comment_sort: sort } }: SubsiteDocument) => (sort === '' || sort === 'blank' ? null : sort)

/** A number as JSON that stricter languages read as a float, too. */
const floatText = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value))

const textOf = (link: LinkDocument, redacted: boolean): string => {
  if (!link.isSelf) return ''
  if (link.deleted) return DELETED
  return redacted ? REMOVED : link.text
}

const sharedFields = (link: LinkDocument, subsite: SubsiteDocument, author: string, redacted: boolean, base: string) => {
  const permalink = linkPermalink(subsite.name, link.id, link.title)
  const text = textOf(link, redacted)
  return {
    id: id36(link.id),
    name: link.id,
    created: epoch(link.created),
    created_utc: epoch(link.created),
    title: link.title,
    author,
    author_flair_text: null,
    author_flair_css_class: null,
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
    locked: link.locked,
    contest_mode: false,
    stickied: link.slot !== null,
    suggested_sort: suggestedSort(subsite),
    link_flair_text: null,
    link_flair_css_class: null,
    distinguished: link.deleted ? null : link.distinguished,
    gilded: 0,
    clicked: false,
    thumbnail: thumbnailOf(link, subsite),
    media: null,
    secure_media: null,
    media_embed: {},
    secure_media_embed: {},
    removal_reason: null,
  }
}

// one document at one version is one object, so what it looks like is remembered with it
const shared = new WeakMap<LinkDocument, Shared>()

const isSame = (a: SubsiteDocument, b: SubsiteDocument) =>
  a === b ||
  (a.id === b.id &&
    a.name === b.name &&
    a.settings.over_18 === b.settings.over_18 &&
    a.settings.show_media === b.settings.show_media &&
    a.settings.suggested_comment_sort === b.settings.suggested_comment_sort)

const sharedMembers = (link: LinkDocument, subsite: SubsiteDocument, author: string, redacted: boolean, base: string): Fragment => {
  const known = shared.get(link)
  if (known && known.author === author && known.redacted === redacted && isSame(known.subsite, subsite)) return known.members
  const made = members(fragment(sharedFields(link, subsite, author, redacted, base)))
  shared.set(link, { subsite, author, redacted, members: made })
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

/** Whether a link's text is withheld from the reader, because it was removed. */
const isRedacted = (link: LinkDocument, { reader, moderates }: Around) =>
  link.removed !== null && link.author !== reader.account && !moderates(link.subsite)

/** A link as the reader sees it; undefined when its subsite is unknown. */
export const linkThing = (
  link: LinkDocument,
  around: Around,
  { withRatio = false, detail, edits = true, categories = false }: LinkOptions = {},
): Fragment | undefined => {
  const subsite = around.subsites.get(link.subsite)
  if (!subsite) return undefined
  const { reader, now, names } = around
  const author = link.deleted ? DELETED : names(link.author)
  const common = sharedMembers(link, subsite, author, isRedacted(link, around), around.base)
  const young = now - link.created < HIDE_SCORE && link.author !== reader.account && !around.moderates(link.subsite)
  const own =
    `${marks(link.id, around)},"hidden":${around.shelfOf(link.id)?.hidden ?? false},"visited":false,"hide_score":${young}` +
    `,"archived":${isArchived(link.created, now)},${edited(link, edits)},${moderation(link, around)}${categories ? category(link.id, around) : ''}`
  const ratio = withRatio ? `,"upvote_ratio":${floatText(link.ups / Math.max(1, link.ups + link.downs))}` : ''
  const subsiteDetail = detail === undefined ? undefined : fragment(detail)
  return new Fragment((encoding) => {
    const expanded = subsiteDetail ? `,"sr_detail":${subsiteDetail.text(encoding)}` : ''
    return `{"kind":"t5","data":{${common.text(encoding)},${own}${ratio}${expanded}}}`
  })
}
