// Computes ranks independently, from the text of the interface.

const HOT_EPOCH_SECONDS = 1_134_028_003
const HOT_STEP_SECONDS = 45_000

export type VoteTally = { readonly ups: number; readonly downs: number }

/** Returns the worth of votes: insightful ones count twice. */
export const worthOf = ({ ups, downs }: VoteTally): number => ups + ups + downs

/** Computes ranks. `created` is in milliseconds. */
export const ranksOf = (tally: VoteTally, created: number) => {
  const { ups, downs } = tally
  const score = worthOf(tally)
  const size = Math.log10(Math.max(1, Math.abs(score)))
  const signed = score > 0 ? size : score < 0 ? -size : 0
  const hot = Math.round((signed + (created / 1000 - HOT_EPOCH_SECONDS) / HOT_STEP_SECONDS) * 1e7) / 1e7
  return { ups, downs, score, hot, fun: downs > 0 ? downs + ups / (ups + downs) : 0 }
}

/** Returns running numbers of the hour, the day and the month (UTC). */
export const spansOf = (at: number) => {
  const [year = 0, month = 0] = new Date(at).toISOString().split('-').map(Number)
  return { hour: Math.floor(at / (60 * 60 * 1000)), day: Math.floor(at / (24 * 60 * 60 * 1000)), month: 12 * year + month - 1 }
}
