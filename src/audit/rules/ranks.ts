// Ranks computed independently, from the text of the interface.

const HOT_EPOCH_SECONDS = 1_134_028_003
const HOT_STEP_SECONDS = 45_000

export type Tally = { readonly ups: number; readonly downs: number }

/** Insightful votes count twice. */
export const worthOf = ({ ups, downs }: Tally): number => ups + ups + downs

/** `created` in milliseconds. */
export const ranksOf = (tally: Tally, created: number) => {
  const { ups, downs } = tally
  const score = worthOf(tally)
  const size = Math.log10(Math.max(1, Math.abs(score)))
  const signed = score > 0 ? size : score < 0 ? -size : 0
  const hot = Math.round((signed + (created / 1000 - HOT_EPOCH_SECONDS) / HOT_STEP_SECONDS) * 1e7) / 1e7
  return { ups, downs, score, hot, fun: downs > 0 ? downs + ups / (ups + downs) : 0 }
}

/** Running numbers of the hour, the day and the month (UTC). */
export const spansOf = (at: number) => {
  const [year = 0, month = 0] = new Date(at).toISOString().split('-').map(Number)
  return { hour: Math.floor(at / (60 * 60 * 1000)), day: Math.floor(at / (24 * 60 * 60 * 1000)), month: 12 * year + month - 1 }
}

/** The normal form of an address: two addresses with the same form are the same one. */
export const keyOfUrl = (url: string): string => {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/(?:www\.)?)?(.*)$/s.exec(url.toLowerCase()) ?? []
  const end = rest.search(/#/)
  const kept = end >= 0 && rest[end + 1] !== '!' ? rest.slice(0, end) : rest
  return scheme.replace(/www\.$/, '') + kept
}

export const hostOfUrl = (url: string): string => {
  try {
    return new URL(url).hostname.replace(/^www\./, '')
  } catch {
    return ''
  }
}
