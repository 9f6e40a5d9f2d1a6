import { startSite, type TestSite } from './site.ts'

/** A site whose clock can be put forward by milliseconds, which do not pass. It starts with the clock `ahead` of the machine's. */
export const startWithMovableClock = async (
  options: Parameters<typeof startSite>[0] = {},
  ahead = 0,
): Promise<{ readonly site: TestSite; readonly forward: (ms: number) => void }> => {
  const clock = Date.now
  let lead = ahead
  Date.now = () => clock() + lead
  try {
    const site = await startSite(options)
    return {
      site,
      forward: (ms) => {
        lead += ms
      },
    }
  } finally {
    Date.now = clock
  }
}
