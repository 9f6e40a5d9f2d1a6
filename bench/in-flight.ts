/** The number of calls a second, and microseconds of this process's processor time for each. */
export type Rate = { readonly perSecond: number; readonly cpu: number }

/** Counts what this process does from now on. */
export const ratedFromNow = (): ((done: number) => Rate) => {
  const begun = performance.now()
  const before = process.cpuUsage()
  return (done) => {
    const { user, system } = process.cpuUsage(before)
    return { perSecond: (done / (performance.now() - begun)) * 1000, cpu: (user + system) / done }
  }
}

/** Calls with so many in flight, for so many seconds or until there are no more. */
export const rateOf = async (calls: Iterator<() => Promise<unknown>>, inFlight: number, seconds: number): Promise<Rate> => {
  const rated = ratedFromNow()
  const begun = performance.now()
  const end = begun + seconds * 1000
  let done = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      const { value: call } = calls.next()
      if (!call) return
      await call()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return rated(done)
}
