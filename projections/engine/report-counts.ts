/** Why a thing was reported, and by how many; the most frequent first, and of those the earliest. */
export type ReasonCount = { readonly reason: string; readonly count: number }

/** So many different reasons are kept of one thing; each takes an account of its own. */
const MOST_REASONS = 50

const byCount = (a: ReasonCount, b: ReasonCount) => b.count - a.count

/** Where there are too many different ones, a new reason takes the place of the last. */
export const withReason = (reasons: readonly ReasonCount[], reason: string): readonly ReasonCount[] =>
  reasons.some((known) => known.reason === reason)
    ? reasons.map((known) => (known.reason === reason ? { reason, count: known.count + 1 } : known)).toSorted(byCount)
    : [...reasons.slice(0, MOST_REASONS - 1), { reason, count: 1 }]
