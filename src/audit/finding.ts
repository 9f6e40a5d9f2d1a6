import type { ParkedDocument } from '../../projections/parked.ts'

/** One thing that is not as it must be. */
export type Finding =
  | {
      readonly kind: 'document'
      readonly collection: string
      readonly id: string
      /** Null where the whole document is missing on one side. */
      readonly field: string | null
      readonly stored: unknown
      readonly recomputed: unknown
    }
  | {
      readonly kind: 'event'
      readonly position: string
      readonly stream: string
      readonly revision: number
      readonly id: string
      readonly problem: string
    }
  | ({ readonly kind: 'parked' } & ParkedDocument)
  | { readonly kind: 'store'; readonly problem: string }

const shown = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value))

/** A finding in one line. */
export const describe = (finding: Finding): string => {
  switch (finding.kind) {
    case 'document': {
      const { collection, id, field, stored, recomputed } = finding
      return `${collection} ${id}${field === null ? '' : ` ${field}`}: stored ${shown(stored)}, recomputed ${shown(recomputed)}`
    }
    case 'event':
      return `event ${finding.id} at ${finding.position} (revision ${finding.revision} of ${finding.stream}): ${finding.problem}`
    case 'parked': {
      const { collection, document, type, event, position, error, later } = finding
      return `${collection} ${document} is parked since ${type} ${event} at ${position}: ${error}; ${later} later events wait behind it`
    }
    case 'store':
      return finding.problem
  }
}
