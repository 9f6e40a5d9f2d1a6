import type { Logged } from '../../src/domain/events.ts'
import { funRank, hotRank, scoreOf, type Tally } from '../../src/domain/ranking.ts'
import type { Index } from '../../src/ports/documents.ts'

/** Returns an index for `new` and one for each rank, all under the same leading fields. */
export const indexRanks = <Rank extends string, const Field extends string>(
  ranks: readonly Rank[],
  ...prefix: readonly Field[]
): readonly Index<Field | Rank | 'seq'>[] => [
  { fields: [...prefix, '-seq'] as const },
  ...ranks.map((rank) => ({ fields: [...prefix, `-${rank}`, '-seq'] as const })),
]

export type Ranks = Tally & { readonly score: number; readonly hot: number; readonly fun: number }

const ranksOf = (tally: Tally, created: number): Ranks => {
  const score = scoreOf(tally)
  return { ...tally, score, hot: hotRank(score, created), fun: funRank(tally) }
}

/** Returns the ranks of a new thing, which carries its author's insightful vote. */
export const ranksAtBirth = (created: number): Ranks => ranksOf({ ups: 1, downs: 0 }, created)

/** Returns the change that one vote makes to the tally. */
export const tallyChange = ({ before, after }: Logged<'VoteCast'>['data']): Tally => ({
  ups: Number(after.insightful) - Number(before.insightful),
  downs: Number(after.funny) - Number(before.funny),
})

export const withVote = <D extends Ranks & { readonly created: number }>(document: D, vote: Logged<'VoteCast'>['data']): D => {
  const { ups, downs } = tallyChange(vote)
  return { ...document, ...ranksOf({ ups: document.ups + ups, downs: document.downs + downs }, document.created) }
}
