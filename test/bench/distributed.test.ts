import test from 'ava'
import { MongoClient } from 'mongodb'
import { fillLog } from '../../bench/fill-log.ts'
import { history } from '../../bench/history.ts'
import { rateOf } from '../../bench/in-flight.ts'
import { inDatabase, openServers } from '../../bench/servers.ts'
import { votesLike } from '../../bench/vote-appends.ts'
import { openEventStoreDb } from '../../src/adapters/eventstoredb/event-store.ts'
import { Misuse } from '../../src/cli/data-file.ts'
import type { Logged } from '../../src/domain/events.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { writeSide } from '../support/commanding.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'

test('changing the database in an address keeps its credentials and settings', (t) => {
  t.is(inDatabase('mongodb://127.0.0.1:27017', 'b'), 'mongodb://127.0.0.1:27017/b')
  t.is(inDatabase('mongodb://h1:1,h2:2/a?replicaSet=rs0&tls=true', 'b'), 'mongodb://h1:1,h2:2/b?replicaSet=rs0&tls=true')
  t.is(inDatabase('mongodb://u:p@h/?tls=true', 'b'), 'mongodb://u:p@h/b?tls=true')
  t.is(inDatabase('mongodb://u:p@h/a', 'b'), 'mongodb://u:p@h/b?authSource=a')
  t.is(inDatabase('mongodb+srv://u:p@h/a?authSource=admin', 'b'), 'mongodb+srv://u:p@h/b?authSource=admin')
})

const isVote = (event: Logged): event is Logged<'VoteCast'> => event.type === 'VoteCast'

test('a log written with many appends in flight has every event, none before one it refers to', async (t) => {
  const { events, log } = await writeSide(t)
  const written = await fillLog(events, log, history(60, [5]))
  const all = await log.open(await events.readAll(LOG_START, 10_000))
  t.is(all.length, written)
  const there = new Set<string>()
  for (const event of all) {
    if (event.type === 'LinkSubmitted') there.add(event.data.link)
    if (event.type === 'CommentPosted') there.add(event.data.comment)
    if (isVote(event)) t.true(there.has(event.data.thing), `a vote on ${event.data.thing} came before it`)
  }
})

test('the bench’s votes are as large as those of the service, and can be appended at their revisions, also after an interrupted run', async (t) => {
  const { events, log } = await writeSide(t)
  await fillLog(events, log, history(20, []))
  const recorded = await events.readAll(LOG_START, 10_000)
  const models = [...new Map((await log.open(recorded)).filter(isVote).map((vote) => [vote.data.thing, vote])).values()].slice(0, 3)
  const supply = votesLike(models, log)
  const sizes = new Set(recorded.filter(({ type }) => type === 'VoteCast').map(({ data }) => data.length))
  const revisions = new Set<number | 'none'>()
  for (const [made, sent] of [
    [100, 60],
    [10, 5],
    [100, 100],
  ] as const) {
    t.true((await supply.fill(made)).length >= made)
    for (let n = 0; n < sent; n += 1) {
      const { stream, expected, event } = supply.next()
      t.is((await events.append(stream, expected, [event])).outcome, 'appended')
      revisions.add(expected)
      t.true(
        [...sizes].some((size) => Math.abs(size - event.data.length) <= 4),
        `${event.data.length} characters`,
      )
    }
  }
  t.deepEqual(revisions, new Set(['none', 0, 1, 2]))
  t.throws(() => {
    for (;;) supply.next()
  })
})

test('a rate counts the calls completed until the time ends or no more are left', async (t) => {
  let [inFlight, most, done] = [0, 0, 0]
  const call = async () => {
    inFlight += 1
    most = Math.max(most, inFlight)
    await new Promise((resolve) => setTimeout(resolve, 5))
    inFlight -= 1
    done += 1
  }
  const { perSecond: rate } = await rateOf(Array.from({ length: 40 }, () => call).values(), 8, 60)
  t.is(done, 40)
  t.is(most, 8)
  t.true(rate > 0 && rate <= 8 / 0.004)
  const begun = performance.now()
  await rateOf(Array.from({ length: 1_000_000 }, () => call).values(), 8, 0.05)
  t.true(performance.now() - begun < 5_000 && done > 40)
})

const server = await documentServer()

if (typeof server === 'string') test.skip(`what a bench refuses to write into is not tried: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  test('the bench refuses a log or a database that is not empty, and leaves nothing behind', async (t) => {
    const log = await startEventStoreServer()
    t.teardown(log.stop)
    const url = `esdb://127.0.0.1:${log.port}?tls=false`
    const database = server.freshUrl()
    const client = await new MongoClient(database).connect()
    t.teardown(() => client.close())
    const cleanUps: (() => Promise<void>)[] = []
    const open = () => openServers(url, database, (cleanUp) => cleanUps.push(cleanUp))
    const left = async () => {
      for (const cleanUp of cleanUps) await cleanUp()
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
      return databases.filter(({ name }) => name.startsWith('rostra_bench_'))
    }

    await open()
    await client.db().collection('links_v2').insertOne({ title: 'tea' })
    const full = await t.throwsAsync(open, { instanceOf: Misuse })
    t.regex(full.message, /^--document-store: the database test_\w+ is not empty/)
    await client.db().dropDatabase()
    const store = await openEventStoreDb({ url })
    await store.append('link-t5_1', 'none', [{ id: crypto.randomUUID(), type: 'LinkSubmitted', data: '{}', meta: '{}' }])
    await store.close()
    const used = await t.throwsAsync(open, { instanceOf: Misuse })
    t.regex(used.message, /^--event-store: the log is not empty/)
    t.deepEqual(await left(), [])
  })
}
