/** A document that a failing event stopped, and how many later events wait behind it. */
export type ParkedFinding = {
  readonly collection: string
  readonly document: string
  readonly event: string
  readonly type: string
  readonly position: string
  readonly error: string
  readonly later: number
}

/** An event whose consequences failed, which waits for the next try. `since`: of the first failure, in milliseconds since 1970. */
export type QueuedFinding = {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly revision: number
  readonly position: string
  readonly error: string
  readonly tries: number
  readonly since: number
}

/** What is to be said of one event. */
export type EventFinding = {
  readonly kind: 'event'
  readonly position: string
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly problem: string
}

/** One error that the audit found. Long texts are given as hashes. */
export type Finding =
  | {
      readonly kind: 'document'
      readonly collection: string
      readonly id: string
      /** Null where the whole document is missing on one side. */
      readonly field: string | null
      readonly stored: unknown
      readonly recounted: unknown
    }
  | EventFinding
  | ({ readonly kind: 'parked' } & ParkedFinding)
  | ({ readonly kind: 'queued' } & QueuedFinding)
  | { readonly kind: 'store'; readonly problem: string }

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

/** A finding in one line. */
export const describe = (finding: Finding): string => {
  switch (finding.kind) {
    case 'document': {
      const { collection, id, field, stored, recounted } = finding
      return `${collection} ${id}${field === null ? '' : ` ${field}`}: stored ${shown(stored)}, recounted ${shown(recounted)}`
    }
    case 'event':
      return `event ${finding.id} at ${finding.position} (revision ${finding.revision} of ${finding.stream}): ${finding.problem}`
    case 'parked': {
      const { collection, document, type, event, position, error, later } = finding
      return `${collection} ${document} has been parked since ${type} ${event} at ${position}: ${error}; ${later} later events wait behind it`
    }
    case 'queued': {
      const { type, id, position, error, tries, since } = finding
      const time = new Date(since)
      const from = Number.isNaN(time.getTime()) ? since : time.toISOString()
      return `the reaction to ${type} ${id} at ${position} has failed ${tries} times since ${from}: ${error}`
    }
    case 'store':
      return finding.problem
  }
}
