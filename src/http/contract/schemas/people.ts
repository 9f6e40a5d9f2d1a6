import { type Preference, preferenceTable } from '../../../domain/preferences.ts'
import { commentName, dated, messageName, subsiteName, username } from './names.ts'
import {
  among,
  component,
  constant,
  either,
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
  someOf,
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

const ending = integer(1_795_000_000, 'Seconds since 1970 (UTC), an integer.')

const own: Fields = {
  ...open,
  suspension_expiration_utc: orNull(ending),
  over_18: flag,
  gold_csites: integer(0),
  gold_expiration: orNull(ending),
  inbox_count: integer(1),
  mod_queue_count: integer(0, 'Things that wait for a decision where the account moderates with `posts`; at most 1,000.'),
  has_mail: optional(flag),
  has_mod_mail: optional(flag),
  is_employee: flag,
  in_beta: flag,
  features: record({}),
}

export const ownAccountShape = component('OwnAccount', () => record(own))
/** The viewer's own account in a response that shows others, too: with what only the viewer sees. */
export const sessionAccountShape = component('SessionAccount', () =>
  record({ ...own, is_friend: flag, modhash: optional(orNull(text(''))) }),
)
export const accountShape = component('Account', () => record({ ...open, is_friend: flag }))

export const karmaListShape = component('KarmaList', () =>
  record({
    kind: constant('KarmaList'),
    data: listOf(record({ sr: subsiteName, link_karma: integer(7), comment_karma: integer(3) })),
  }),
)

/** Its kind is that of awards. */
const trophyShape = component('Trophy', () =>
  record({
    award_id: id,
    name: text('Gold'),
    description: orNull(text('')),
    icon_40: text('https://rostra.example/awards/gold-40.png'),
    icon_70: text('https://rostra.example/awards/gold-70.png'),
    id: orNull(id),
    url: orNull(text('')),
  }),
)
export const trophyListShape = component('TrophyList', () =>
  record({ kind: constant('TrophyList'), data: record({ trophies: listOf(thingShape('t3', trophyShape)) }) }),
)

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
/** A permanently suspended account, as others see it. */
export const suspendedAccountShape = component('SuspendedAccount', () => record({ name: username, is_suspended: constant(true) }))

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
  is_collapsed: flag,
  first_message: orNull(integer(12345)),
  first_message_name: orNull(text('t6_4f')),
  parent_id: orNull(text('t6_4f')),
  distinguished: orNull(among('moderator', 'admin', 'special', 'gold-auto')),
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
