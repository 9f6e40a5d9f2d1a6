import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { type EventOf, event, field, type OneOf } from './event.ts'
import { AccountId, firstPart, SubsiteId } from './ids.ts'

/** The fields of events on `wikirevision-<subsite>.<revision>`: a stream of its own, so that the page's stream does not grow. */
const revision = {
  subsite: field(SubsiteId, 'The subsite.', 'public'),
  page: field(t.string, 'The page, in lower case, `_` for spaces.', 'public'),
  revision: field(t.string, 'The revision: the id of its event.', 'public'),
}

export const WikiRevisionHidden = event(
  'WikiRevisionHidden',
  'A moderator hid a revision of a page from everybody but moderators of the wiki.',
  revision,
  { by: 'public' },
)
export const WikiRevisionUnhidden = event('WikiRevisionUnhidden', 'A moderator showed a hidden revision of a page again.', revision, {
  by: 'public',
})
export const WikiRevisionErased = event(
  'WikiRevisionErased',
  'An admin erased a revision of a page: its text is unreadable for good, here too.',
  {
    ...revision,
    author: field(AccountId, 'Who wrote the revision.', 'public'),
    hidden: field(t.boolean, 'Whether it was hidden.', 'subsite'),
    reason: field(t.string, 'Why; not sealed, since it is public for good.', 'public'),
  },
  { by: 'public' },
)
export const wikiRevisionEvents = [WikiRevisionHidden, WikiRevisionUnhidden, WikiRevisionErased] as const
export type WikiRevisionEvent = OneOf<typeof wikiRevisionEvents>

export type WikiRevision = { readonly hidden: boolean; readonly erased: boolean }

export const WikiRevision: Aggregate<WikiRevision, WikiRevisionEvent> = {
  category: 'wikirevision',
  subsiteOf: firstPart,
  decidedByLast: true,
  on: {
    WikiRevisionHidden: () => ({ hidden: true, erased: false }),
    WikiRevisionUnhidden: () => ({ hidden: false, erased: false }),
    WikiRevisionErased: (_, { hidden }) => ({ hidden, erased: true }),
  },
}

type RevisionData = EventOf<typeof WikiRevisionHidden>['data']

export const wikiRevisionId = ({ subsite, revision }: Pick<RevisionData, 'subsite' | 'revision'>): string => `${subsite}.${revision}`

/** Hides the revision, or shows it again if it is hidden. */
export const toggleWikiRevision =
  (named: RevisionData): Decide<WikiRevision, WikiRevisionEvent> =>
  (state) => {
    if (state?.erased) return refuse('THING_ERASED', 'revision')
    return decideEvents<WikiRevisionEvent>(state?.hidden ? WikiRevisionUnhidden(named) : WikiRevisionHidden(named))
  }

/** Erases the text of a revision. `author` is that of the revision. */
export const eraseWikiRevision =
  (named: RevisionData, author: AccountId, reason: string): Decide<WikiRevision, WikiRevisionEvent> =>
  (state) =>
    state?.erased ? noEvents : decideEvents(WikiRevisionErased({ ...named, author, hidden: state?.hidden ?? false, reason }))
