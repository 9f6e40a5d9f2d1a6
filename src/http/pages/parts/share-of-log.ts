/** Returns the part of the log that the read models have, in per cent. Positions grow with the log, so their ratio says how far a rebuild has come. */
export const shareOfLog = (position: string, head: string | null): string =>
  head === null || Number(head) === 0 ? '' : `${Math.min(100, Math.floor((Number(position) / Number(head)) * 1000) / 10)} %`
