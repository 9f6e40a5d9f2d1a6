/** A document that a failing event stopped, and the number of later events that wait behind it. */
export type ParkedFinding = {
  readonly collection: string
  readonly document: string
  readonly event: string
  readonly type: string
  readonly position: string
  readonly error: string
  readonly later: number
}

/**
 * An event whose consequences failed, which waits for the next try. `since` is the time of the first failure, in milliseconds since 1970.
 */
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

/** A statement about one event. */
export type EventFinding = {
  readonly kind: 'event'
  readonly position: string
  readonly stream: string
  readonly revision: number
  readonly id: string
  readonly problem: string
}

/** An error that the audit found. Texts of accounts are left out, since they may be sealed or erased. */
export type Finding =
  | {
      readonly kind: 'document'
      readonly collection: string
      readonly id: string
      /** Null if the whole document is missing on one side. */
      readonly field: string | null
      readonly stored: unknown
      readonly recounted: unknown
    }
  | EventFinding
  | ({ readonly kind: 'parked' } & ParkedFinding)
  | ({ readonly kind: 'queued' } & QueuedFinding)
  | { readonly kind: 'store'; readonly problem: string }

/** Fields whose texts are ids, times, or words of the service itself. Every other text may be an account's. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(
  `id position stream event aggregate cause hash day account author other voter creator by mod from to targetId noteBy subsite link linkAuthor
  comment parent root thing message template subsites links things entries type kind action role effect audience as permissions distinguished decided
  visibility icon color weighting format state suggestedSort suggested_sort relation current field stickyComment`.split(/\s+/),
)

const ERASED = '[erased]'
const TEXT = '(a text)'
const OTHER_TEXT = '(another text)'

/** Returns a value without the texts in it, unless accounts write none in its field. */
export const toPrintable = (value: unknown, field: string): unknown => {
  if (typeof value === 'string') return value === '' || value === ERASED || PLAIN_FIELDS.has(field) ? value : TEXT
  if (Array.isArray(value)) return value.map((one) => toPrintable(one, field))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPrintable(member, name)]))
}

/** Returns two values that differ, without the texts in them. */
export const printableDifference = (field: string, stored: unknown, recounted: unknown) => {
  const [shownStored, shownRecounted] = [toPrintable(stored, field), toPrintable(recounted, field)]
  return { stored: shownStored, recounted: shownRecounted === TEXT && shownStored === TEXT ? OTHER_TEXT : shownRecounted }
}

const toText = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

/** Describes a finding in one line. */
export const describe = (finding: Finding): string => {
  switch (finding.kind) {
    case 'document': {
      const { collection, id, field, stored, recounted } = finding
      return `${collection} ${id}${field === null ? '' : ` ${field}`}: stored ${toText(stored)}, recounted ${toText(recounted)}`
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
