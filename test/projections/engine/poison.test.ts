import test, { type ExecutionContext } from 'ava'
import { projections } from '../../../projections/all.ts'
import { openFeed } from '../../../projections/engine/feed.ts'
import { PoisonEvent, parked } from '../../../projections/engine/parked.ts'
import type { Projection } from '../../../projections/engine/projection.ts'
import { collectionsOf, openReadModels, rebuild } from '../../../projections/engine/sets.ts'
import { openShardedRunner } from '../../../projections/engine/sharded-runner.ts'
import { SHARD_COUNT, shardCheckpoints, shardOf } from '../../../projections/engine/shards.ts'
import { links } from '../../../projections/links.ts'
import type { EventName, Logged } from '../../../src/domain/events.ts'
import { LinkLocked, LinkSubmitted, LinkUnlocked } from '../../../src/domain/link.ts'
import { VoteCast } from '../../../src/domain/vote.ts'
import { codec } from '../../../src/log/codec.ts'
import { openKeyring } from '../../../src/log/keys.ts'
import type { DocumentChange, DocumentStore } from '../../../src/ports/documents.ts'
import type { Position } from '../../../src/ports/event-store.ts'
import { StoreFault } from '../../../src/ports/faults.ts'
import { readChangesBetween } from '../../../src/runtime/recorded-changes.ts'
import { ann, bob, carol, dave, pot, story, tea, told } from '../../support/example-history.ts'
import { inNameOf, type LoggedEvent, loggedFrom, positionOf } from '../../support/logged-events.ts'
import { allOf, catchUp, contentsOf, openFile, watchForeignLog } from '../../support/read-models.ts'
import { recordedStore } from '../../support/recorded-store.ts'

const table = `${links.name}_v${links.version}`

const kettle = 't5_kettle'
const target = { id: pot, author: ann, title: 'A good pot', excerpt: '' }
const submitted = LinkSubmitted({
  link: kettle,
  subsite: tea,
  author: bob,
  title: 'A kettle',
  url: 'https://example.org/',
  over18: false,
  sendReplies: true,
  filtered: false,
})
const voted = (thing: string, voter: string): LoggedEvent =>
  inNameOf(voter)(
    VoteCast({
      thing,
      link: thing,
      subsite: tea,
      author: thing === pot ? ann : bob,
      voter,
      before: { insightful: false, funny: false },
      after: { insightful: true, funny: false },
      karma: true,
    }),
  )

/** bob submits a kettle; dave likes the pot, which is poison; carol unlocks the pot; dave and carol like the kettle. */
const recorded = [
  ...told,
  inNameOf(bob)(submitted),
  voted(pot, dave),
  inNameOf(carol, 'moderator')(LinkUnlocked({ subsite: tea, target })),
  voted(kettle, dave),
  voted(kettle, carol),
]
const events = loggedFrom(recorded)
const poison = events[told.length + 1]

const failsOn = (name: string, type: EventName, fails: (event: Logged) => boolean, tries: { count: number } = { count: 0 }) =>
  projections.map((projection): Projection => {
    const read = projection.on[type] as ((event: Logged) => ReturnType<NonNullable<(typeof projection.on)[EventName]>>) | undefined
    if (projection.collection.name !== name || !read) return projection
    const wrapped = (event: Logged) =>
      read(event).map(({ id, change }) => ({
        id,
        change: (document: Parameters<typeof change>[0]) => {
          if (!fails(event)) return change(document)
          tries.count += 1
          throw new Error('no such cup')
        },
      }))
    return { ...projection, on: { ...projection.on, [type]: wrapped } }
  })

const poisoned = (tries?: { count: number }) => failsOn('links', 'VoteCast', ({ id }) => id === poison?.id, tries)

