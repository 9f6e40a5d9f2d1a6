/** The number of calls a second, and microseconds of this process's processor time for each. */
export type Rate = { readonly perSecond: number; readonly cpu: number }

/** Starts a measurement of this process. The returned function ends it, with the number of calls that were made meanwhile. */
export const startRate = (): ((done: number) => Rate) => {
  const begun = performance.now()
  const before = process.cpuUsage()
  return (done) => {
    const { user, system } = process.cpuUsage(before)
    return { perSecond: (done / (performance.now() - begun)) * 1000, cpu: (user + system) / done }
  }
}

/** Makes calls, so many of them in flight at once, for so many seconds or until there are no more. */
export const rateOf = async (calls: Iterator<() => Promise<unknown>>, inFlight: number, seconds: number): Promise<Rate> => {
  const toRate = startRate()
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
  return toRate(done)
}
