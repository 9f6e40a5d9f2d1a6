import type { LinkDocument } from '../../../projections/links.ts'
import { ERASED_PLACEHOLDER } from '../../domain/event.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { PastLink } from '../../queries/as-of.ts'
import type { ThingSurroundings } from '../../queries/surroundings.ts'
import { isRedacted, REMOVED_PLACEHOLDER } from '../../queries/visibility.ts'
import * as shape from '../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../contract/schemas/things.ts'
import { type SharedLink, sharedFields } from './link.ts'
import { renderMarked } from './markdown.ts'
import { edited, moderation, notKnownInPast, type ViewerExtras } from './thing.ts'

type View = SharedLink &
  Pick<ViewerExtras, 'moderator' | 'edits'> & {
    /** Null of a text that was replaced since. */
    readonly text: string | null
  }

/** Picks the fields of a table that are made of a thing's own stream and of its subsite's. */
export const fieldsNamed =
  <Shown>() =>
  <Name extends string>(table: Readonly<Record<Name, shape.RecordField<Shown>>>) =>
  (...names: readonly Name[]): shape.RecordTable<Shown> =>
    Object.fromEntries(names.map((name) => [name, table[name]]))

const asOfThen = fieldsNamed<SharedLink>()(sharedFields)

const fields: shape.RecordTable<View> = {
  ...asOfThen('id', 'name', 'created', 'created_utc', 'title', 'author', 'author_fullname'),
  ...asOfThen('subsite', 'subsite_id', 'domain', 'url', 'permalink', 'is_self'),
  selftext: [
    {
      ...shape.orNull(shape.text('Soft or hard?')),
      description: 'Null: the text that it had then was replaced since, and is shown to nobody.',
    },
    ({ text }) => text,
  ],
  selftext_html: [shape.orNull(shape.html('Soft or hard?')), ({ text }) => text && renderMarked(text)],
  score: notKnownInPast,
  ups: notKnownInPast,
  downs: notKnownInPast,
  num_comments: notKnownInPast,
  ...asOfThen('over_18', 'locked', 'contest_mode', 'stickied', 'suggested_sort', 'distinguished'),
  ...edited,
  approved_by: moderation.approved_by,
  banned_by: moderation.banned_by,
}

export const pastLinkListingShape = shape.component('PastLinkListing', () =>
  listingShape(thingShape('t5', shape.tableShape('PastLink', fields))),
)

/** The text that a link had, as far as it is shown today: what was replaced since is shown to nobody, and neither is what was removed then or is today. */
const textOf = (link: LinkDocument, now: LinkDocument, around: ThingSurroundings): string | null => {
  if (!now.isSelf) return ''
  if (now.deleted) return DELETED_PLACEHOLDER
  if (isRedacted(link, around) || isRedacted(now, around)) return REMOVED_PLACEHOLDER
  return link.edited === now.edited || now.text === ERASED_PLACEHOLDER ? now.text : null
}

/** A link as it was, with what is deleted, erased or withheld today left out. */
export const pastLinkThing = ({ link, subsite, isStickied }: PastLink, now: LinkDocument, around: ThingSurroundings) => {
  const { title, url, domain, deleted } = now
  const view: View = {
    thing: { ...link, title, url, domain, deleted, slot: isStickied ? 0 : null },
    subsite,
    author: deleted ? DELETED_PLACEHOLDER : around.names(now.author),
    redacted: isRedacted(now, around),
    flair: undefined,
    base: around.base,
    moderator: around.moderates(link.subsite) ? around : undefined,
    edits: true,
    text: textOf(link, now, around),
  }
  return { kind: 't5', data: shape.valuesOf(fields, view) }
}
