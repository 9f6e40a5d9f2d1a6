import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { type EventOf, event, type OneOf } from './event.ts'
import { AccountId, firstPart, SubsiteId } from './ids.ts'

/** On `wikirevision-<subsite>.<revision>`: whether only moderators of the wiki see a revision, and whether it is erased. A stream of its own, so that a page's does not grow by it. */
const revision = { subsite: SubsiteId, page: t.string, revision: t.string }

export const WikiRevisionHidden = event('WikiRevisionHidden', revision)
export const WikiRevisionUnhidden = event('WikiRevisionUnhidden', revision)
/** By an admin, for good; nothing follows it. `hidden`: whether it was. The reason is public and not sealed. */
export const WikiRevisionErased = event('WikiRevisionErased', { ...revision, author: AccountId, hidden: t.boolean, reason: t.string })
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
    return record<WikiRevisionEvent>(state?.hidden ? WikiRevisionUnhidden(named) : WikiRevisionHidden(named))
  }

/** `author`: of the revision. */
export const eraseWikiRevision =
  (named: RevisionData, author: AccountId, reason: string): Decide<WikiRevision, WikiRevisionEvent> =>
  (state) =>
    state?.erased ? nothing : record(WikiRevisionErased({ ...named, author, hidden: state?.hidden ?? false, reason }))
