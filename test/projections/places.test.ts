import test from 'ava'
import { projections } from '../../projections/all.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import type { Logged } from '../../src/domain/events.ts'
import type { Document, PageBounds, Value } from '../../src/ports/documents.ts'
import { fieldOf } from '../../src/ports/orders.ts'
import { modLogOf } from '../../src/queries/mod-log.ts'
import { keyBy, walk } from '../../src/queries/ordered-source.ts'
import { revisionsOf } from '../../src/queries/wiki.ts'
import { documentChanges } from '../support/document-changes.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { catchUp, openFile } from '../support/read-models.ts'

/** Events that make an entry anew, at a new place: a thing stands where it was saved, and where it was gilded, last. */
const renewing = ['ThingSaved in shelves', 'ThingGilded in gildings']

type Row = Readonly<Record<string, Value>>

/** The first fields of orders that later events change: votes, comments, subscribers, the latest edit, the end of an effect. */
const ranks = ['hot', 'score', 'ups', 'fun', 'comments', 'subscribers', 'editedAt', 'due']
/** The first field of every other order. */
const keys = ['id', 'seq', 'position', 'at', 'date', 'since', 'first', 'savedAt', 'hiddenAt', 'mutedAt', 'blockedAt', 'name', 'lower']

/** The listings of a collection: the fields whose values make one, and its order. */
const listingsOf = ({ collection }: Projection) =>
  collection.indexes
    .filter(({ feed }) => !feed)
    .map(({ fields }) => {
      const first = fields.findIndex((field) => [...ranks, ...keys].includes(fieldOf(field)))
      return {
        within: fields.slice(0, first).map(fieldOf),
        order: fields.slice(first),
        isRank: ranks.includes(fieldOf(fields[first] ?? '')),
      }
    })

const valuesOf = (document: Document, fields: readonly string[]): readonly Value[] =>
  fields.map((field) => (document as unknown as Row)[fieldOf(field)] ?? null)

const same = (a: readonly Value[], b: readonly Value[]): boolean => a.every((value, n) => value === b[n])

const changes = () => documentChanges(projections, everyEvent)

test('no event moves an entry that another event made, in any order that is not a rank', (t) => {
  const moves = new Set<string>()
  const changed = new Set<string>()
  for (const { event, projection, before, after } of changes()) {
    if (!before || !after || before === after) continue
    changed.add(event.type)
    for (const { within, order, isRank } of listingsOf(projection)) {
      if (isRank) continue
      const stays = same(valuesOf(before, within), valuesOf(after, within))
      if (stays && !same(valuesOf(before, order), valuesOf(after, order))) moves.add(`${event.type} in ${projection.collection.name}`)
    }
  }
  t.deepEqual([...moves], renewing)
  t.true(changed.has('AccountTextsErased'))
})

test('a field that a collection declares unique never changes, and no two documents share its value', (t) => {
  for (const { event, projection, before, after, documents } of changes()) {
    const { name, unique = {} } = projection.collection
    for (const [field, within = []] of Object.entries(unique)) {
      if (!after) continue
      const key = valuesOf(after, [...within, field])
      t.false(key.includes(null), `${event.type}: ${name} ${after.id}`)
      if (before) t.deepEqual(key, valuesOf(before, [...within, field]), `${event.type}: ${name} ${after.id}`)
      else
        for (const other of documents.values())
          t.true(other === after || !same(key, valuesOf(other, [...within, field])), `${name} ${after.id} ${other.id}`)
    }
  }
})

test('a collection that is ordered by the positions of events says so: digests leave them out, and it is shown in the order of the log', (t) => {
  for (const { collection, inLogOrder = false } of projections) {
    const { indexes, positions = [] } = collection
    const ordered = indexes.filter(({ feed }) => !feed).flatMap(({ fields }) => fields.map(fieldOf).filter((field) => field === 'position'))
    t.deepEqual(positions, [...new Set(ordered)], collection.name)
    t.is(inLogOrder, positions.length > 0, collection.name)
  }
})

test('every listing of the history is the same in pages of any size, forwards and backwards', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(everyEvent)
  await catchUp(await openReadModels(ports, projections))
  const { documents } = stores
  let compared = 0
  for (const projection of projections)
    for (const { within, order } of listingsOf(projection)) {
      const all = await documents.walk(projection.collection, undefined, 10_000)
      const groups = Map.groupBy(all, (document) => JSON.stringify(valuesOf(document, within)))
      for (const [group, members] of groups) {
        const values = JSON.parse(group) as readonly Value[]
        const where = Object.fromEntries(within.map((field, n) => [field, values[n] ?? null]))
        const { collection } = projection
        const source = { keyOf: keyBy<Document>(order), find: (page: PageBounds) => documents.find(collection, { where, order, page }) }
        const whole = (await source.find({ limit: 10_000 })).map(({ id }) => id)
        t.deepEqual(whole.toSorted(), members.map(({ id }) => id).toSorted())
        for (const limit of [1, 2, 7]) {
          const there: string[] = []
          const back: string[] = []
          let page = await walk(source, limit, undefined)
          for (; ; page = await walk(source, limit, { after: source.keyOf(page.after) })) {
            there.push(...page.items.map(({ id }) => id))
            if (!page.after) break
          }
          t.deepEqual(there, whole)
          back.unshift(...page.items.map(({ id }) => id))
          while (page.before) {
            page = await walk(source, limit, { before: source.keyOf(page.before) })
            back.unshift(...page.items.map(({ id }) => id))
          }
          t.deepEqual(back, whole)
          compared += 1
        }
      }
    }
  t.true(compared > 500, `${compared}`)
})

test('the log of moderation and the revisions of a page are in the order of their events, whatever clocks say', async (t) => {
  const { append, ports, stores } = openFile(t)
  const backwards = everyEvent.map((event, n) => ({ ...event, at: 2_000_000_000_000 - n * 1_000 }) as Logged)
  await append(backwards)
  await catchUp(await openReadModels(ports, projections))
  const { documents } = stores
  const read = { documents, freshness: {} }
  const newest = backwards.map(({ id }) => id).toReversed()
  const inOrder = (ids: readonly string[]) => newest.filter((id) => ids.includes(id))
  const subsite = backwards.find(({ type }) => type === 'WikiPageRevised')?.data as { readonly subsite: string; readonly page: string }
  const all = { subsites: [subsite.subsite], actions: undefined, actors: undefined, target: undefined, since: undefined, until: undefined }
  for (const source of [modLogOf(read, all), revisionsOf(read, subsite.subsite, subsite.page)]) {
    const ids = (await source.find({ limit: 1_000 })).map(({ id }) => id)
    t.true(ids.length > 2)
    t.deepEqual(ids, inOrder(ids))
  }
})
