// Decision 111.

import type { Actor, AnyEvent } from './event.ts'
import type { EventNamed } from './events.ts'
import { isModEvent, type ModEvent } from './mod-actions.ts'
import { isSpecial } from './wiki-page-name.ts'

// The events that are entries of the moderation log are fixed for ever. Entries are numbered in a tree whose heads anybody may keep, so a
// later version may neither add nor drop the entry of an event that is already in a log. A new condition applies to a new schema only.

type Act<Data> = { readonly data: Data; readonly by: Actor }

/** Tells whether an author acts as a moderator; otherwise marking their own link makes no entry. */
const asModerator = ({ by: { as } }: { readonly by: Actor }): boolean => as === 'moderator' || as === 'admin'
/** Tells whether a moderator's mark was set or taken off; only that is an act of moderation. */
const isModerators = ({ data: { before, after } }: Act<Pick<EventNamed<'LinkDistinguished'>['data'], 'before' | 'after'>>): boolean =>
  after === 'moderator' || (before === 'moderator' && after === null)
/** Tells whether somebody else unstickied it; its author's deletion makes no entry. */
const isTakenDown = ({ data: { reason } }: Act<Pick<EventNamed<'LinkUnstickied'>['data'], 'reason'>>): boolean => reason !== 'deleted'

const conditions: { readonly [Name in ModEvent]?: (act: Act<EventNamed<Name>['data']>) => boolean } = {
  LinkMarkedNsfw: asModerator,
  LinkUnmarkedNsfw: asModerator,
  LinkDistinguished: isModerators,
  CommentDistinguished: isModerators,
  LinkUnstickied: isTakenDown,
  CommentUnstickied: isTakenDown,
  // an edit by an account that is not a moderator is an act of moderation only on the pages that configure the subsite
  WikiPageRevised: ({ by, data }) => by.as !== 'user' || isSpecial(data.page),
  ModeratorAdded: ({ data }) => !data.founder,
  UserFlairChanged: asModerator,
  LinkFlairChanged: asModerator,
  ContributorAdded: ({ data }) => !data.founder,
  ContributorRemoved: ({ data }) => !data.left,
}

/** Tells whether an event, opened or as it is stored, is an entry. */
export const isModLogEntry = ({ type, data, by }: AnyEvent & { readonly by: Actor }): boolean =>
  isModEvent(type) && ((conditions[type] as ((act: Act<object>) => boolean) | undefined)?.({ data, by }) ?? true)
