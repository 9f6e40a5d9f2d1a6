import { AsyncLocalStorage } from 'node:async_hooks'
import {
  MongoBulkWriteError,
  type MongoClient,
  MongoError,
  MongoErrorLabel,
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
/** Codes of an index with the same keys under another name, or the same name with other options. */
export const INDEX_STANDS_IN_THE_WAY = new Set([85, 86])
export const WRONG_PASSWORD = 18

export const NOT_PRIMARY = new Set([10_058, 10_107, 13_435])
export const NOT_INITIATED = 94
/** Codes of calls that may have taken effect: the primary changes or ends, or the server aborted the call. */
const INTERRUPTED_CODES = new Set([6, 7, 24, 43, 46, 50, 89, 91, 112, 133, 134, 189, 262, 279, 9_001, 11_600, 11_601, 11_602, 13_436])
const NOT_REPLICATED_CODES = new Set([64, 79, 100])
export const REFUSED_CODES = new Set([13, 18, 8_000])
/** The driver's errors for a try that got no connection. An open connection that closes during a command is not among them. */
const NOT_SENT = new Set(['MongoWaitQueueTimeoutError', 'MongoPoolClearedError', 'MongoPoolClosedError', 'MongoServerClosedError'])
const CLOSED_ERRORS = new Set(['MongoNotConnectedError', 'MongoTopologyClosedError', 'MongoClientClosedError'])
const OUT_OF_DISK = 14_031
const TOO_LARGE = new Set([10_334, 17_419, 17_420])
const DATA_CORRUPTED = 301

const DISK_FULL_MESSAGE = /no space left|over your space quota|disk quota exceeded|out of disk/i

export const firstLine = (error: Error): string => error.message.split('\n', 1)[0] ?? error.name

export const codeOf = (error: unknown): number | undefined =>
  error instanceof MongoServerError && typeof error.code === 'number' ? error.code : undefined

/** Tells whether a value cannot be encoded. The BSON library has no error of its own for a value that does not fit its buffer. */
const isUnencodable = (error: unknown): boolean => error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE'

/** Unwraps an error that ended a whole bulk write, such as a broken connection, from an error of the bulk. */
const unwrapError = (error: unknown): unknown => {
  const cause: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined
  return cause instanceof MongoError ? cause : error
}

/** Thrown if a call was not begun, or not continued, because its caller is no longer current. */
export class Outdated extends Error {}

/**
 * The number of connections that a call has asked for: one for each command, and one more for each repetition by the driver. Before each of
 * them, `isCurrent` tells whether the call still counts.
 */
type Tries = { begun: number; outdated?: true; readonly isCurrent: () => boolean }

const tries = new AsyncLocalStorage<Tries>()

/** Counts tries when they begin. The driver repeats a write by itself and reports the last error only. */
export const countTries = (client: MongoClient): MongoClient =>
  client.on('connectionCheckOutStarted', () => {
    const call = tries.getStore()
    if (!call) return
    if (!call.isCurrent()) {
      call.outdated = true
      throw new Outdated()
    }
    call.begun += 1
  })

const isUnconfirmed = (error: MongoError): boolean =>
  error instanceof MongoWriteConcernError || (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined)

/** Tells whether certainly nothing was written: the write was never begun, or begun once and refused as a whole. */
const isUnwritten = (error: MongoError, inBulk: boolean, begun: number): boolean => {
  if (begun !== 1) return begun === 0
  if (isUnconfirmed(error)) return false
  const code = codeOf(error)
  return (
    NOT_SENT.has(error.name) ||
    error.hasErrorLabel(MongoErrorLabel.HandshakeError) ||
    error.hasErrorLabel(MongoErrorLabel.NoWritesPerformed) ||
    // A bulk write may be interrupted when a primary steps down.
    (code !== undefined && (REFUSED_CODES.has(code) || (NOT_PRIMARY.has(code) && !inBulk)))
  )
}

const isPassing = (error: MongoError): boolean => {
  const code = codeOf(error)
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    NOT_SENT.has(error.name) ||
    CLOSED_ERRORS.has(error.name) ||
    isUnconfirmed(error) ||
    error.hasErrorLabel(MongoErrorLabel.SystemOverloadedError) ||
    code === NOT_INITIATED ||
    (code !== undefined && [NOT_PRIMARY, REFUSED_CODES, INTERRUPTED_CODES, NOT_REPLICATED_CODES].some((codes) => codes.has(code)))
  )
}

const kindOf = (operation: 'read' | 'write', error: MongoError, inBulk: boolean, begun: number): FaultKind | undefined => {
  const code = codeOf(error)
  if (code === OUT_OF_DISK || DISK_FULL_MESSAGE.test(error.message)) return 'full'
  if (code === DATA_CORRUPTED) return 'damaged'
  if (code !== undefined && TOO_LARGE.has(code)) return 'too-large'
  if (error instanceof MongoInvalidArgumentError && /larger than the maximum size|exceeds maximum/i.test(error.message)) return 'too-large'
  if (!isPassing(error)) return undefined
  return operation === 'read' || isUnwritten(error, inBulk, begun) ? 'unavailable' : 'unknown-outcome'
}

/**
 * Returns the fault that a driver's error means, of a call that had begun so many tries. An unknown error is returned unchanged, so that it
 * is reported as a bug.
 */
const classifyError = (operation: 'read' | 'write', thrown: unknown, begun: number): unknown => {
  const error = unwrapError(thrown)
  if (isUnencodable(error)) return new StoreFault('too-large', 'MongoDB: a document is larger than BSON allows', { cause: error })
  if (!(error instanceof MongoError)) return error
  const kind = kindOf(operation, error, thrown instanceof MongoBulkWriteError, begun)
  return kind === undefined ? error : new StoreFault(kind, `MongoDB: ${firstLine(error)}`, { cause: error })
}

/**
 * Runs a call and turns errors of the driver into faults of the port. A write that may have been done is never reported as not done. Throws
 * `Outdated` if `isCurrent` returns false before one of its tries.
 */
export const callStore = async <T>(operation: 'read' | 'write', call: () => Promise<T>, isCurrent = () => true): Promise<T> => {
  const counted: Tries = { begun: 0, isCurrent }
  try {
    return await tries.run(counted, call)
  } catch (error) {
    // the driver may have wrapped it in an error of its own, or thrown that of the try before
    throw counted.outdated ? new Outdated() : classifyError(operation, error, counted.begun)
  }
}

/** Returns the operations of a bulk write that met a document of the same id, if nothing else failed. */
export const duplicatesIn = (error: unknown): readonly number[] => {
  const failed = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : []
  return failed.every(({ code }) => code === DUPLICATE_KEY) ? failed.map(({ index }) => index) : []
}

export const isDuplicate = (error: unknown): error is MongoServerError => error instanceof MongoServerError && error.code === DUPLICATE_KEY
