import { commentName, dated, linkNameShape, subsiteFullname, subsiteName, username } from './names.ts'
import {
  among,
  component,
  constant,
  decimal,
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
import { trimmedSubsiteShape } from './subsites.ts'

/*
 * What the presenters make, as schemas. Tests check every response against them.
 */

/** What the viewer did to a thing. */
const marks: Fields = {
  likes: { anyOf: [constant(true), nothing], description: 'True: the viewer finds it insightful.' },
  dislikes: { anyOf: [constant(true), nothing], description: 'True: the viewer finds it funny.' },
  saved: flag,
  muted: flag,
}

const edited = { anyOf: [constant(false), epoch], description: 'The time of the last edit, or false.' }

/** Who removed and who approved a thing; null and empty for everybody but moderators. */
const moderation: Fields = {
  num_reports: orNull(integer(0)),
  report_reasons: orNull({ ...listOf(nothing), maxItems: 0, examples: [[]] }),
  user_reports: {
    ...listOf(pair(orNull(text('off topic')), integer(2))),
    description: 'Each reason and its count, the most frequent first.',
  },
  mod_reports: {
    ...listOf(pair(orNull(text('off topic')), username)),
    description: 'The reason and the name of each moderator who reported it.',
  },
  approved_by: orNull(username),
  banned_by: { anyOf: [nothing, flag, username], description: 'Name of the moderator; true for a filter or an admin.' },
}

const flair: Fields = { author_flair_text: orNull(text('brewer')), author_flair_css_class: orNull(text('brewer')) }

const linkShape = component('Link', () =>
  record({
    id,
    name: linkNameShape,
    ...dated,
    title: text('On water'),
    author: username,
    ...flair,
    subsite: subsiteName,
    subsite_id: subsiteFullname,
    domain: text('self.tea'),
    url: text('https://rostra.example/s/tea/comments/9k/on_water/'),
    permalink: text('/s/tea/comments/9k/on_water/'),
    is_self: flag,
    selftext: text('Soft or hard?'),
    selftext_html: orNull(html),
    score: integer(5, 'Twice the insightful votes and the funny ones.'),
    ups: integer(2, 'Insightful votes.'),
    downs: integer(1, 'Funny votes.'),
    num_comments: integer(3),
    over_18: flag,
    quarantine: flag,
    locked: flag,
    contest_mode: flag,
    stickied: flag,
    suggested_sort: orNull(text('top')),
    link_flair_text: orNull(text('question')),
    link_flair_css_class: orNull(text('question')),
    distinguished: orNull(among('moderator', 'admin', 'special')),
    gilded: integer(0),
    clicked: flag,
    thumbnail: text('self'),
    media: nothing,
    secure_media: nothing,
    media_embed: record({}),
    secure_media_embed: record({}),
    removal_reason: orNull(text('')),
    ...marks,
    hidden: flag,
    visited: flag,
    hide_score: flag,
    archived: flag,
    edited,
    ...moderation,
    category: optional(orNull(text('to read'))),
    upvote_ratio: optional(decimal(0.5)),
    sr_detail: optional(trimmedSubsiteShape),
  }),
)

const commentShape: Part = component('Comment', () =>
  record({
    id,
    name: commentName,
    ...dated,
    author: username,
    ...flair,
    body: text('Soft.'),
    body_html: html,
    link_id: linkNameShape,
    parent_id: text('t5_9k', 'Fullname of the comment or link that it answers.'),
    subsite: subsiteName,
    subsite_id: subsiteFullname,
    controversiality: among(0, 1),
    stickied: flag,
    distinguished: orNull(among('moderator', 'admin', 'special')),
    gilded: integer(0),
    permalink: text('/s/tea/comments/9k/on_water/7b'),
    removal_reason: orNull(text('')),
    is_submitter: flag,
    score: integer(2),
    ups: integer(1),
    downs: integer(0),
    score_hidden: flag,
    ...marks,
    collapsed: flag,
    archived: flag,
    edited,
    ...moderation,
    category: optional(orNull(text('to read'))),
    depth: optional(integer(0)),
    link_title: optional(text('On water')),
    link_author: optional(username),
    link_url: optional(text('https://rostra.example/s/tea/comments/9k/on_water/')),
    over_18: optional(flag),
    quarantine: optional(flag),
    replies: {
      anyOf: [constant(''), commentListingShape],
      description: 'A listing of comments and stubs; the empty text where there are none.',
    },
  }),
)

/** Comments that a tree names without showing them. */
export const moreShape = component('More', () =>
  record({
    id: text('7b', 'Of the first of them; `_` where a thread goes on at its parent.'),
    name: text('t1_7b'),
    parent_id: text('t5_9k'),
    count: integer(2, 'How many are below, at all depths; 0 where a thread goes on at its parent.'),
    children: listOf(id),
    depth: integer(0),
  }),
)

export const thingShape = (kind: string, data: Part) => record({ kind: constant(kind), data })

export const listingShape = (child: Part, extra: Fields = {}) =>
  record({
    kind: constant('Listing'),
    data: record({
      modhash: { anyOf: [text(''), nothing], description: 'Of the session; null with a token.' },
      children: listOf(child),
      after: { anyOf: [nothing, text('t5_9k')], description: 'Anchor of the next page.' },
      before: { anyOf: [nothing, text('t5_9k')], description: 'Anchor of the previous page.' },
      ...extra,
    }),
  })

export const linkThingShape = thingShape('t5', linkShape)
export const commentThingShape = thingShape('t1', commentShape)
export const commentListingShape = component('CommentListing', () => listingShape(either(commentThingShape, thingShape('more', moreShape))))
export const linkListingShape = component('LinkListing', () => listingShape(linkThingShape))
export const thingListingShape = component('ThingListing', () => listingShape(either(linkThingShape, commentThingShape)))
