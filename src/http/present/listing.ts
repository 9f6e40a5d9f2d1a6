import { Fragment, toJsonPieces } from '../wire/json-writing.ts'

type Ends = { readonly after: string | null; readonly before: string | null }

const noEnds: Ends = { after: null, before: null }

/** Returns a listing as a record; its members are joined here and not one by one, since a thread is made of very many listings. */
export const listingRecord = (children: readonly unknown[], modhash: string | null, { after, before }: Ends): Fragment =>
  new Fragment(
    (encoding) => {
      const parts = ['{"kind":"Listing","data":{"modhash":', ...toJsonPieces(modhash, encoding), `,"dist":${children.length},"children":[`]
      for (const [place, child] of children.entries()) {
        if (place > 0) parts.push(',')
        if (child instanceof Fragment) parts.push(child)
        else parts.push(...toJsonPieces(child ?? null, encoding))
      }
      parts.push('],"after":', ...toJsonPieces(after, encoding), ',"before":', ...toJsonPieces(before, encoding), '}}')
      return parts
    },
    children.filter((child) => child instanceof Fragment),
  )

/** Returns a listing inside a response: no pages before or after it. */
export const closedListing = (children: readonly unknown[], modhash: string | null): Fragment => listingRecord(children, modhash, noEnds)
