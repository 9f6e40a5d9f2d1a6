import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { type MongoStores, openMongo } from '../../src/adapters/mongodb/open.ts'
import type { Collection, Document, DocumentChange, DocumentStore } from '../../src/ports/documents.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import type { Vault } from '../../src/ports/vault.ts'
import { primaryOf } from '../support/document-address.ts'
import { documentServer } from '../support/document-server.ts'
import { openRelay, type Relay } from '../support/relay.ts'

type Tally = Document & { readonly group: string; readonly count: number }

const tallies: Collection<Tally> = { name: 'tallies', version: 1, indexes: [{ fields: ['group', '-count', 'id'] }] }

const EVENTS = 600
const BATCH = 15
const DOCUMENTS = 17

const position = (number: number): string => String(number).padStart(20, '0')
const touched = (number: number): string => `d${number % DOCUMENTS}`

/** Does the work of a projection worker on one batch: load, fold new events into each document, write, move the checkpoint. */
const projectOnce = async (documents: DocumentStore): Promise<'written' | 'fenced' | 'done'> => {
  const from = await documents.checkpoint('tallies')
  const first = Number(from ?? 0) + 1
  if (first > EVENTS) return 'done'
  const events = Array.from({ length: Math.min(BATCH, EVENTS - first + 1) }, (_, index) => first + index)
  const loaded = await documents.load(tallies, [...new Set(events.map(touched))])
  const changes = [...Map.groupBy(events, touched)].flatMap(([id, numbers]): readonly DocumentChange[] => {
    const known = loaded.get(id)
    const news = numbers.filter((number) => known === undefined || position(number) > known.position)
    const last = news.at(-1)
    if (last === undefined) return []
    const document: Tally = { id, group: 'all', count: ((known?.document as Tally | undefined)?.count ?? 0) + news.length }
    return [{ collection: tallies, id, position: position(last), document }]
  })
  return documents.write(changes, { name: 'tallies', from, to: position(first + events.length - 1) })
}

/** Works until the log's end, pausing between batches, as a worker that resumes after each fault; returns the number of faults and of fenced writes. */
const worker = async (documents: DocumentStore, rest = 0): Promise<{ readonly faults: number; readonly fences: number }> => {
  let [faults, fences] = [0, 0]
  for (;;) {
    try {
      const outcome = await projectOnce(documents)
      if (outcome === 'done') return { faults, fences }
      if (outcome === 'fenced') fences += 1
      if (rest > 0) await pause(rest)
    } catch (error) {
      if (!(error instanceof StoreFault) || (error.kind !== 'unavailable' && error.kind !== 'unknown-outcome')) throw error
      faults += 1
      await pause(20)
    }
  }
}

type Wins = { acknowledged: number; unknown: number; lost: number }

const noWins = (): Wins => ({ acknowledged: 0, unknown: 0, lost: 0 })

/** Count up by compare-and-set beside others, recording the result of each try. */
const race = async (vault: Vault, wins: Wins, goesOn: () => boolean): Promise<void> => {
  while (goesOn()) {
    try {
      const record = await vault.get('limit', 'counter')
      const value = Number(record?.value ?? 0) + 1
      wins[(await vault.putIf('limit', 'counter', record?.version ?? 0, { value })) ? 'acknowledged' : 'lost'] += 1
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      if (error.kind === 'unknown-outcome') wins.unknown += 1
      await pause(1)
    }
  }
}

