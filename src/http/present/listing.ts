import { Fragment, partsOf } from '../wire/json-writing.ts'

type Ends = { readonly after: string | null; readonly before: string | null }

const noEnds: Ends = { after: null, before: null }

/** A listing as a record; its members are joined here and not one by one, since a thread is made of very many listings. */
export const listingRecord = (children: readonly unknown[], modhash: string | null, { after, before }: Ends): Fragment =>
  new Fragment(
    (encoding) => {
      const parts = ['{"kind":"Listing","data":{"modhash":', ...partsOf(modhash, encoding), `,"dist":${children.length},"children":[`]
      for (const [place, child] of children.entries()) {
        if (place > 0) parts.push(',')
        if (child instanceof Fragment) parts.push(child)
        else parts.push(...partsOf(child ?? null, encoding))
      }
      parts.push('],"after":', ...partsOf(after, encoding), ',"before":', ...partsOf(before, encoding), '}}')
      return parts
    },
    children.filter((child) => child instanceof Fragment),
  )

/** A listing inside a response: no pages before or after it. */
export const closedListing = (children: readonly unknown[], modhash: string | null): Fragment => listingRecord(children, modhash, noEnds)
