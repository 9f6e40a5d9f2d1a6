import test from 'ava'
import { projections } from '../../../projections/all.ts'
import { PoisonEvent, parked } from '../../../projections/engine/parked.ts'
import type { Projection } from '../../../projections/engine/projection.ts'
import { openReadModels, rebuild } from '../../../projections/engine/sets.ts'
import { links } from '../../../projections/links.ts'
import type { EventName, Logged } from '../../../src/domain/events.ts'
import { LinkSubmitted, LinkUnlocked } from '../../../src/domain/link.ts'
import { VoteCast } from '../../../src/domain/vote.ts'
import { codec } from '../../../src/log/codec.ts'
import { openKeyring } from '../../../src/log/keys.ts'
import { ann, bob, carol, dave, pot, story, tea, told } from '../../support/example-history.ts'
import { inNameOf, type LoggedEvent, loggedFrom, positionOf } from '../../support/logged-events.ts'
import { allOf, catchUp, contentsOf, openFile } from '../../support/read-models.ts'

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
const events = loggedFrom([
  ...told,
  inNameOf(bob)(submitted),
  voted(pot, dave),
  inNameOf(carol, 'moderator')(LinkUnlocked({ subsite: tea, target })),
  voted(kettle, dave),
  voted(kettle, carol),
])
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
      id: `${table}/${pot}`,
      collection: table,
      document: pot,
      event: poison?.id ?? '',
      type: 'VoteCast',
      position: poison?.position ?? '',
      error: 'no such cup',
      later: 1,
      last: positionOf(events.length - 2),
    },
  ])
})

test('parked events stay parked after a restart, and a rebuild with corrected code applies them', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(events.slice(0, -3))
  await catchUp(await openReadModels(ports, poisoned()))
  await append(events.slice(-3))
  await catchUp(await openReadModels(ports, projections))
  t.like(
    (await allOf(stores.documents, links)).find(({ id }) => id === pot),
    { ups: 2, locked: true },
  )
  t.is((await allOf(stores.documents, parked))[0]?.later, 1)
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
  t.like(runner.parked()[0], { id: `*/${stream}`, collection: '*', document: stream, event: unreadable.id, type: 'TeaSpilt', later: 1 })
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
    runner.parked().map(({ id, later }) => [id, later]),
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
