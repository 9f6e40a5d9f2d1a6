import type { LinkDocument } from '../../../projections/links.ts'
import { ERASED_PLACEHOLDER } from '../../domain/event.ts'
import { id36 } from '../../domain/ids.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { Around } from '../../queries/around.ts'
import type { PastLink } from '../../queries/as-of.ts'
import { isRedacted, REMOVED_PLACEHOLDER } from '../../queries/faces.ts'
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
import { suggestedSort } from './link.ts'
import { markedHtml } from './markdown.ts'
import { linkPermalink } from './permalink.ts'
import { authorFullname, dated, editedShape, epoch, verdictNames } from './thing.ts'

type View = PastLink & {
  /** As it is today. */
  readonly now: LinkDocument
  /** Undefined of an address. */
  readonly text: string | null
  readonly author: string
  readonly around: Around
}

/** Of what other streams hold, such as votes. */
const notTold: shape.Row<View> = [shape.nothing, () => null]
const moderated = (name: keyof ReturnType<typeof verdictNames>, schema: shape.Part): shape.Row<View> => [
  shape.orNull(schema),
  ({ link, around }) => (around.moderates(link.subsite) ? verdictNames(link, around)[name] : null),
]

const fields: shape.Table<View> = {
  id: [linkId, ({ link }) => id36(link.id)],
  name: [linkNameShape, ({ link }) => link.id],
  ...dated(({ link }) => link.created),
  title: [shape.text('On water'), ({ now }) => now.title],
  author: [username, ({ author }) => author],
  author_fullname: [authorFullnameShape, ({ link, author }) => authorFullname(link.author, author)],
  subsite: [subsiteName, ({ subsite }) => subsite.name],
  subsite_id: [subsiteFullname, ({ subsite }) => subsite.id],
  domain: [shape.text('self.tea'), ({ now, subsite }) => (now.isSelf ? `self.${subsite.name}` : now.domain)],
  url: [
    shape.text(cast.service + cast.linkPath),
    ({ now, subsite, around }) => now.url ?? `${around.base}${linkPermalink(subsite.name, now.id, now.title)}`,
  ],
  permalink: [shape.text(cast.linkPath), ({ now, subsite }) => linkPermalink(subsite.name, now.id, now.title)],
  is_self: [shape.flag, ({ link }) => link.isSelf],
  selftext: [
    {
      ...shape.orNull(shape.text('Soft or hard?')),
      description: 'Null: the text that it had then was replaced since, and is shown to nobody.',
    },
    ({ text }) => text,
  ],
  selftext_html: [shape.orNull(shape.html('Soft or hard?')), ({ text }) => text && markedHtml(text)],
  score: notTold,
  ups: notTold,
  downs: notTold,
  num_comments: notTold,
  over_18: [shape.flag, ({ link, subsite }) => link.over18 || subsite.settings.over_18],
  locked: [shape.flag, ({ link }) => link.locked],
  contest_mode: [shape.flag, ({ link }) => link.contestMode],
  stickied: [shape.flag, ({ isStickied }) => isStickied],
  suggested_sort: [shape.orNull(shape.text('top')), ({ link, subsite }) => suggestedSort(link, subsite)],
  distinguished: [shape.orNull(shape.among('moderator', 'admin', 'special')), ({ link, now }) => (now.deleted ? null : link.distinguished)],
  edited: [editedShape, ({ link }) => (link.edited === null ? false : epoch(link.edited))],
  approved_by: moderated('approved_by', username),
  banned_by: moderated('banned_by', shape.either(shape.flag, username)),
}

export const pastLinkListingShape = shape.component('PastLinkListing', () =>
  listingShape(thingShape('t5', shape.tableShape('PastLink', fields))),
)

/** The text that a link had, as far as it is shown today: what was replaced since is shown to nobody, and neither is what was removed then or is today. */
const textOf = (link: LinkDocument, now: LinkDocument, around: Around): string | null => {
  if (!now.isSelf) return ''
  if (now.deleted) return DELETED_PLACEHOLDER
  if (isRedacted(link, around) || isRedacted(now, around)) return REMOVED_PLACEHOLDER
  return link.edited === now.edited || now.text === ERASED_PLACEHOLDER ? now.text : null
}

/** A link as it was, with what is deleted, erased or withheld today left out. */
export const pastLinkThing = (then: PastLink, now: LinkDocument, around: Around) => {
  const author = now.deleted ? DELETED_PLACEHOLDER : around.names(now.author)
  return { kind: 't5', data: shape.valuesOf(fields, { ...then, now, author, around, text: textOf(then.link, now, around) }) }
}
