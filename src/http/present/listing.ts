import { Fragment, stringify } from '../json.ts'

/** A listing inside an answer: no pages before or after it. */
export const closedListing = (children: readonly unknown[], modhash: string | null): Fragment =>
  new Fragment((encoding) => stringify({ kind: 'Listing', data: { modhash, children, after: null, before: null } }, encoding))
