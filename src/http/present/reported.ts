import type { ReportByAccount } from '../../../projections/engine/reports.ts'

const MAX_SHOWN_REASONS = 20

/** Returns the most frequent reasons of some reports and how many gave each; of equally frequent ones the earliest first. */
export const countReasons = (reports: readonly ReportByAccount[]): readonly (readonly [reason: string | null, count: number])[] => {
  const counts = new Map<string, number>()
  for (const { reason } of reports) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return Array.from(counts, ([reason, count]) => [reason || null, count] as const)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MAX_SHOWN_REASONS)
}
