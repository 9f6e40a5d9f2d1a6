import * as t from 'io-ts'
import { type Aggregate, type Decide, record } from './decision.ts'
import { type EventOf, event, type OneOf } from './event.ts'
import { firstPart, SubsiteId } from './ids.ts'

/** On `wikirevision-<subsite>.<revision>`: whether only moderators of the wiki see a revision. A stream of its own, so that a page's does not grow by it. */
const revision = { subsite: SubsiteId, page: t.string, revision: t.string }

export const WikiRevisionHidden = event('WikiRevisionHidden', revision)
export const WikiRevisionUnhidden = event('WikiRevisionUnhidden', revision)
export const wikiRevisionEvents = [WikiRevisionHidden, WikiRevisionUnhidden] as const
export type WikiRevisionEvent = OneOf<typeof wikiRevisionEvents>

export type WikiRevision = { readonly hidden: boolean }

export const WikiRevision: Aggregate<WikiRevision, WikiRevisionEvent> = {
  category: 'wikirevision',
  subsiteOf: firstPart,
  decidedByLast: true,
  on: { WikiRevisionHidden: () => ({ hidden: true }), WikiRevisionUnhidden: () => ({ hidden: false }) },
}

type Named = EventOf<typeof WikiRevisionHidden>['data']

export const wikiRevisionId = ({ subsite, revision }: Pick<Named, 'subsite' | 'revision'>): string => `${subsite}.${revision}`

/** Hides the revision, or shows it again if it is hidden. */
export const toggleWikiRevision =
  (named: Named): Decide<WikiRevision, WikiRevisionEvent> =>
  (state) =>
    record<WikiRevisionEvent>(state?.hidden ? WikiRevisionUnhidden(named) : WikiRevisionHidden(named))
