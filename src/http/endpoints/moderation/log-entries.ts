import type { ModLogDocument } from '../../../../projections/mod-log.ts'
import type { ActedOn } from '../../../../projections/mod-log-entries.ts'
import { ThingId } from '../../../domain/ids.ts'
import { isForModerators } from '../../../domain/wiki-access.ts'
import { namesOf } from '../../../queries/accounts.ts'
import { reading } from '../../../queries/reading.ts'
import { subsitesById } from '../../../queries/subsites.ts'
import { thingsById } from '../../../queries/things.ts'
import { pagesById } from '../../../queries/wiki.ts'
import type { Context } from '../../contract/endpoint.ts'
import { modLogRecord } from './log-entry.ts'

/** Moderation log entries as records, in order, as the viewer may see them. */
export const modLogRecords = async (context: Context, entries: readonly ModLogDocument[]): Promise<readonly object[]> => {
  const { documents } = context
  const targets = entries.flatMap(({ target }) => target ?? [])
  const read = reading(context, context.viewer)
  const written = entries.flatMap(({ subsite, page }) => (page === null ? [] : [{ subsite, page }]))
  const [names, subsites, things, pages] = await Promise.all([
    namesOf(documents, [...entries.map(({ mod }) => mod), ...targets.map(({ author }) => author)]),
    subsitesById(
      documents,
      entries.map(({ subsite }) => subsite),
    ),
    thingsById(
      documents,
      targets.flatMap(({ id, link }) => (link === null ? id : [id, link])),
    ),
    pagesById(documents, written),
    read.places(entries.map(({ subsite }) => subsite)),
  ])
  const isGone = ({ id }: ActedOn) => ThingId.is(id) && things.get(id)?.deleted !== false
  const isClosed = (subsite: string, page: string) => isForModerators({ page, permlevel: pages(subsite, page)?.permlevel ?? 0 })
  return entries.map((entry) => modLogRecord(entry, { names, subsites, things, isGone, moderates: read.isModerator, isClosed }))
}
