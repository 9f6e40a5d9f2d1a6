import { glob } from 'node:fs/promises'
import test from 'ava'
import { type Aggregate, fold } from '../../src/domain/decision.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { kindOf } from '../../src/domain/ids.ts'
import { everyEvent } from '../support/every-event/every-event.ts'

const isAggregate = (value: unknown): value is Aggregate<unknown, AnyEvent> =>
  typeof value === 'object' && value !== null && 'category' in value && 'on' in value

const domain = new URL('../../src/domain/', import.meta.url)
const aggregates = new Map<string, Aggregate<unknown, AnyEvent>>()
for await (const file of glob('*.ts', { cwd: domain.pathname }))
  for (const exported of Object.values(await import(new URL(file, domain).href)))
    if (isAggregate(exported)) aggregates.set(exported.category, exported)

/** Categories of accounts, although their events name the subsites of gilded things. */
const ofAccounts = new Set(['credits'])
const things: readonly unknown[] = ['link', 'comment', 'message']

test('every stream whose events name a subsite is of that subsite, or of that of a thing in its name', (t) => {
  let looked = 0
  for (const [stream, events] of Map.groupBy(everyEvent, (event) => event.stream)) {
    const category = stream.slice(0, stream.indexOf('-'))
    const named = new Set(events.flatMap(({ data }) => ('subsite' in data ? [data.subsite] : [])))
    const aggregate = aggregates.get(category)
    if (!aggregate) t.fail(`src/domain exports no aggregate ${category}`)
    else if (named.size > 0 && !ofAccounts.has(category)) {
      const name = aggregate.subsiteOf?.(stream.slice(category.length + 1), fold(aggregate, undefined, events)) ?? null
      if (name !== null && things.includes(kindOf(name))) t.true(stream.endsWith(name), stream)
      else t.deepEqual(new Set([name]), named, stream)
      looked += 1
    }
  }
  t.true(looked > 20)
})
