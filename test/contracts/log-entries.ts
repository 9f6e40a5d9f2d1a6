import { randomUUID } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { AppendResult, EventStore, Position, ProposedEvent, RecordedEvent } from '../../src/ports/event-store.ts'

/** A store, and how to get another one on the same log after closing the first. Other cases may write to the log meanwhile. */
export type OpenedLog = { readonly events: EventStore; readonly reopen: () => Promise<EventStore> }

export const propose = (data: object = {}, type = 'ThingHappened'): ProposedEvent => ({
  id: randomUUID(),
  type,
  data: JSON.stringify(data),
  meta: JSON.stringify({ schema: 1 }),
})
export const proposeMany = (n: number): readonly ProposedEvent[] => Array.from({ length: n }, (_, i) => propose({ i }))
export const newStream = (): string => `contract-${randomUUID()}`
export const ids = (events: readonly { readonly id: string }[]): readonly string[] => events.map(({ id }) => id)
export const proposeSized = (bytes: number): ProposedEvent => ({
  id: randomUUID(),
  type: 'Grew',
  data: `"${'x'.repeat(bytes - 4)}"`,
  meta: '{}',
})

export const requireAppended = (t: ExecutionContext, result: AppendResult): Extract<AppendResult, { outcome: 'appended' }> => {
  if (result.outcome === 'appended') return result
  t.fail(`appended nothing: ${JSON.stringify(result)}`)
  throw new Error('appended nothing')
}

/** Everything after a position that stands in the given streams. */
export const allOf = async (
  events: EventStore,
  after: Position,
  streams: ReadonlySet<string>,
  limit = 500,
): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = []
  for (let position = after; ; ) {
    const page = await events.readAll(position, limit)
    found.push(...page.filter(({ stream }) => streams.has(stream)))
    const last = page.at(-1)
    if (!last) return found
    position = last.position
  }
}
