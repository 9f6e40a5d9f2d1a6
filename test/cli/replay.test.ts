import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { projections } from '../../projections/all.ts'
import { digestOf } from '../../projections/engine/digest.ts'
import { collectionsOf, openReadModels } from '../../projections/engine/sets.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { withdrawing } from '../../src/cli/withdrawals.ts'
import { configOf } from '../../src/config.ts'
import { eventDefinitions, type Logged } from '../../src/domain/events.ts'
import { codec } from '../../src/log/codec.ts'
import { labelOf } from '../../src/log/key-tree.ts'
import { MAX_ERASED_THINGS, openKeyring, recordWithout, thingKeysOf } from '../../src/log/keys.ts'
import { openLog } from '../../src/operations/logging.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { openStores } from '../../src/stores.ts'
import { call, runCommand } from '../support/command.ts'
import { copyIn, makeCopy } from '../support/copies.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { positionOf } from '../support/logged-events.ts'
import { catchUp, openFile } from '../support/read-models.ts'

const storesIn = (file: string) => ({ EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` })

/** A history without deletions. */
const history = [...syntheticLog({ seed: 5, links: 20, subsites: 3, accounts: 12 })].map(
  (event, index) => ({ ...event, position: positionOf(index + 1) }) as Logged,
)

const fileWith = async (t: ExecutionContext, events: readonly Logged[]) => {
  const opened = openFile(t)
  await opened.append(events)
  return opened
}

const digestsIn = async (t: ExecutionContext, file: string) => {
  const stores = await openSqlite({ file, readOnly: true })
  t.teardown(stores.close)
  await stores.documents.prepare(collectionsOf(projections))
  return Promise.all(projections.map(({ collection }) => digestOf(stores.documents, collection)))
}

/** The read models of a site that stopped after these events. */
const digestsAfter = async (t: ExecutionContext, events: readonly Logged[]) => {
  const { ports, stores } = await fileWith(t, events)
  await catchUp(await openReadModels(ports, projections))
  return Promise.all(projections.map(({ collection }) => digestOf(stores.documents, collection)))
}

test('a copy until an event, its position or its time is the site that stopped there, and its log byte for byte', async (t) => {
  const { file, stores } = await fileWith(t, history)
  const n = Math.floor(history.length / 2)
  const { position = '', at = 0 } = history[n] ?? {}
  const stopped = await digestsAfter(t, history.slice(0, n + 1))
  t.true(stopped.some(({ documents }) => documents > 10))
  for (const until of [String(n), position, new Date(at).toISOString()]) {
    const copy = await makeCopy(t, storesIn(file), '--until', until)
    t.deepEqual(await digestsIn(t, copy), stopped, until)
    const { events, close } = await openSqlite({ file: copy, readOnly: true })
    t.deepEqual(await events.readAll(LOG_START, 10_000), (await stores.events.readAll(LOG_START, 10_000)).slice(0, n + 1))
    await close()
  }
})

test('a copy is audited as a copy: no reactions ran in it, and deletions since stand at other places than in its log', async (t) => {
  const whole = await fileWith(t, everyEvent)
  for (const [file, n] of [
    [(await fileWith(t, history)).file, Math.floor(history.length / 2)],
    [whole.file, 60],
    [whole.file, everyEvent.length - 1],
  ] as const) {
    const copy = await makeCopy(t, storesIn(file), '--until', String(n))
    const { code, stdout, stderr } = await runCommand('audit', copy)
    t.is(code, 0, stdout + stderr)
  }
})

test('a copy is one file of its owner alone, and without a place it is the whole site', async (t) => {
  const { file } = await fileWith(t, history)
  const copy = await makeCopy(t, storesIn(file))
  t.deepEqual(readdirSync(dirname(copy)), ['rostra.db'])
  t.is(statSync(copy).mode & 0o777, 0o600)
  t.deepEqual(await digestsIn(t, copy), await digestsAfter(t, history))
})

test('a copy is never written over what is there, nor made of nothing or beyond the end, and says so in one line', async (t) => {
  const { file } = await fileWith(t, history)
  const there = copyIn(t)
  writeFileSync(there, 'mine')
  const replayed = (...args: readonly string[]) => runCommand('replay', file, ...args)
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--into', there], /is there already/],
    [['--into', file], /is there already/],
    [['--until', '3'], /either --into FILE or --with FOLD says what to make; usage: npx rostra replay/],
    [['--into', copyIn(t), '--until', 'soon'], /--until is 'soon'; usage/],
    [
      ['--into', copyIn(t), '--until', String(history.length)],
      new RegExp(`has ${history.length} events: the last is ${history.length - 1}`),
    ],
    [['--into', copyIn(t), '--until', '2001-01-01'], /the log has no events up to --until/],
  ]
  for (const [args, why] of cases) {
    const { code, stderr } = await replayed(...args)
    t.is(code, 2)
    t.regex(stderr, why)
    t.regex(stderr, /^[^\n]+\n$/)
    const into = args[args.indexOf('--into') + 1] ?? ''
    if (into !== there && into !== file) t.false(existsSync(into))
  }
  t.is(readFileSync(there, 'utf8'), 'mine')
})

test('a copy cannot be gone on with: the service refuses it unless it only reads', async (t) => {
  const { file } = await fileWith(t, history)
  const copy = await makeCopy(t, storesIn(file), '--until', '40')
  const config = configOf({ ...storesIn(copy) })
  if (config._tag === 'Left') throw new Error(config.left)
  await t.throwsAsync(openStores(config.right, openLog('silent')), { message: /serve it with READ_ONLY=on/ })
  const { code, stderr } = await call('register', { env: storesIn(copy), args: ['newcomer'], stdin: 'correct horse\n' })
  t.is(code, 2)
  t.regex(stderr, /serve it with READ_ONLY=on/)
})

test('without the vault all texts of a copy read as erased', async (t) => {
  const { file } = await fileWith(t, history)
  const copy = await makeCopy(t, storesIn(file), '--without-vault')
  const { events, vault, close } = await openSqlite({ file: copy, readOnly: true })
  t.teardown(close)
  const opened = await codec(openKeyring(vault)).open(await events.readAll(LOG_START, 10_000))
  const titles = opened.flatMap((event) => (event.type === 'LinkSubmitted' ? [event.data.title] : []))
  t.deepEqual([...new Set(titles)], ['[erased]'])
})

test('what ends for good by an event is withdrawn from copies, but for what the table here names', (t) => {
  // images, rules and templates are a subsite's; a recipient deletes a copy of their own; the texts are named by the events before it
  const others = ['ImageDeleted', 'RuleDeleted', 'FlairTemplateDeleted', 'MessageDeleted', 'AccountTextsErased']
  const ends = [...eventDefinitions.keys()].filter((type) => /Deleted|Erased/.test(type))
  t.deepEqual(ends.toSorted(), [...withdrawing, ...others].toSorted())
})

test('a copy has what was withdrawn later as the site has it today, whatever the place, and no key to it', async (t) => {
  const { file } = await fileWith(t, everyEvent)
  const ends = everyEvent.flatMap(({ type }, n) => (withdrawing.has(type) ? [n] : []))
  t.true(ends.length > 8)
  for (const end of [ends[0] ?? 0, ends[3] ?? 0, ends.at(-1) ?? 0]) {
    const copy = await makeCopy(t, storesIn(file), '--until', String(end - 1))
    // the log until then, with today's deletions at its end: made once more, nothing changes
    const again = await makeCopy(t, storesIn(copy))
    t.deepEqual(await digestsIn(t, again), await digestsIn(t, copy), String(end))
    const { events, vault, close } = await openSqlite({ file: copy, readOnly: true })
    const open = codec(openKeyring(vault)).open
    const opened = await open(await events.readAll(LOG_START, 10_000))
    const links = new Set(everyEvent.flatMap((event) => (event.type === 'LinkDeleted' ? [event.data.link] : [])))
    const of = opened.filter((event) => event.type === 'LinkSubmitted' && links.has(event.data.link))
    t.true(of.every((event) => event.type === 'LinkSubmitted' && event.data.title === '[erased]'))
    await close()
  }
})

test('of many withdrawn things of an account no key is left, and of all others the key', async (t) => {
  const { keys, stores } = openFile(t)
  await keys.ensure(['t2_1'])
  const record = await stores.vault.get('key', 't2_1')
  const all = Array.from({ length: 3 * MAX_ERASED_THINGS }, (_, n) => `t1_${n}`)
  for (const count of [0, 1, MAX_ERASED_THINGS, 2 * MAX_ERASED_THINGS]) {
    const things = new Set(all.slice(0, count))
    await stores.vault.put('key', 't2_2', { value: recordWithout('t2_1', record?.value, { things, kept: new Set(all) }), owner: 't2_2' })
    const whole = (await openKeyring(stores.vault).fetch(['t2_1'])).get('t2_1')
    const left = (await openKeyring(stores.vault).fetch(['t2_2'])).get('t2_2')
    if (!whole || !left) return t.fail()
    for (const thing of all) {
      const secret = thingKeysOf(left, labelOf(thing))?.secret
      t.deepEqual(secret, things.has(thing) ? undefined : thingKeysOf(whole, labelOf(thing))?.secret, `${thing} of ${count}`)
    }
  }
})
