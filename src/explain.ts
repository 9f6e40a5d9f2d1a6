import { StoreFault } from './ports/faults.ts'

/** An error that the operator can correct is one line; any other is shown whole. */
export const explain = (error: unknown): string =>
  error instanceof StoreFault || (error instanceof Error && 'syscall' in error)
    ? error.message
    : error instanceof Error
      ? `${error.stack}`
      : String(error)
