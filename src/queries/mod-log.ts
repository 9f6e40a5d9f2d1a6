import { type ModLogDocument, modLog } from '../../projections/mod-log.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { DocumentStore, Filter } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'
import { type From, merged, type Source, type Walked, walk } from './walk.ts'

export type ModLogFilter = {
  readonly subsites: readonly SubsiteId[]
  readonly action: string | undefined
  /** Undefined: whoever acted. */
  readonly mods: readonly AccountId[] | undefined
  /** Only what was done with an admin's authority. */
  readonly admins: boolean
}

/** An entry by its place in the log, which is what its listing is ordered by. */
type Place = { readonly id: string; readonly $position: Position }

const NEWEST_FIRST = ['-$position']

const placesOf = (documents: DocumentStore, where: Filter): Source<Place> => ({
  find: (page) => documents.select<Place>(modLog, { where, order: NEWEST_FIRST, page }, ['id', '$position']),
  keyOf: ({ $position }) => [$position],
})

const sourceOf = (documents: DocumentStore, { subsites, action, mods, admins }: ModLogFilter): Source<Place> => {
  const actors = mods ? mods.map((mod) => ({ mod })) : [{}]
  const where = { subsite: { in: subsites }, ...(admins && { isAdmin: true }), ...(action && { action }) }
  return merged(
    actors.map((actor) => placesOf(documents, { ...where, ...actor })),
    NEWEST_FIRST,
  )
}

/** A page of the moderation log of one or several subsites, newest first; nothing is ever repeated or missed. */
export const modLogPage = async (
  documents: DocumentStore,
  filter: ModLogFilter,
  limit: number,
  from: From,
): Promise<Walked<ModLogDocument>> => {
  if (filter.subsites.length === 0) return { items: [], after: undefined, before: undefined }
  const page = await walk(sourceOf(documents, filter), limit, from)
  const entries = await documents.getMany(
    modLog,
    page.items.map(({ id }) => id),
  )
  const entryOf = (place: Place | undefined): ModLogDocument | undefined => place && entries.get(place.id)
  return { items: page.items.flatMap((place) => entryOf(place) ?? []), after: entryOf(page.after), before: entryOf(page.before) }
}

/** An entry and where it stands, for a page that starts or ends there. */
export const modLogEntry = async (
  documents: DocumentStore,
  id: string,
): Promise<{ readonly entry: ModLogDocument; readonly position: Position } | undefined> => {
  const [known, entry] = await Promise.all([documents.load(modLog, [id]), documents.getMany(modLog, [id])])
  const position = known.get(id)?.position
  const document = entry.get(id)
  return document && position !== undefined ? { entry: document, position } : undefined
}
