// Decision 1.

/** The votes that a thing is ranked by: insightful (`ups`) and funny (`downs`). */
export type Tally = { readonly ups: number; readonly downs: number }

const HOT_EPOCH_SECONDS = 1_134_028_003
const HOT_STEP_SECONDS = 45_000
const Z = 1.281551565545 // The quantile of an interval of 80 %.

export const scoreOf = ({ ups, downs }: Tally): number => 2 * ups + downs

/** Returns a static key: only a vote changes it, never time. `created` is in milliseconds. */
export const hotRank = (score: number, created: number): number => {
  const order = Math.sign(score) * Math.log10(Math.max(Math.abs(score), 1))
  return Math.round((order + (created / 1000 - HOT_EPOCH_SECONDS) / HOT_STEP_SECONDS) * 1e7) / 1e7
}

/** Returns the number of funny votes; the share of insightful ones breaks ties. */
export const funRank = ({ ups, downs }: Tally): number => (downs > 0 ? downs + ups / (ups + downs) : 0)

/** Returns the lower bound of the 80 % Wilson interval of the insightful share; 0 without votes. */
export const confidence = ({ ups, downs }: Tally): number => {
  const n = ups + downs
  if (n === 0) return 0
  const p = ups / n
  const z2 = Z * Z
  return (p + z2 / (2 * n) - Z * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))) / (1 + z2 / n)
}

type TextTally = Tally & { readonly length: number }

/**
 * Rates a question and its answer. `best` is the direct reply by the link's author with the highest confidence. A comment by the link's
 * author counts double as long as its author did not reply to it.
 */
export const qaRank = (comment: TextTally, best: TextTally | undefined, byLinkAuthor: boolean): number => {
  const lengths = comment.length + (best ? best.length : 1)
  const rank = confidence(comment) + (best ? confidence(best) : 0) + Math.log10(Math.max(lengths, 1)) / 5
  return byLinkAuthor && !best ? 2 * rank : rank
}

export type Buckets = { readonly hour: number; readonly day: number; readonly month: number }

/** Returns the hour, the day and the calendar month (UTC) of a time, each as a running number. */
export const bucketsOf = (at: number): Buckets => {
  const date = new Date(at)
  return { hour: Math.floor(at / 3.6e6), day: Math.floor(at / 8.64e7), month: date.getUTCFullYear() * 12 + date.getUTCMonth() }
}
