import * as t from 'io-ts'
import { type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, readBy } from './event.ts'
import { AccountId, LinkId, SubsiteId } from './ids.ts'
import { actOnThing, byAuthor } from './moderated-thing.ts'
import { oneOf } from './one-of.ts'
import { commentSorts } from './subsite-settings.ts'
import type { Target } from './target.ts'

/** The fields of events in which an author changes their own link. */
export const ownLink = {
  link: field(LinkId, 'The link.', 'public'),
  subsite: field(SubsiteId, 'The subsite that it is in.', 'public'),
  author: field(AccountId, 'Who posted it.', 'public', { party: true }),
}

export const LinkMarkedNsfw = event('LinkMarkedNsfw', 'The author of a link, or a moderator, marked it as nsfw.', actOnThing, {
  by: 'public',
})
export const LinkUnmarkedNsfw = event('LinkUnmarkedNsfw', 'The author of a link, or a moderator, took away its mark as nsfw.', actOnThing, {
  by: 'public',
})
export const LinkContestModeSet = event(
  'LinkContestModeSet',
  'A moderator put a link into contest mode: its comments are shown in a random order, and their scores only to moderators.',
  actOnThing,
  { by: 'public' },
)
export const LinkContestModeUnset = event('LinkContestModeUnset', 'A moderator ended the contest mode of a link.', actOnThing, {
  by: 'public',
})

export const suggestions = [...commentSorts, 'blank', ''] as const
const Suggestion = oneOf(suggestions)
/**
 * The order in which comments are shown to viewers who ask for none. `blank` means none, whatever the subsite suggests; empty means that of
 * the subsite.
 */
export type Suggestion = t.TypeOf<typeof Suggestion>
export const LinkSortSuggested = event(
  'LinkSortSuggested',
  'A moderator changed the order in which the comments on a link are shown to viewers who ask for none.',
  {
    ...actOnThing,
    before: field(Suggestion, 'The order before; `blank`: none, whatever the subsite suggests; empty: that of the subsite.', 'public'),
    after: field(Suggestion, 'The order now, with the same values.', 'public'),
  },
  { by: 'public' },
)
export const LinkRepliesSet = event(
  'LinkRepliesSet',
  'The author of a link chose whether comments on it enter their inbox from now on.',
  readBy('party', { ...ownLink, after: field(t.boolean, 'Whether they do.', 'party') }),
  { by: 'party' },
)

export const linkOptionEvents = [
  LinkMarkedNsfw,
  LinkUnmarkedNsfw,
  LinkContestModeSet,
  LinkContestModeUnset,
  LinkSortSuggested,
  LinkRepliesSet,
] as const
export type LinkOptionEvent = OneOf<typeof linkOptionEvents>

/** The options that authors and moderators switch on a link. */
export type LinkOptions = {
  /** The link's own mark. In an over-18 subsite every link counts as one. */
  readonly over18: boolean
  readonly contestMode: boolean
  readonly suggestedSort: Suggestion
  readonly sendReplies: boolean
}

type LinkWithOptions = LinkOptions & { readonly id: LinkId; readonly subsite: SubsiteId; readonly author: AccountId }

/** Returns the commands that set the options. Setting the current value changes nothing. */
export const linkOptions = <State extends LinkWithOptions>(targetOf: (state: State) => Target) => {
  const decideOption =
    (isSo: (state: State) => boolean, change: (state: State) => LinkOptionEvent): Decide<State, LinkOptionEvent> =>
    (state) => {
      if (!state) return refuse('FORBIDDEN')
      return isSo(state) ? noEvents : decideEvents(change(state))
    }
  const actOn = (state: State) => ({ subsite: state.subsite, target: targetOf(state) })
  return {
    markNsfw: (over18: boolean) =>
      decideOption(
        (link) => link.over18 === over18,
        (link) => (over18 ? LinkMarkedNsfw : LinkUnmarkedNsfw)(actOn(link)),
      ),
    setContestMode: (on: boolean) =>
      decideOption(
        (link) => link.contestMode === on,
        (link) => (on ? LinkContestModeSet : LinkContestModeUnset)(actOn(link)),
      ),
    suggestSort: (sort: Suggestion) =>
      decideOption(
        (link) => link.suggestedSort === sort,
        (link) => LinkSortSuggested({ ...actOn(link), before: link.suggestedSort, after: sort }),
      ),
    setLinkReplies: (account: AccountId, on: boolean): Decide<State, LinkOptionEvent> =>
      byAuthor(
        account,
        ({ sendReplies }) => sendReplies === on,
        ({ id, subsite, author }) => LinkRepliesSet({ link: id, subsite, author, after: on }),
      ),
  }
}
