import { StoreFault } from '../ports/faults.ts'

/** Tells whether an error comes from the operating system: no file, no right, no free port. */
export const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error

/** Returns one line for an error that the operator can correct, and everything for any other. */
export const explain = (error: unknown): string =>
  error instanceof StoreFault || isSystemError(error) ? error.message : error instanceof Error ? `${error.stack}` : String(error)