test('a document on which an event fails is parked with its later events, and nothing else is', async (t) => {
  const healthy = openFile(t)
  await healthy.append(events)
  await catchUp(await openReadModels(healthy.ports, projections))
  const expected = await contentsOf(healthy.stores.documents, projections)

  const sick = openFile(t)
  await sick.append(events.slice(0, 30))
  const tries = { count: 0 }
  const reported: string[] = []
  const onParked = ({ message }: PoisonEvent) => reported.push(message)
  const runner = await openReadModels({ ...sick.ports, onParked }, poisoned(tries))
  await sick.append(events.slice(30))
  await catchUp(runner, 3)
  t.is(tries.count, 3)
  t.deepEqual(reported, [`VoteCast ${poison?.id} at ${poison?.position} cannot be projected into ${table}/${pot}: no such cup`])
  const found = await contentsOf(sick.stores.documents, projections)
  t.deepEqual({ ...found, links: [] }, { ...expected, links: [] })
  const link = (contents: typeof found, id: string) => contents.links?.find((document) => document.id === id)
  t.deepEqual(link(found, kettle), link(expected, kettle))
  t.like(link(found, pot), { ups: 2, locked: true }) // as it was before the poison; it is not unlocked either
  t.like(link(expected, pot), { ups: 3, locked: false })
  t.deepEqual(runner.parked(), await allOf(sick.stores.documents, parked))
  t.deepEqual(runner.parked(), [
    {
      id: `${table}/${pot}@${poison?.position}`,
      collection: table,
      document: pot,
      event: poison?.id ?? '',
      type: 'VoteCast',
      position: poison?.position ?? '',
      error: 'no such cup',
      after: positionOf(30),
      later: 1,
      last: positionOf(events.length - 2),
    },
  ])
})

/** A file whose pot is parked at the poison, with the contents that it should have. */
const openParked = async (t: ExecutionContext, broken = poisoned()) => {
  const healthy = openFile(t)
  await healthy.append(events)
  await catchUp(await openReadModels(healthy.ports, projections))
  const file = openFile(t)
  await file.append(events.slice(0, 30))
  const runner = await openReadModels(file.ports, broken)
  await file.append(events.slice(30))
  await catchUp(runner, 3)
  return { ...file, expected: await contentsOf(healthy.stores.documents, projections) }
}

test('the next start with the same code leaves a parked document as it is, and tries no later event', async (t) => {
  const { ports, stores } = await openParked(t)
  const before = { parked: await allOf(stores.documents, parked), contents: await contentsOf(stores.documents, projections) }
  const tries = { count: 0 }
  await catchUp(await openReadModels(ports, poisoned(tries)))
  t.is(tries.count, 3)
  t.deepEqual({ parked: await allOf(stores.documents, parked), contents: await contentsOf(stores.documents, projections) }, before)
})

test('the next start with corrected code applies the events of a parked document in their order, and those after them', async (t) => {
  const { ports, stores, append, expected } = await openParked(t)
  const runner = await openReadModels(ports, projections)
  t.deepEqual(runner.parked(), [])
  t.deepEqual(await allOf(stores.documents, parked), [])
  t.deepEqual(await contentsOf(stores.documents, projections), expected)
  const more = loggedFrom([...recorded, inNameOf(carol, 'moderator')(LinkLocked({ subsite: tea, target }))])
  await append(more.slice(events.length))
  await catchUp(runner)
  t.like(
    (await allOf(stores.documents, links)).find(({ id }) => id === pot),
    { ups: 3, locked: true },
  )
})

