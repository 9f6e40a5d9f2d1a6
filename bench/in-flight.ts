/** Calls a second with so many in flight, for so many seconds or until there are no more. */
export const rateOf = async (calls: Iterator<() => Promise<unknown>>, inFlight: number, seconds: number): Promise<number> => {
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
  return (done / (performance.now() - begun)) * 1000
}
