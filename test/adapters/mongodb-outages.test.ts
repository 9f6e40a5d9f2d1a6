import test from 'ava'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { primaryOf } from '../support/document-address.ts'
import { documentServer } from '../support/document-server.ts'
import { openedThings, ranked, thingChange, things, toPosition } from '../support/mongodb-things.ts'
import { openRelay } from '../support/relay.ts'

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB itself is not tested: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  test('the start waits for a server that is not there yet', async (t) => {
    const { host, port, by } = await primaryOf(server.freshUrl())
    const relay = await openRelay({ host, port })
    t.teardown(relay.down)
    await relay.down()
    const lines: string[] = []
    const journal = { warn: (_: object, line: string) => lines.push(line) }
    const opening = openMongo({ url: by(relay.port), journal })
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    await relay.up()
    const { vault, close } = await opening
    t.is(await vault.get('lease', 'none'), undefined)
    await close()
    t.deepEqual(lines, [
      `DOCUMENT_STORE_URL: the connection was refused: no server listens at this address (127.0.0.1:${relay.port}); waiting for it`,
    ])
  })

  test('calls to a frozen server fail within seconds, and succeed again once it continues', async (t) => {
    const { host, port, by } = await primaryOf(server.freshUrl())
    const relay = await openRelay({ host, port })
    t.teardown(relay.down)
    const { documents, vault } = await openedThings(t, by(relay.port))
    await documents.write([thingChange('kept', 1, 1)], { name: 'c', from: undefined, to: toPosition(1) })
    const more = { ...things, name: 'more', indexes: [{ fields: ['group', 'id'] }] }
    await documents.prepare([more], 'later')

    const reads: Readonly<Record<string, () => Promise<unknown>>> = {
      getMany: () => documents.getMany(things, ['kept']),
      load: () => documents.load(things, ['kept']),
      find: () => documents.find(things, { ...ranked, page: { limit: 10, after: [5, 'x'] } }),
      select: () => documents.select(things, ranked, ['id']),
      count: () => documents.count(things, { group: 'a' }, 10),
      walk: () => documents.walk(things, undefined, 10),
      checkpoint: () => documents.checkpoint('c'),
      checkpoints: () => documents.checkpoints(['c', 'd']),
      get: () => vault.get('lease', 'x'),
      getManyOfVault: () => vault.getMany('lease', ['x', 'y']),
      list: () => vault.list('lease', 'x'),
    }
    const writes: Readonly<Record<string, () => Promise<unknown>>> = {
      write: () => documents.write([thingChange('new', 2, 1)], { name: 'c', from: toPosition(1), to: toPosition(2) }),
      clear: () => documents.clear([], 'none'),
      sweep: () => documents.sweep(more, toPosition(1), 10),
      prepare: () => documents.prepare([more]),
      put: () => vault.put('lease', 'x', { value: 1 }),
      putIf: () => vault.putIf('lease', 'x', 1, { value: 1 }),
      create: () => vault.putIf('lease', 'x', 0, { value: 1 }),
      take: () => vault.take('lease', 'x'),
      delete: () => vault.delete('lease', 'x'),
      add: () => vault.add([{ id: 'x', count: 1, expires: Date.now() + 60_000 }]),
      deleteAll: () => vault.deleteAll('lease', 'x'),
      sweepVault: () => vault.sweep(1),
    }
    relay.freeze()
    const started = Date.now()
    const failing = (calls: typeof reads, kinds: readonly string[]) =>
      Object.entries(calls).map(async ([name, call]) => {
        const fault = await t.throwsAsync(call(), { instanceOf: StoreFault }, name)
        t.true(kinds.includes(fault?.kind ?? ''), `${name}: ${fault?.kind}`)
        return `${name} ${Date.now() - started}`
      })
    t.log(...(await Promise.all([...failing(reads, ['unavailable']), ...failing(writes, ['unavailable', 'unknown-outcome'])])))
    t.true(Date.now() - started < 25_000, 'the driver by itself would wait for half a minute, or for ever')

    relay.thaw()
    const deadline = Date.now() + 5_000
    const again = async (): Promise<number> => {
      try {
        return (await documents.getMany(things, ['kept'])).size
      } catch (error) {
        if (Date.now() > deadline) throw error
        return again()
      }
    }
    t.is(await again(), 1)
  })
}

test('a refused connection is reported in one line at once, without credentials', async (t) => {
  const started = Date.now()
  const url = 'mongodb://ann:secret@127.0.0.1:1/rostra'
  const fault = await t.throwsAsync(openMongo({ url, signal: AbortSignal.abort() }), { instanceOf: StoreFault })
  t.is(fault?.kind, 'unavailable')
  t.is(fault?.message, 'DOCUMENT_STORE_URL: the connection was refused: no server listens at this address (127.0.0.1:1)')
  t.true(Date.now() - started < 25_000, 'the driver by itself would try for half a minute')
})

test('an invalid address is refused in one line that does not repeat the password', async (t) => {
  const error = await t.throwsAsync(openMongo({ url: 'mongodb://ann:secret@127.0.0.1:x/rostra' }), { instanceOf: StoreFault })
  t.regex(error?.message ?? '', /^DOCUMENT_STORE_URL is not a MongoDB address/)
  t.notRegex(error?.message ?? '', /secret|\n/)
})
