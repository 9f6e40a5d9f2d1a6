import { StoreFault } from '../../src/ports/faults.ts'

export const workerOf = (id: number) => Math.floor(id / 64) % 64

/** The id, or undefined when it was refused because it would be too far ahead of the clock. */
export const mintOrRefuse = (next: () => number): number | undefined => {
  try {
    return next()
  } catch (fault) {
    if (fault instanceof StoreFault && fault.kind === 'unavailable') return undefined
    throw fault
  }
}
