import * as t from 'io-ts'
import { type Decide, decideEvents, noEvents } from './decision.ts'
import type { Distinction } from './distinction.ts'
import { type AnyEvent, field } from './event.ts'
import { type AccountId, SubsiteId } from './ids.ts'
import { Target } from './target.ts'

/** The fields of an act of moderation on a link or a comment. */
export const actOnThing = {
  subsite: field(SubsiteId, 'The subsite that it is in.', 'public'),
  target: field(Target, 'The link or comment, as it was then.', 'public'),
}

/** The fields of an erasure by an admin, which is for good. */
export const erasureOfThing = {
  ...actOnThing,
  target: field(Target, 'The link or comment, without its texts.', 'public'),
  reason: field(t.string, 'Why; not sealed, since it is public for good.', 'public'),
}

/** The fields of a decision to remove or approve. */
export const removedBefore = field(
  t.boolean,
  'Whether it was removed before: each removal and each approval is recorded, also a repeated one.',
  'public',
)
export const spamVerdict = field(t.boolean, 'Whether the moderator took it for spam.', 'public')

/** The reason why a link or comment is no longer stickied. */
export const unstickyReason = field(
  t.keyof({ asked: null, replaced: null, removed: null, deleted: null }),
  '`asked`: a moderator decided it, also by taking the mark of a comment away; `replaced`: another one took its place; `removed`: it was removed; `deleted`: its author deleted it, which is no act of moderation.',
  'public',
)

/** The part of the state that links and comments have in common. */
export type ModeratedThing = {
  readonly subsite: SubsiteId
  readonly author: AccountId
  readonly removed: boolean
  readonly deleted: boolean
  /** True if its texts are unreadable for good. */
  readonly erased: boolean
  readonly ignoresReports: boolean
  readonly distinguished: Distinction | null
  readonly sendReplies: boolean
}

/** Returns the moderation state of a new thing. */
export const initialModeration = (filtered: boolean) => ({
  removed: filtered,
  deleted: false,
  erased: false,
  ignoresReports: false,
  distinguished: null,
})

/** Restricts a change to the author. It changes nothing for other accounts, or if the value is already set. */
export const byAuthor =
  <State extends Pick<ModeratedThing, 'author'>, Event extends AnyEvent>(
    account: AccountId,
    isSo: (state: State) => boolean,
    act: (state: State) => Event,
  ): Decide<State, Event> =>
  (state) =>
    !state || state.author !== account || isSo(state) ? noEvents : decideEvents(act(state))