test('a document is parked again at a later event that fails, and another start goes on there', async (t) => {
  const unlock = events.findIndex(({ type }, at) => type === 'LinkUnlocked' && at > told.length)
  const { ports, stores, append, expected } = await openParked(t)
  const later = failsOn('links', 'LinkUnlocked', ({ id }) => id === events[unlock]?.id)
  await openReadModels(ports, later)
  t.like(
    (await allOf(stores.documents, links)).find(({ id }) => id === pot),
    { ups: 3, locked: true },
  )
  t.like(await allOf(stores.documents, parked), [{ document: pot, type: 'LinkUnlocked', later: 0 }])
  t.is((await allOf(stores.documents, parked)).length, 1)
  const more = loggedFrom([...recorded, voted(pot, bob)])
  await append(more.slice(events.length))
  await catchUp(await openReadModels(ports, later))
  t.like(await allOf(stores.documents, parked), [{ document: pot, type: 'LinkUnlocked', later: 1 }])
  await catchUp(await openReadModels(ports, projections))
  t.deepEqual(await allOf(stores.documents, parked), [])
  const link = (await allOf(stores.documents, links)).find(({ id }) => id === pot)
  t.like(link, { ups: 4, locked: false })
  t.deepEqual((await contentsOf(stores.documents, projections)).karma?.length, expected.karma?.length)
})

test('a document can be parked again after it was tried with success', async (t) => {
  const { ports, stores, append } = await openParked(t)
  await openReadModels(ports, projections)
  const more = loggedFrom([...recorded, voted(pot, bob)])
  const runner = await openReadModels(
    ports,
    failsOn('links', 'VoteCast', ({ id }) => id === more.at(-1)?.id),
  )
  await append(more.slice(events.length))
  await catchUp(runner)
  t.deepEqual(await allOf(stores.documents, parked), runner.parked())
  t.like(runner.parked(), [{ document: pot, position: positionOf(more.length) }])
})

test('a worker that takes over a shard tries its parked documents again', async (t) => {
  const { expected } = await openParked(t)
  const shards = everyShard
  const file = openFile(t)
  await file.append(events)
  await file.stores.documents.prepare(collectionsOf(projections))
  const sick = openShardedRunner(file.ports, openFeed(watchForeignLog(file.stores.events)), poisoned())
  while ((await sick.turn(shards)) !== 'waited');
  t.is(sick.parked(), 1)
  const others = new Set([...shards].filter((shard) => shard !== shardOf(pot)))
  const worker = openShardedRunner(file.ports, openFeed(watchForeignLog(file.stores.events)), projections)
  await worker.turn(others)
  t.is(worker.parked(), 1, 'the document is in the shard of another worker')
  const late = openShardedRunner(file.ports, openFeed(watchForeignLog(file.stores.events)), projections)
  await late.turn(shards, () => false)
  t.is(late.parked(), 1, 'a worker whose lease ended writes nothing')
  const healthy = openShardedRunner(file.ports, openFeed(watchForeignLog(file.stores.events)), projections)
  await healthy.turn(shards)
  t.is(healthy.parked(), 0)
  t.deepEqual(await contentsOf(file.stores.documents, projections), expected)
  t.deepEqual(await allOf(file.stores.documents, parked), [])
})

/** Documents of which a write stores only some changes, and no checkpoint, before the process ends. */
const dyingAt = (
  documents: DocumentStore,
  isStored: (change: DocumentChange, n: number) => boolean,
  dies: (changes: readonly DocumentChange[]) => boolean,
): DocumentStore => ({
  ...documents,
  write: async (changes, ...others) => {
    if (!dies(changes)) return documents.write(changes, ...others)
    await documents.write(changes.filter(isStored), [])
    throw new StoreFault('unknown-outcome', 'the process ended')
  },
})

const everyShard = new Set(Array.from({ length: SHARD_COUNT }, (_, shard) => shard))

