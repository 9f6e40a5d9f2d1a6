import { openLane } from '../workers/worker-thread.ts'
import type { CompileInput, CompileOutput } from './compile.ts'

/** Compiles a stylesheet in another thread, in its turn. `too-slow`: it takes more than two seconds; `busy`: too many wait already. */
export const compileInThread = openLane<CompileInput, CompileOutput>(new URL('./compile-worker.ts', import.meta.url), {
  limit: 2_000,
  mostWaiting: 20,
  mostWaitingOfOne: 4,
  heapMegabytes: 128,
})
