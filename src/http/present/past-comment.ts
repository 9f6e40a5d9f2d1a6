import type { CommentDocument } from '../../../projections/comments.ts'
import { ERASED_PLACEHOLDER } from '../../domain/event.ts'
import { DELETED_PLACEHOLDER } from '../../queries/accounts.ts'
import type { ThingSurroundings } from '../../queries/surroundings.ts'
import { type CommentVisibility, REMOVED_PLACEHOLDER, visibilityOf } from '../../queries/visibility.ts'
import * as shape from '../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../contract/schemas/things.ts'
import { type SharedComment, sharedFields } from './comment.ts'
import { bodyHtml } from './markdown.ts'
import { fieldsNamed } from './past-link.ts'
import { edited, moderation, notKnownInPast, type ViewerExtras } from './thing.ts'

type View = SharedComment &
  Pick<ViewerExtras, 'moderator' | 'edits'> & {
    /** Null of a text that was replaced since. */
    readonly body: string | null
  }

const asOfThen = fieldsNamed<SharedComment>()(sharedFields)

const fields: shape.RecordTable<View> = {
  ...asOfThen('id', 'name', 'created', 'created_utc', 'author', 'author_fullname'),
  body: [
    { ...shape.orNull(shape.text('Soft.')), description: 'Null: the text that it had then was replaced since, and is shown to nobody.' },
    ({ body }) => body,
  ],
  body_html: [shape.orNull(shape.html('Soft.')), ({ body }) => body && bodyHtml(body)],
  ...asOfThen('link_id', 'parent_id', 'subsite', 'subsite_id', 'permalink', 'distinguished'),
  score: notKnownInPast,
  ups: notKnownInPast,
  downs: notKnownInPast,
  ...edited,
  approved_by: moderation.approved_by,
  banned_by: moderation.banned_by,
}

export const pastCommentListingShape = shape.component('PastCommentListing', () =>
  listingShape(thingShape('t1', shape.tableShape('PastComment', fields))),
)

/** The body that a comment had, as far as it is shown today: what was replaced since is shown to nobody. */
const bodyOf = (then: CommentDocument, now: CommentDocument, face: CommentVisibility): string | null => {
  if (face !== 'whole') return face === 'removed' ? REMOVED_PLACEHOLDER : DELETED_PLACEHOLDER
  return then.edited === now.edited || now.body === ERASED_PLACEHOLDER ? now.body : null
}

/** A comment as it was, with what is deleted, erased or withheld today left out; undefined where its link or subsite is unknown. */
export const pastCommentThing = (then: CommentDocument, now: CommentDocument, around: ThingSurroundings) => {
  const [subsite, link] = [around.subsites.get(now.subsite), around.links.get(now.link)]
  if (!subsite || !link) return undefined
  const today = visibilityOf(now, around)
  const face = today === 'whole' ? visibilityOf(then, around) : today
  const view: View = {
    thing: then,
    subsite,
    title: link.title,
    author: face === 'whole' ? around.names(now.author) : DELETED_PLACEHOLDER,
    face,
    flair: undefined,
    moderator: around.moderates(now.subsite) ? around : undefined,
    edits: true,
    body: bodyOf(then, now, face),
  }
  return { kind: 't1', data: shape.valuesOf(fields, view) }
}
