import { commentName, dated, messageName, subsiteName, username } from './names.ts'
import {
  among,
  component,
  constant,
  either,
  epoch,
  type Fields,
  flag,
  html,
  id,
  integer,
  listOf,
  nothing,
  optional,
  orNull,
  type Part,
  pair,
  record,
  text,
} from './schema.ts'
import { listingShape, thingShape } from './things.ts'

const open: Fields = {
  id,
  name: username,
  ...dated,
  link_karma: integer(7),
  comment_karma: integer(3),
  is_gold: flag,
  is_mod: flag,
  has_verified_email: flag,
  hide_from_robots: flag,
  is_suspended: flag,
}

const own: Fields = {
  ...open,
  suspension_expiration_utc: orNull(epoch),
  over_18: flag,
  gold_csites: integer(0),
  gold_expiration: orNull(epoch),
  inbox_count: integer(1),
  mod_queue_count: integer(0, 'Things that wait for a decision where the account moderates with `posts`; at most 1,000.'),
  has_mail: optional(flag),
  has_mod_mail: optional(flag),
  is_employee: flag,
  in_beta: flag,
  features: record({}),
}

export const ownAccountShape = component('OwnAccount', () => record(own))
/** One's own account where others are shown, too: with what only oneself sees. */
export const sessionAccountShape = component('SessionAccount', () =>
  record({ ...own, is_friend: flag, modhash: optional(orNull(text(''))) }),
)
export const accountShape = component('Account', () => record({ ...open, is_friend: flag }))

const message: Fields = {
  id,
  ...dated,
  author: orNull(username),
  dest: text('bob', 'The recipient; `#name` for the moderators of a subsite.'),
  subject: text('On water'),
  body: text('Soft.'),
  body_html: html,
  subsite: orNull(subsiteName),
  new: flag,
  first_message: orNull(integer(12345)),
  first_message_name: orNull(text('t6_4f')),
  parent_id: orNull(text('t6_4f')),
  distinguished: orNull(among('moderator', 'admin', 'special')),
}

const privateMessageShape: Part = component('Message', () =>
  record({
    ...message,
    name: messageName,
    was_comment: constant(false),
    context: constant(''),
    replies: either(constant(''), messageListingShape),
    num_reports: optional(integer(0)),
    user_reports: optional(listOf(pair(orNull(text('off topic')), integer(2)))),
  }),
)

const commentNoticeShape = component('CommentNotice', () =>
  record({
    ...message,
    name: commentName,
    was_comment: constant(true),
    context: text('/s/tea/comments/9k/on_water/7b/?context=3'),
    replies: constant(''),
    likes: { anyOf: [constant(true), nothing] },
    dislikes: { anyOf: [constant(true), nothing] },
    link_title: text('On water'),
  }),
)

export const messageThingShape = thingShape('t6', privateMessageShape)
export const messageListingShape = component('MessageListing', () => listingShape(messageThingShape))
export const inboxListingShape = component('InboxListing', () =>
  listingShape(either(messageThingShape, thingShape('t1', commentNoticeShape))),
)
