import { Fragment, partsOf } from '../wire/json-writing.ts'

/** A listing inside a response: no pages before or after it. */
export const closedListing = (children: readonly unknown[], modhash: string | null): Fragment =>
  new Fragment(
    (encoding) => partsOf({ kind: 'Listing', data: { modhash, dist: children.length, children, after: null, before: null } }, encoding),
    children.filter((child) => child instanceof Fragment),
  )
