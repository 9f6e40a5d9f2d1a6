import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { type EventStore, LOG_START, type ProposedEvent, type RecordedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { temporaryDirectory } from './temporary.ts'

export const fileIn = (t: ExecutionContext): string => join(temporaryDirectory(t), 'rostra.db')
export const event = (id: string, bytes = 20): ProposedEvent => ({
  id,
  type: 'Written',
  data: JSON.stringify({ text: 'x'.repeat(bytes) }),
  meta: '{}',
})

export const readWholeLog = async (events: EventStore): Promise<readonly RecordedEvent[]> => {
  const found: RecordedEvent[] = []
  for (let after = LOG_START; ; ) {
    const page = await events.readAll(after, 1_000)
    const last = page.at(-1)
    if (!last) return found
    found.push(...page)
    after = last.position
  }
}

export const faultOf = async (t: ExecutionContext, work: Promise<unknown>): Promise<StoreFault> =>
  t.throwsAsync(work, { instanceOf: StoreFault })
