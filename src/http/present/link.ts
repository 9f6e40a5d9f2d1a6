import type { LinkDocument } from '../../../projections/links.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import type { Flair } from '../../domain/flair.ts'
import { id36 } from '../../domain/ids.ts'
import { HOUR } from '../../domain/time.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { ThingSurroundings } from '../../queries/surroundings.ts'
import { isRedacted, REMOVED_PLACEHOLDER } from '../../queries/visibility.ts'
import {
  authorFullname as authorFullnameShape,
  cast,
  linkId,
  linkNameShape,
  subsiteFullname,
  subsiteName,
  username,
} from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../contract/schemas/things.ts'
import type { Fragment } from '../wire/json-writing.ts'
import { renderMarked } from './markdown.ts'
import { linkPermalink } from './permalink.ts'
import { trimmedSubsiteShape } from './subsite.ts'
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
  toViewing,
  type ViewerExtras,
  type Viewing,
  viewerExtrasOf,
} from './thing.ts'
import { type Flags, recordFields, recordWriter } from './viewed-record.ts'

const HIDE_SCORE_MS = 2 * HOUR

/** A link as many viewers see it. */
export type SharedLink = {
  readonly thing: LinkDocument
  readonly subsite: SubsiteDocument
  readonly author: string
  /** True if the text is withheld. */
  readonly redacted: boolean
  readonly flair: Flair | undefined
  /** Base of absolute addresses. */
  readonly base: string
}

const thumbnailOf = ({ thing: { isSelf, over18 }, subsite: { settings } }: SharedLink): string => {
  if (!settings.show_media) return ''
  if (isSelf) return 'self'
  return over18 || settings.over_18 ? 'nsfw' : 'default'
}

/** Returns a number as JSON that stricter languages read as a float, too. */
const floatOf = (value: number): object => JSON.rawJSON(Number.isInteger(value) ? `${value}.0` : String(value))

const textOf = ({ thing, redacted }: SharedLink): string => {
  if (!thing.isSelf) return ''
  if (thing.deleted) return DELETED_PLACEHOLDER
  return redacted ? REMOVED_PLACEHOLDER : thing.text
}

const permalinkOf = ({ thing, subsite }: SharedLink): string => linkPermalink(subsite.name, thing.id, thing.title)

export const sharedFields = {
  id: [linkId, ({ thing }) => id36(thing.id)],
  name: [linkNameShape, ({ thing }) => thing.id],
  ...createdFields<SharedLink>(({ thing }) => thing.created),
  title: [shape.text('On water'), ({ thing }) => thing.title],
  author: [username, ({ author }) => author],
  author_fullname: [authorFullnameShape, ({ thing, author }) => authorFullname(thing.author, author)],
  ...authorFlairFields,
  subsite: [subsiteName, ({ subsite }) => subsite.name],
  subsite_id: [subsiteFullname, ({ subsite }) => subsite.id],
  subsite_type: [shape.text('public'), ({ subsite }) => subsite.settings.type],
  domain: [shape.text('self.tea'), ({ thing, subsite }) => (thing.isSelf ? `self.${subsite.name}` : thing.domain)],
  url: [shape.text(cast.service + cast.linkPath), (shown) => shown.thing.url ?? `${shown.base}${permalinkOf(shown)}`],
  permalink: [shape.text(cast.linkPath), permalinkOf],
  is_self: [shape.flag, ({ thing }) => thing.isSelf],
  is_video: [shape.constant(false), () => false],
  selftext: [shape.text('Soft or hard?'), textOf],
  selftext_html: [shape.orNull(shape.html('Soft or hard?')), (shown) => renderMarked(textOf(shown))],
  score: [shape.integer(5, 'Twice the insightful votes and the funny ones.'), ({ thing }) => Math.max(0, thing.score)],
  ups: [shape.integer(2, 'Insightful votes.'), ({ thing }) => thing.ups],
  downs: [shape.integer(1, 'Funny votes.'), ({ thing }) => thing.downs],
  upvote_ratio: [shape.decimal(0.5), ({ thing: { ups, downs } }) => floatOf(ups / Math.max(1, ups + downs))],
  num_comments: [shape.integer(3), ({ thing }) => Math.max(0, thing.comments)],
  over_18: [shape.flag, ({ thing, subsite }) => thing.over18 || subsite.settings.over_18],
  quarantine: [shape.flag, () => false],
  spoiler: [shape.flag, () => false],
  locked: [shape.flag, ({ thing }) => thing.locked],
  contest_mode: [shape.flag, ({ thing }) => thing.contestMode],
  stickied: [shape.flag, ({ thing }) => thing.slot !== null],
  pinned: [{ ...shape.constant(false), description: 'True of what a profile shows first, which is nothing.' }, () => false],
  suggested_sort: [
    shape.orNull(shape.text('top')),
    ({ thing, subsite }) => {
      const sort = thing.suggestedSort || subsite.settings.suggested_comment_sort
      return sort === '' || sort === 'blank' ? null : sort
    },
  ],
  link_flair_text: [shape.orNull(shape.text('question')), ({ thing }) => thing.flairText || null],
  link_flair_css_class: [shape.orNull(shape.text('question')), ({ thing }) => thing.flairCss || null],
  link_flair_template_id: [shape.orNull(shape.text(cast.template)), ({ thing }) => thing.flairTemplate ?? null],
  distinguished: [shape.orNull(shape.choice('moderator', 'admin', 'special')), ({ thing }) => (thing.deleted ? null : thing.distinguished)],
  gilded: [shape.integer(0), ({ thing }) => thing.gilded],
  clicked: [shape.flag, () => false],
  thumbnail: [shape.text('self'), thumbnailOf],
  media: [shape.nullSchema, () => null],
  secure_media: [shape.nullSchema, () => null],
  media_embed: [shape.recordSchema({}), () => ({})],
  secure_media_embed: [shape.recordSchema({}), () => ({})],
  removal_reason: [shape.orNull(shape.text('')), () => null],
} satisfies shape.RecordTable<SharedLink>

