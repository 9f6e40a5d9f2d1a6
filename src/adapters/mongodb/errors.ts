import {
  MongoBulkWriteError,
  MongoError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb'
import { type FaultKind, StoreFault } from '../../ports/faults.ts'

export const DUPLICATE_KEY = 11_000
export const NAMESPACE_NOT_FOUND = 26
export const INDEX_NOT_FOUND = 27
export const CANNOT_CREATE_INDEX = 67

const NOT_PRIMARY = new Set([10_107, 13_435, 10_058])
const INTERRUPTED = new Set([6, 7, 43, 50, 89, 91, 134, 189, 262, 9_001, 11_600, 11_602, 13_436])
const NOT_REPLICATED = new Set([64, 79, 100])
export const REFUSED = new Set([13, 18, 8_000])
const NOT_SENT = new Set(['MongoWaitQueueTimeoutError', 'MongoNotConnectedError', 'MongoClientClosedError', 'MongoTopologyClosedError'])
const OUT_OF_DISK = 14_031
const TOO_LARGE = new Set([10_334, 17_419, 17_420])
const DATA_CORRUPTED = 301

const FULL = /no space left|over your space quota|disk quota exceeded|out of disk/i

export const firstLine = (error: Error): string => error.message.split('\n', 1)[0] ?? error.name

export const codeOf = (error: unknown): number | undefined =>
  error instanceof MongoServerError && typeof error.code === 'number' ? error.code : undefined

/** The BSON library has no error of its own for what does not fit its buffer. */
const isUnencodable = (error: unknown): boolean => error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'

/** What ended a bulk write as a whole, a broken connection for one, comes dressed as an error of the bulk. */
const unwrapped = (error: unknown): unknown => {
  const cause: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined
  return cause instanceof MongoError ? cause : error
}

const kindOf = (what: 'read' | 'write', error: MongoError): FaultKind | undefined => {
  const code = codeOf(error)
  const late = what === 'read' ? 'unavailable' : 'unknown-outcome'
  if (code === OUT_OF_DISK || FULL.test(error.message)) return 'full'
  if (code === DATA_CORRUPTED) return 'damaged'
  if (code !== undefined && TOO_LARGE.has(code)) return 'too-large'
  if (error instanceof MongoInvalidArgumentError && /larger than the maximum size|exceeds maximum/i.test(error.message)) return 'too-large'
  if (error instanceof MongoServerSelectionError || NOT_SENT.has(error.name)) return 'unavailable'
  if (code !== undefined && (NOT_PRIMARY.has(code) || REFUSED.has(code))) return 'unavailable'
  if (error instanceof MongoWriteConcernError || (error instanceof MongoBulkWriteError && error.result.getWriteConcernError())) return late
  if (error instanceof MongoNetworkError || (code !== undefined && (INTERRUPTED.has(code) || NOT_REPLICATED.has(code)))) return late
  return undefined
}

/** The fault that a driver's error means. Anything not known here is given back as it is, to be loud. */
export const classified = (what: 'read' | 'write', thrown: unknown): unknown => {
  const error = unwrapped(thrown)
  if (isUnencodable(error)) return new StoreFault('too-large', 'MongoDB: a document is larger than BSON allows', { cause: error })
  if (!(error instanceof MongoError)) return error
  const kind = kindOf(what, error)
  return kind === undefined ? error : new StoreFault(kind, `MongoDB: ${firstLine(error)}`, { cause: error })
}

/** Run a call; whatever the driver throws comes out as a fault of the port. */
export const calling = async <T>(what: 'read' | 'write', call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (error) {
    throw classified(what, error)
  }
}

export const isDuplicate = (error: unknown): error is MongoServerError => error instanceof MongoServerError && error.code === DUPLICATE_KEY
