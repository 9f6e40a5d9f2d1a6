import { anybody, disclosed, readerOf } from '../disclosure/disclosure.ts'
import type { Codec } from '../log/codec.ts'
import { byLines, currentSchema, type Exporting } from './levels.ts'

/**
 * What anybody may read of events, who is not logged in, judged by the facts of now. Their hashes are left out: whoever could guess
 * what is withheld would see by them whether it is right.
 */
export const publicEvents = (open: Codec['open'], ports: Parameters<typeof readerOf>[0]): Exporting =>
  byLines('public', async (page) => {
    const opened = await open(page.map(({ recorded }) => recorded))
    const events = opened.map((event, index) => ({ ...event, n: page[index]?.n ?? 0 }))
    const seen = await disclosed(events, await readerOf(ports, anybody))
    return seen.map((event, index) => {
      if (event === undefined) return undefined
      const { at, type, id, stream, revision, by, data, withheld } = event
      return { n: page[index]?.n ?? 0, at, type, schema: currentSchema(type), id, stream, revision, by, data, withheld }
    })
  })