test('a document stays parked if the process that parked it ended before its checkpoint moved', async (t) => {
  const parks = (changes: readonly DocumentChange[]) => changes.some(({ collection }) => collection.name === parked.name)
  const alone = openFile(t)
  await alone.append(events.slice(0, 30))
  const all = dyingAt(alone.stores.documents, () => true, parks)
  const ending = await openReadModels({ ...alone.ports, documents: all }, poisoned())
  await alone.append(events.slice(30))
  await t.throwsAsync(catchUp(ending), { instanceOf: StoreFault })
  await catchUp(await openReadModels(alone.ports, poisoned()))
  t.like(await allOf(alone.stores.documents, parked), [{ document: pot }])

  const shared = openFile(t)
  await shared.append(events.slice(0, 30))
  await shared.stores.documents.prepare(collectionsOf(projections))
  const open = (documents: DocumentStore) =>
    openShardedRunner({ ...shared.ports, documents }, openFeed(watchForeignLog(shared.stores.events)), poisoned())
  const [first, next] = [open(dyingAt(shared.stores.documents, () => true, parks)), open(shared.stores.documents)]
  while ((await first.turn(everyShard)) !== 'waited');
  await shared.append(events.slice(30))
  await t.throwsAsync(first.turn(everyShard), { instanceOf: StoreFault })
  while ((await next.turn(everyShard)) !== 'waited');
  t.like(await allOf(shared.stores.documents, parked), [{ document: pot }])
})

test('a try of a parked document that ends after any part of its write is made again', async (t) => {
  for (const stored of ['none', parked.name, links.name]) {
    const file = await openParked(t)
    const { documents } = file.stores
    const dying = dyingAt(
      documents,
      ({ collection }) => collection.name === stored,
      (changes) => changes.length > 0,
    )
    await t.throwsAsync(openReadModels({ ...file.ports, documents: dying }, projections), { instanceOf: StoreFault })
    await catchUp(await openReadModels(file.ports, projections))
    t.deepEqual(await contentsOf(documents, projections), file.expected, stored)
    t.deepEqual(await allOf(documents, parked), [], stored)
  }
})

test('all parked documents are tried again in one pass over the log, from the first that may succeed', async (t) => {
  const failing =
    (document: string) =>
    ({ type, data }: Logged) =>
      type === 'VoteCast' && data.thing === document && data.voter !== bob
  const broken = failsOn('links', 'VoteCast', (event) => failing(pot)(event) || failing(kettle)(event))
  const { ports, stores, expected } = await openParked(t, broken)
  t.deepEqual((await allOf(stores.documents, parked)).map(({ document }) => document).toSorted(), [kettle, pot])
  let read = 0
  const counting = {
    ...ports.events,
    readAll: async (after: Position, limit: number) => {
      const page = await ports.events.readAll(after, limit)
      read += page.length
      return page
    },
  }
  await openReadModels({ ...ports, events: counting }, failsOn('links', 'VoteCast', failing(pot)))
  t.like(await allOf(stores.documents, parked), [{ document: pot }])
  t.is((await allOf(stores.documents, parked)).length, 1)
  const once = read
  t.true(once <= events.length, `${once}`)
  await openReadModels({ ...ports, events: counting }, projections)
  t.true(read - once <= events.length, `${read - once}`)
  t.deepEqual(await allOf(stores.documents, parked), [])
  t.deepEqual(await contentsOf(stores.documents, projections), expected)
})

test('other processes hear of a document that a worker tried again with success, with the next batch', async (t) => {
  const file = openFile(t)
  const documents = recordedStore(file.stores.documents)
  const names = shardCheckpoints(projections)
  await file.append(events)
  await documents.prepare(collectionsOf(projections))
  const open = (some: readonly Projection[]) =>
    openShardedRunner({ ...file.ports, documents }, openFeed(watchForeignLog(file.stores.events)), some)
  const sick = open(poisoned())
  while ((await sick.turn(everyShard)) !== 'waited');
  const before = await documents.checkpoints(names)
  const healthy = open(projections)
  await healthy.turn(everyShard)
  const more = loggedFrom([...recorded, voted(kettle, bob), voted(kettle, ann)])
  await file.append(more.slice(events.length, -1))
  while ((await healthy.turn(everyShard)) !== 'waited');
  const changes = readChangesBetween(before, await documents.progress(names, before))
  t.true(changes === undefined || changes.get(links.name)?.has(pot), 'it is named, or everything counts as changed')
  const between = await documents.checkpoints(names)
  await file.append(more.slice(-1))
  while ((await healthy.turn(everyShard)) !== 'waited');
  t.truthy(readChangesBetween(between, await documents.progress(names, between)), 'later batches are recorded')
})

