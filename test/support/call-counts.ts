/** Counts of what a simulated server was asked, by a label that says who asked for what. */
export type CallCounts = Readonly<Record<string, number>>

export type CallCounter = {
  readonly add: (label: string, count?: number) => void
  /** Returns the counts since the last call, and begins anew. */
  readonly take: () => CallCounts
}

export const openCallCounter = (): CallCounter => {
  const counts = new Map<string, number>()
  return {
    add: (label, count = 1) => void counts.set(label, (counts.get(label) ?? 0) + count),
    take: () => {
      const taken = Object.fromEntries(counts)
      counts.clear()
      return taken
    },
  }
}

/** Answers each message of the process that started this one with the counts. */
export const answerWithCounts = ({ take }: CallCounter): void => {
  process.on('message', () => process.send?.(take()))
}