const expected = Array.from({ length: EVENTS }, (_, index) => touched(index + 1)).reduce(
  (counts, id) => counts.set(id, (counts.get(id) ?? 0) + 1),
  new Map<string, number>(),
)

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB under faults is not tested: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  const clients = async (t: ExecutionContext, url: string, count: number): Promise<readonly MongoStores[]> => {
    const opened = await Promise.all(Array.from({ length: count }, () => openMongo({ url })))
    for (const { documents } of opened) await documents.prepare([tallies])
    t.teardown(() => Promise.all(opened.map(({ close }) => close())))
    return opened
  }

  const proxied = async (t: ExecutionContext): Promise<{ readonly url: string; readonly relay: Relay }> => {
    const { host, port, by } = await primaryOf(server.freshUrl())
    const relay = await openRelay({ host, port })
    t.teardown(relay.down)
    return { relay, url: by(relay.port) }
  }

  const tallied = async (t: ExecutionContext, documents: DocumentStore): Promise<void> => {
    const found = await documents.find(tallies, { where: { group: 'all' }, order: ['-count', 'id'], page: { limit: 100 } })
    t.deepEqual(Object.fromEntries(found.map(({ id, count }) => [id, count])), Object.fromEntries(expected))
    t.is(await documents.checkpoint('tallies'), position(EVENTS))
  }

  const dropped = async (url: string): Promise<void> => {
    const client = await new MongoClient(url).connect()
    await client.db().dropDatabase()
    await client.close()
  }

  /** Every set that was made is acknowledged, or said to be unknown; none that was acknowledged is missing. */
  const counted = async (t: ExecutionContext, vault: Vault, { acknowledged, unknown, lost }: Wins): Promise<void> => {
    const found = Number((await vault.get('limit', 'counter'))?.value)
    t.log(found, { acknowledged, unknown, lost })
    t.true(acknowledged > 0)
    t.true(found >= acknowledged, 'what was acknowledged is there')
    // if a repetition is not told from its first try, one that came too late to match may have been made, too
    const mistaken = server.can('serial-retries') ? 0 : lost
    t.true(found <= acknowledged + unknown + mistaken, 'what is there was not called unwritten')
  }

  test('two workers on one shard with repeatedly broken connections leave every document right', async (t) => {
    const { relay, url } = await proxied(t)
    const stores = await clients(t, url, 2)
    const working = Promise.all(stores.map(({ documents }) => worker(documents)))
    const over = working.then(() => true)
    let cuts = 0
    for (; cuts < 200 && !(await Promise.race([over, pause(40, false)])); cuts++) relay.cut()
    t.log(`${cuts} cuts`, ...(await working))
    const [first] = stores
    if (first) await tallied(t, first.documents)
    await dropped(url)
  })

  test('while connections break, the vault reports a write as failed only if it may have, and compare-and-set has one winner', async (t) => {
    const { relay, url } = await proxied(t)
    const [first, second] = await clients(t, url, 2)
    if (!first || !second) return t.fail()
    const cutting = setInterval(relay.cut, 25)
    const wins = noWins()
    const until = Date.now() + 1_500
    await Promise.all(
      [first, second].map(({ vault }) =>
        race(vault, wins, () => Date.now() < until || (wins.acknowledged < 5 && Date.now() < until + 20_000)),
      ),
    )
    clearInterval(cutting)
    await pause(50)
    await counted(t, first.vault, wins)
    await dropped(url)
  })

  const someTallies = (count: number): readonly DocumentChange[] =>
    Array.from({ length: count }, (_, index) => {
      const document: Tally = { id: `late${index}`, group: 'late', count: index }
      return { collection: tallies, id: document.id, position: position(1), document }
    })

  test.serial('a worker resumed in the middle of a write sends no more of it, so that swept documents stay deleted', async (t) => {
    const url = server.freshUrl()
    const [paused, other] = await clients(t, url, 2)
    if (!paused || !other) return t.fail()
    const changes = someTallies(300)
    const move = { name: 'late', from: undefined, to: position(1) }
    // It is paused after sending its first parts; meanwhile another does its work, deletes the documents and sweeps them.
    let asked = 0
    const isCurrent = () => ++asked <= 4
    t.is(await paused.documents.write(changes, move, isCurrent), 'fenced')
    t.true(asked > 4 && asked <= 8, `${asked}`)
    const removals = changes.map(({ collection, id }): DocumentChange => ({ collection, id, position: position(2), document: undefined }))
    t.is(await other.documents.write(removals, { ...move, to: position(2) }), 'written')
    t.is(await other.documents.sweep(tallies, position(2), 1_000), 300)
    t.is(await paused.documents.write(changes, [], isCurrent), 'fenced')
    t.deepEqual(
      [
        ...(await other.documents.load(
          tallies,
          changes.map(({ id }) => id),
        )),
      ],
      [],
    )
    await dropped(url)
  })

  test('the driver does not repeat a write whose connection broke while the worker was suspended', async (t) => {
    const { relay, url } = await proxied(t)
    const [paused] = await clients(t, url, 1)
    if (!paused) return t.fail()
    let asked = 0
    const isCurrent = () => {
      asked += 1
      if (asked === 1) relay.cut()
      return asked === 1
    }
    const outcome = await paused.documents.write(someTallies(1), [], isCurrent).catch((fault: unknown) => fault)
    // if the server is found again in time for a repetition, that is not sent
    if (asked === 1) t.true(outcome instanceof StoreFault, String(outcome))
    else t.is(outcome, 'fenced')
    t.is((await paused.documents.load(tallies, ['late0'])).size, 0)
    await dropped(url)
  })

  if (!server.alone)
    test.skip('a primary that steps down is not tested: other suites use this server (TEST_DOCUMENT_STORE_ALONE=1)', (t) => t.pass())
  else
    test.serial('repeated changes of the primary leave every document and every count right', async (t) => {
      t.timeout(240_000)
      const url = server.freshUrl()
      const [first, second, third] = await clients(t, url, 3)
      if (!first || !second || !third) return t.fail()
      const admin = await new MongoClient(url, { serverSelectionTimeoutMS: 500, heartbeatFrequencyMS: 500 }).connect()
      const working = worker(first.documents, 300)
      const over = working.then(() => true)
      let isOver = false
      const wins = noWins()
      const racing = Promise.all([second, third].map(({ vault }) => race(vault, wins, () => !isOver)))
      let times = 0
      for (; times < 20 && !(await Promise.race([over, pause(300, false)])); times++)
        await admin
          .db('admin')
          .command({ replSetStepDown: 1, secondaryCatchUpPeriodSecs: 0, force: true })
          .catch(() => undefined)
      await admin.close()
      t.log(`${times} step-downs`, await working)
      isOver = true
      await racing
      await tallied(t, first.documents)
      await counted(t, first.vault, wins)
      await dropped(url)
    })
}