test('a rebuild with corrected code applies parked events', async (t) => {
  const { ports, stores } = await openParked(t)
  await rebuild(ports, projections, ['links'])
  t.like(
    (await allOf(stores.documents, links)).find(({ id }) => id === pot),
    { ups: 3, locked: false },
  )
  t.deepEqual(await allOf(stores.documents, parked), [])
})

test('a rebuild of other collections keeps parked events', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(events)
  await catchUp(await openReadModels(ports, poisoned()))
  const before = await allOf(stores.documents, parked)
  await rebuild(ports, projections, ['votes', 'karma'])
  t.deepEqual(await allOf(stores.documents, parked), before)
})

test('a failing event ends a rebuild, and the next start rebuilds', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(events)
  await catchUp(await openReadModels(ports, projections))
  const expected = await contentsOf(stores.documents, projections)
  const error = await t.throwsAsync(rebuild(ports, poisoned(), ['links']), { instanceOf: PoisonEvent })
  t.regex(String(error?.message), new RegExp(`VoteCast .* cannot be projected into ${table}/t5_pot: no such cup`))
  await catchUp(await openReadModels(ports, projections))
  t.deepEqual(await contentsOf(stores.documents, projections), expected)
})

test('an unreadable event parks its whole stream in every collection', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(story)
  const runner = await openReadModels(ports, projections)
  const unreadable = { id: '00000000-0000-5000-8000-0000000000ff', type: 'TeaSpilt', data: '{}', meta: '{}' }
  const stream = `link-${pot}`
  await stores.events.append(stream, 1, [unreadable])
  const more = loggedFrom([...told, inNameOf(carol)(LinkUnlocked({ subsite: tea, target })), voted(pot, dave)]).slice(told.length)
  await append(more.map((event) => (event.stream === stream ? { ...event, revision: 3 } : event)) as typeof more)
  await catchUp(runner)
  t.like(runner.parked()[0], { collection: '*', document: stream, event: unreadable.id, type: 'TeaSpilt', later: 1 })
  t.like((await allOf(stores.documents, links))[0], { locked: true, ups: 3 }) // the vote stands on another stream
  await t.throwsAsync(rebuild(ports, projections, []), { instanceOf: PoisonEvent })
})

test('a projection that fails to name the documents of an event parks the stream in its collection', async (t) => {
  const broken = projections.map((projection): Projection => {
    if (projection.collection.name !== 'votes') return projection
    const VoteCast = () => {
      throw new Error('which cup?')
    }
    return { ...projection, on: { ...projection.on, VoteCast } }
  })
  const { append, ports } = openFile(t)
  await append(story)
  const runner = await openReadModels(ports, broken)
  t.deepEqual(
    runner.parked().map(({ collection, document, later }) => [`${collection}/${document}`, later]),
    story
      .filter(({ type }) => type === 'VoteCast')
      .map(({ stream }) => [`votes_v1/${stream}`, 0])
      .toSorted(),
  )
})

test('a damaged key parks the events sealed with it, and nothing else', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(story)
  await stores.vault.put('key', bob, { value: 'no key', owner: bob })
  const { open } = codec(openKeyring(stores.vault))
  const runner = await openReadModels({ ...ports, open }, projections)
  await catchUp(runner)
  t.true(runner.parked().length > 0)
  for (const { error } of runner.parked()) t.regex(error, /the vault's key of t2_bob is damaged/)
  t.is((await allOf(stores.documents, links)).find(({ id }) => id === pot)?.title, 'A good pot')
})
