import { StoreFault } from '../ports/faults.ts'

/** An error of the operating system: no file, no right, no free port. */
export const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error

/** An error that the operator can correct is one line; any other is shown whole. */
export const explain = (error: unknown): string =>
  error instanceof StoreFault || isSystemError(error) ? error.message : error instanceof Error ? `${error.stack}` : String(error)
