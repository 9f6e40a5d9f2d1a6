import type { Fields } from './incoming.ts'
import type { Exchange } from './request-state.ts'

/** `raw_json=1`, in the query or the body: text without entities. */
export const noteRawJson = (exchange: Exchange, { raw_json }: Fields): void => {
  if (raw_json === '1') exchange.writing = { ...exchange.writing, encoding: 'unicode' }
}
