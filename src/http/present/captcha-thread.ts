import { openLane } from './worker-lane.ts'

/** The image of a solution as PNG, 120×50. Some milliseconds each, of which none are the event loop's. */
export const drawCaptcha = openLane<string, Uint8Array>(new URL('./captcha-worker.ts', import.meta.url), {
  limit: 2_000,
  mostWaiting: 100,
  mostWaitingOfOne: 10,
  heapMegabytes: 64,
})
