type SortRow = {
  /** The field by which the sort ranks, highest first; null: none, so that the newest come first. */
  readonly rank: string | null
  /** True if `t` narrows the sort to links created within some time. */
  readonly hasWindow: boolean
}

/** The sorts of listings of links, in the order of their tabs. Of equals the newer comes first. */
const table = {
  hot: { rank: 'hot', hasWindow: false },
  new: { rank: null, hasWindow: false },
  top: { rank: 'score', hasWindow: true },
  insightful: { rank: 'ups', hasWindow: true },
  fun: { rank: 'fun', hasWindow: true },
} as const satisfies Readonly<Record<string, SortRow>>

type Table = typeof table
export type LinkSort = keyof Table
/** A sort with a window. */
export type Ranking = { [Sort in LinkSort]: Table[Sort]['hasWindow'] extends true ? Sort : never }[LinkSort]
export type RankField = NonNullable<Table[LinkSort]['rank']>

/** The ranks that votes make. Comments have these alone. */
export const voteRanks = ['hot', 'score', 'ups', 'fun'] as const satisfies readonly RankField[]
type VoteRank = (typeof voteRanks)[number]
/** A sort in which links and comments can stand together. */
export type ThingSort = { [Sort in LinkSort]: Table[Sort]['rank'] extends VoteRank | null ? Sort : never }[LinkSort]

export const linkSorts = Object.keys(table) as readonly LinkSort[]
const isThingSort = (sort: LinkSort): sort is ThingSort => {
  const { rank } = table[sort]
  return rank === null || voteRanks.some((vote) => vote === rank)
}
export const thingSorts: readonly ThingSort[] = linkSorts.filter(isThingSort)
export const isRanking = (sort: LinkSort): sort is Ranking => table[sort].hasWindow
export const rankings: readonly Ranking[] = linkSorts.filter(isRanking)
/** The fields by which some sort ranks. */
export const rankFields: readonly RankField[] = linkSorts.flatMap((sort) => table[sort].rank ?? [])

type OrderOf<Field extends string | null> = Field extends string ? readonly [`-${Field}`, '-seq'] : readonly ['-seq']

/** The order fields of each sort. */
export const linkOrders = Object.fromEntries(
  Object.entries(table).map(([sort, { rank }]) => [sort, rank === null ? ['-seq'] : [`-${rank}`, '-seq']]),
) as unknown as { readonly [Sort in LinkSort]: OrderOf<Table[Sort]['rank']> }
