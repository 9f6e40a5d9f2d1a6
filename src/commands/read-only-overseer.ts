import { type RelationDocument, relationId, relations } from '../../projections/relations.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import { ALL_PERMISSIONS, Moderators } from '../domain/moderators.ts'
import { aroundReads } from '../ports/around-reads.ts'
import type { DocumentStore, Filter, Query } from '../ports/documents.ts'
import { allSubsites } from '../queries/subsites.ts'
import type { Load } from '../runtime/load.ts'
import type { RequestReads } from '../runtime/request-reads.ts'

/*
 * The overseer of a read-only copy: an account that nobody has and that moderates every subsite. Its seats are added to each read and leave
 * no trace in the log or in the read models.
 */

/** The overseer's id. No id is minted as early as this one. */
export const OVERSEER: AccountId = 't2_0'

/** Returns the state of a subsite's moderators with the overseer's seat added. */
export const loadWithOverseer =
  (load: Load): Load =>
  async (aggregate, id, command) => {
    const state = await load(aggregate, id, command)
    if (aggregate.category !== Moderators.category || state === undefined) return state
    const { moderators, invitations } = state as unknown as Moderators
    const seat = { account: OVERSEER, permissions: ALL_PERMISSIONS, origin: { id: OVERSEER, revision: Number.MAX_SAFE_INTEGER } }
    return { moderators: [...moderators, seat], invitations } as never
  }

/** Returns the reads of a request with the overseer's seats added. */
export const readsWithOverseer = (reads: RequestReads): RequestReads => ({
  ...reads,
  load: loadWithOverseer(reads.load),
  loadRecent: loadWithOverseer(reads.loadRecent),
  next: (mayGuess) => readsWithOverseer(reads.next(mayGuess)),
})

const seatIn = (subsite: SubsiteId): RelationDocument => ({
  id: relationId({ subsite, account: OVERSEER }, 'moderator'),
  subsite,
  account: OVERSEER,
  type: 'moderator',
  since: 0,
  revision: 0,
  note: '',
  permissions: ALL_PERMISSIONS,
  noteBy: null,
  until: null,
})

const isOfOverseer = ({ account, type }: Filter): boolean => account === OVERSEER && type === 'moderator'

/** Returns the documents, which do not change, with the overseer's seats added to reads of its moderated subsites. */
export const documentsWithOverseer = (documents: DocumentStore): DocumentStore => {
  let seatList: Promise<readonly RelationDocument[]> | undefined
  const seats = () => {
    seatList ??= Array.fromAsync(allSubsites(documents)).then((pages) => pages.flat().sort().reverse().map(seatIn))
    return seatList
  }
  return aroundReads(documents, ['getPairs', 'find', 'count'], async (read, collection, args, ask) => {
    const answer = async (): Promise<unknown> => {
      if ((collection as unknown) !== relations) return ask()
      if (read === 'getPairs') {
        const [pair, others] = args as [{ readonly one: string }, readonly SubsiteId[]]
        return pair.one === `${OVERSEER}.moderator` ? new Map(others.map((subsite) => [subsite, seatIn(subsite)])) : ask()
      }
      if (read === 'count') return isOfOverseer(args[0] as Filter) ? Math.min((await seats()).length, Number(args[1])) : ask()
      const { where, page } = args[0] as Query
      if (!isOfOverseer(where)) return ask()
      const all = await seats()
      const from = page.after === undefined ? 0 : all.findIndex(({ id }) => id === page.after?.at(-1)) + 1
      return all.slice(from, from + page.limit)
    }
    return answer() as ReturnType<typeof ask>
  })
}
