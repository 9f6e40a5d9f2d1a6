import { openLane } from '../../workers/worker-thread.ts'

/** The image of a solution as PNG, 120×50. Takes some milliseconds, outside of the event loop. */
export const drawCaptcha = openLane<string, Uint8Array>(new URL('./image-worker.ts', import.meta.url), {
  limit: 2_000,
  mostWaiting: 100,
  mostWaitingOfOne: 10,
  heapMegabytes: 64,
})
