import { LOG_START, type Position } from '../../ports/event-store.ts'
import { type Failure, toError } from './protocol.ts'

type Waiter = { readonly position: Position; readonly done: (reached: boolean) => void }

/** The position of the read models in the log, as reported by the projecting thread. */
export type Progress = {
  readonly advance: (step: { readonly position: Position; readonly touched: readonly string[] }) => void
  readonly stall: (failure: Failure) => void
  readonly position: () => Position
  readonly reached: (position: Position, ms: number) => Promise<boolean>
  readonly generation: (collection: string) => number
  readonly fault: () => Error | undefined
}

export const progress = (): Progress => {
  const waiting = new Set<Waiter>()
  const generations = new Map<string, number>()
  let current = LOG_START
  let fault: Error | undefined
  return {
    advance: ({ position, touched }) => {
      fault = undefined
      current = position
      for (const name of touched) generations.set(name, (generations.get(name) ?? 0) + 1)
      for (const waiter of waiting) if (waiter.position <= position) waiter.done(true)
    },
    stall: (failure) => {
      fault = toError(failure)
    },
    position: () => current,
    reached: (position, ms) =>
      new Promise((resolve) => {
        if (position <= current) return resolve(true)
        const waiter: Waiter = {
          position,
          done: (reached) => {
            clearTimeout(timer)
            waiting.delete(waiter)
            resolve(reached)
          },
        }
        const timer = setTimeout(() => waiter.done(false), ms)
        waiting.add(waiter)
      }),
    generation: (collection) => generations.get(collection) ?? 0,
    fault: () => fault,
  }
}
