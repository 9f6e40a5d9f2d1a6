import { anybody, discloseEvents, readerOf } from '../disclosure/disclosure.ts'
import type { Codec } from '../log/codec.ts'
import { byLines, currentSchema, type Exporting } from './levels.ts'

/**
 * Exports the parts of events that anybody who is not logged in may read, by the facts of now. Hashes are left out: somebody who guesses a
 * withheld value could check it by them.
 */
export const publicEvents = (open: Codec['open'], ports: Parameters<typeof readerOf>[0]): Exporting =>
  byLines('public', async (page) => {
    const opened = await open(page.map(({ recorded }) => recorded))
    const events = opened.map((event, index) => ({ ...event, n: page[index]?.n ?? 0 }))
    const disclosed = await discloseEvents(events, await readerOf(ports, anybody))
    return disclosed.map((event, index) => {
      if (event === undefined) return undefined
      const { at, type, id, stream, revision, by, data, withheld } = event
      return { n: page[index]?.n ?? 0, at, type, schema: currentSchema(type), id, stream, revision, by, data, withheld }
    })
  })
