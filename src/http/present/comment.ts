import type { CommentDocument } from '../../../projections/comments.ts'
import type { LinkDocument } from '../../../projections/links.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { isArchived } from '../../domain/archiving.ts'
import { id36 } from '../../domain/ids.ts'
import type { Around } from '../../queries/reading.ts'
import { Fragment, fragment } from '../json.ts'
import { epoch } from './epoch.ts'
import { bodyHtml } from './markdown.ts'
import { commentPermalink, linkPermalink } from './permalink.ts'
import { category, DELETED, edited, marks, members, moderation, REMOVED } from './thing.ts'

const MINUTE = 60 * 1000

/** Shown whole, or as the place where a comment was. */
type Face = 'whole' | 'deleted' | 'removed'

type Shared = { readonly subsite: string; readonly author: string; readonly face: Face; readonly members: Fragment }

const isControversial = ({ ups, downs }: CommentDocument) => ups + downs >= 7 && ups >= 0.4 * (ups + downs) && ups <= 0.6 * (ups + downs)

const sharedFields = (comment: CommentDocument, link: LinkDocument, subsite: string, author: string, face: Face) => {
  const body = face === 'whole' ? comment.body : face === 'removed' ? REMOVED : DELETED
  return {
    id: id36(comment.id),
    name: comment.id,
    created: epoch(comment.created),
    created_utc: epoch(comment.created),
    author,
    author_flair_text: null,
    author_flair_css_class: null,
    body,
    body_html: bodyHtml(body),
    link_id: comment.link,
    parent_id: comment.parent ?? comment.link,
    subsite,
    subsite_id: comment.subsite,
    controversiality: Number(isControversial(comment)),
    stickied: false,
    distinguished: face === 'whole' ? comment.distinguished : null,
    gilded: 0,
    permalink: commentPermalink(subsite, link.id, link.title, comment.id),
    removal_reason: null,
  }
}

// one document at one version is one object, so what it looks like is remembered with it
const shared = new WeakMap<CommentDocument, Shared>()

const sharedMembers = (comment: CommentDocument, link: LinkDocument, subsite: string, author: string, face: Face): Fragment => {
  const known = shared.get(comment)
  if (known && known.subsite === subsite && known.author === author && known.face === face) return known.members
  const made = members(fragment(sharedFields(comment, link, subsite, author, face)))
  shared.set(comment, { subsite, author, face, members: made })
  return made
}

/** Removed things are shown to their author, to moderators there and to admins; deleted ones to nobody. */
const faceOf = (
  { removed, deleted, author, subsite }: CommentDocument,
  { reader, moderates }: Pick<Around, 'reader' | 'moderates'>,
): Face => {
  if (removed !== null && author !== reader.account && !moderates(subsite)) return 'removed'
  return deleted ? 'deleted' : 'whole'
}

/** Of a young comment, where the subsite hides scores at first: its author and the moderators see them. */
const hidesScore = ({ created, author, subsite }: CommentDocument, { settings }: SubsiteDocument, { reader, now, moderates }: Around) =>
  settings.comment_score_hide_mins > 0 &&
  now - created < settings.comment_score_hide_mins * MINUTE &&
  author !== reader.account &&
  !moderates(subsite)

const scores = ({ score, ups, downs }: CommentDocument, hidden: boolean) =>
  hidden ? '"score":1,"ups":1,"downs":0,"score_hidden":true' : `"score":${score},"ups":${ups},"downs":${downs},"score_hidden":false`

/** What comments carry in lists outside their thread. */
const threadFields = (link: LinkDocument, subsite: SubsiteDocument, { names, base }: Around): Fragment =>
  members(
    fragment({
      link_title: link.title,
      link_author: link.deleted ? DELETED : names(link.author),
      link_url: link.url ?? `${base}${linkPermalink(subsite.name, link.id, link.title)}`,
      over_18: link.over18 || subsite.settings.over_18,
      quarantine: false,
    }),
  )

export type CommentOptions = {
  /** The listing of what stands below it in its thread; absent: the empty text. */
  readonly replies?: Fragment
  readonly depth?: number
  /** In a list outside its thread. */
  readonly flat?: boolean
  /** With `false`, edits are not shown. */
  readonly edits?: boolean
  /** With the category it was saved under. */
  readonly categories?: boolean
}

/** A comment as the reader sees it; undefined when its link or subsite is unknown. */
export const commentThing = (comment: CommentDocument, around: Around, options: CommentOptions = {}): Fragment | undefined => {
  const subsite = around.subsites.get(comment.subsite)
  const link = around.links.get(comment.link)
  if (!subsite || !link) return undefined
  const { replies, depth, flat = false, edits = true, categories = false } = options
  const face = faceOf(comment, around)
  const common = sharedMembers(comment, link, subsite.name, face === 'whole' ? around.names(comment.author) : DELETED, face)
  // a link that its author deleted has no name to it, so nothing here may give one
  const isSubmitter = face === 'whole' && !link.deleted && comment.author === link.author
  const own =
    `"is_submitter":${isSubmitter},${scores(comment, hidesScore(comment, subsite, around))},${marks(comment.id, around)}` +
    `,"archived":${isArchived(comment.created, around.now)},${edited(comment, edits)},${moderation(comment, around)}${categories ? category(comment.id, around) : ''}` +
    (depth === undefined ? '' : `,"depth":${depth}`)
  const thread = flat ? threadFields(link, subsite, around) : undefined
  return new Fragment((encoding) => {
    const context = thread ? `,${thread.text(encoding)}` : ''
    return `{"kind":"t1","data":{${common.text(encoding)},${own}${context},"replies":${replies?.text(encoding) ?? '""'}}}`
  })
}
