import { type Preference, preferenceTable } from '../../../domain/preferences.ts'
import { authorFullname, cast, commentId, commentName, dated, idIn, messageId, messageName, subsiteName, username } from './names.ts'
import {
  among,
  component,
  constant,
  either,
  type Fields,
  flag,
  html,
  integer,
  listOf,
  nothing,
  optional,
  orNull,
  type Part,
  record,
  someOf,
  text,
  tuple,
} from './schema.ts'
import { eitherThing, listingShape, thingShape } from './things.ts'

const preferenceShape = (preference: Preference): Part => {
  switch (preference.kind) {
    case 'flag':
      return preference.initial === null ? orNull(flag) : flag
    case 'integer':
      return { ...integer(preference.initial), minimum: preference.min, maximum: preference.max }
    case 'choice':
      return among(...preference.values)
    case 'language':
      return text(preference.initial)
    case 'subsite':
      return orNull(subsiteName)
    case 'unused':
      return nothing
  }
}
const preferences: Readonly<Record<string, Part>> = Object.fromEntries(
  Object.entries(preferenceTable).map(([name, preference]) => [name, preferenceShape(preference)]),
)
export const preferencesShape = component('Preferences', () => record(preferences))
/** Those that were asked for. */
export const somePreferencesShape = component('SomePreferences', () => someOf(preferences))
const message: Fields = {
  id: messageId,
  ...dated,
  author: orNull(username),
  author_fullname: authorFullname,
  dest: text('bob', 'The recipient; `#name` for the moderators of a subsite.'),
  subject: text('On water'),
  body: text('Soft.'),
  body_html: html('Soft.'),
  subsite: orNull(subsiteName),
  new: flag,
  is_collapsed: flag,
  first_message: orNull(integer(Number.parseInt(idIn(cast.conversation), 36))),
  first_message_name: orNull(text(cast.conversation)),
  parent_id: orNull(text(cast.conversation)),
  distinguished: orNull(among('moderator', 'admin', 'special', 'gold-auto')),
}

const privateMessageShape: Part = component('Message', () =>
  record({
    ...message,
    name: messageName,
    type: constant('unknown'),
    was_comment: constant(false),
    context: constant(''),
    replies: either(messageListingShape, constant('')),
    num_reports: optional(integer(0)),
    user_reports: optional(listOf(tuple(orNull(text('off topic')), integer(2)))),
  }),
)

const commentNoticeShape = component('CommentNotice', () =>
  record({
    ...message,
    id: commentId,
    name: commentName,
    parent_id: orNull(text(cast.link)),
    type: among('comment_reply', 'post_reply', 'username_mention'),
    was_comment: constant(true),
    context: text(`${cast.commentPath}/?context=3`),
    replies: constant(''),
    likes: { anyOf: [constant(true), nothing] },
    dislikes: { anyOf: [constant(true), nothing] },
    link_title: text('On water'),
  }),
)

export const messageThingShape = thingShape('t6', privateMessageShape)
export const messageListingShape = component('MessageListing', () => listingShape(messageThingShape))
export const inboxListingShape = component('InboxListing', () =>
  listingShape(eitherThing(messageThingShape, thingShape('t1', commentNoticeShape))),
)
