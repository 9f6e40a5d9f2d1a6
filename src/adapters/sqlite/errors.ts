import { StoreFault } from '../../ports/faults.ts'

const BUSY = 5
const LOCKED = 6
const CORRUPT = 11
const WRITE_REFUSED = 778
const FULL = 13
const CANNOT_OPEN = 14
const NOT_A_DATABASE = 26

const extendedCode = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined

const errcode = (error: unknown): number => (extendedCode(error) ?? 0) & 0xff

export const isBusy = (error: unknown): boolean => errcode(error) === BUSY || errcode(error) === LOCKED

/** Tells whether a number in the file is larger than any that this program writes. */
const isBeyondNumbers = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'

/** Converts an error of the engine to a fault that a caller can act on. Any other error is unchanged, since it is a bug. */
export const asFault = (error: unknown, file: string): unknown => {
  if (extendedCode(error) === WRITE_REFUSED)
    return new StoreFault('full', `the system refuses to write ${file}: no space left, or a quota exceeded`, { cause: error })
  if (isBeyondNumbers(error)) return new StoreFault('damaged', `${file} holds a number that is too large`, { cause: error })
  switch (errcode(error)) {
    case BUSY:
    case LOCKED:
      return new StoreFault('unavailable', `${file} is locked by another process`, { cause: error })
    case FULL:
      return new StoreFault('full', `no space left to write ${file}`, { cause: error })
    case CANNOT_OPEN:
      return new StoreFault('unavailable', `${file} cannot be opened: it, or its directory, does not exist or is not accessible`, {
        cause: error,
      })
    case CORRUPT:
      return new StoreFault('corrupt', `${file} is damaged: put back a copy (docs/operations.md, "Backup and restore")`, { cause: error })
    case NOT_A_DATABASE:
      return new StoreFault('damaged', `${file} is damaged or not an SQLite file`, { cause: error })
    default:
      return error
  }
}
