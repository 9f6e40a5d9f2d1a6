import { openLane } from '../workers/worker-thread.ts'
import type { Rendering } from './markdown-worker.ts'

/** Renders a text in another thread, in its turn. `too-slow`: it takes more than two seconds; `busy`: too many wait already. */
export const renderInThread = openLane<Rendering, string>(new URL('./markdown-worker.ts', import.meta.url), {
  limit: 2_000,
  mostWaiting: 100,
  mostWaitingOfOne: 16,
  heapMegabytes: 128,
})
