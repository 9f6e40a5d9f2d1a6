import { createHash } from 'node:crypto'
import type { ProposedEvent } from '../../src/ports/event-store.ts'

/** An event where it stands in its stream. */
export type Standing = { readonly stream: string; readonly revision: number; readonly event: ProposedEvent }

/** An export that holds these events alone, as text. */
export const exportText = (events: readonly Standing[]): string => {
  const lines = events.map(
    ({ stream, revision, event: { id, type, data, meta } }) =>
      `${JSON.stringify({ stream, revision, id, type, data: JSON.parse(data), meta: JSON.parse(meta) })}\n`,
  )
  const hash = createHash('sha256')
  for (const line of lines) hash.update(line)
  const header = { format: 'rostra-log', version: 1, opened: false, events: events.length, sha256: hash.digest('hex') }
  return `${JSON.stringify(header)}\n${lines.join('')}`
}
