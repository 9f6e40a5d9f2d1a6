import { StoreFault } from './ports/faults.ts'

/** What an operator can mend is one line; anything else is shown whole. */
export const explain = (error: unknown): string =>
  error instanceof StoreFault || (error instanceof Error && 'syscall' in error)
    ? error.message
    : error instanceof Error
      ? `${error.stack}`
      : String(error)