const flags: Flags<Viewing<LinkDocument>> = {
  ...marks,
  hidden: [shape.flag, ({ shelf }) => shelf?.hidden ?? false],
  visited: [shape.flag, ({ thing, around }) => around.visited.has(thing.id)],
  hide_score: [
    shape.flag,
    ({ thing, around: { now, viewer, moderates } }) =>
      now - thing.created < HIDE_SCORE_MS && thing.author !== viewer.account && !moderates(thing.subsite),
  ],
  ...archived,
}

type ToldOfLink = ViewerExtras & { readonly detail: object | undefined }

const ownFields: shape.RecordTable<SharedLink & ToldOfLink> = {
  ...restrictedFields,
  sr_detail: [shape.optional(trimmedSubsiteShape), ({ detail }) => detail],
}

const tables = { shared: sharedFields, viewed: [{ flags }, { own: ownFields }] }

export const linkThingShape = thingShape(
  't5',
  shape.component('Link', () => shape.recordSchema(recordFields(tables))),
)
export const linkListingShape = shape.component('LinkListing', () => listingShape(linkThingShape))

const write = recordWriter<SharedLink, Viewing<LinkDocument>, ToldOfLink>({
  ...tables,
  start: '{"kind":"t5","data":{',
  end: '}}',
  isSame: (a, b) => a.redacted === b.redacted && hasSameSurroundings(a, b),
  usual: { ...noExtras, detail: undefined },
})

export type LinkOptions = ThingOptions & {
  /** The trimmed record of its subsite. */
  readonly detail?: object
}

/** Returns a link as the viewer sees it; undefined when its subsite is unknown. */
export const linkThing = (thing: LinkDocument, around: ThingSurroundings, options: LinkOptions = {}): Fragment | undefined => {
  const subsite = around.subsites.get(thing.subsite)
  if (!subsite) return undefined
  const author = thing.deleted ? DELETED_PLACEHOLDER : around.names(thing.author)
  const viewing = toViewing(thing, around)
  const { detail } = options
  const extras = viewerExtrasOf(viewing, options)
  return write(
    { thing, subsite, author, redacted: isRedacted(thing, around), flair: authorFlair(thing, author, around), base: around.base },
    viewing,
    extras || detail ? { ...noExtras, ...extras, detail } : undefined,
  )
}
