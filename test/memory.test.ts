import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import test from 'ava'
import { openSqlite } from '../src/adapters/sqlite/stores.ts'
import { fragment, type SharedFragment, shareMembers } from '../src/http/wire/json-writing.ts'
import { openKeyring } from '../src/log/keys.ts'
import { cacheBounds } from '../src/ports/cache-bounds.ts'
import { ownBytes, useSmallSlabs } from '../src/ports/own-bytes.ts'
import fc from './support/properties.ts'
import { temporaryDirectory } from './support/temporary.ts'

const MIB = 1024 * 1024

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** MiB of buffers that a piece of work leaves behind in this thread. */
const buffersLeftBy = async (work: () => Promise<unknown>): Promise<number> => {
  const collectAll = async () => {
    for (let n = 0; n < 3; n += 1) {
      collect()
      await setImmediate()
    }
  }
  await collectAll()
  const before = process.memoryUsage().arrayBuffers
  const left = await work()
  await collectAll()
  const mebibytes = (process.memoryUsage().arrayBuffers - before) / MIB
  return left === undefined ? Number.NaN : mebibytes
}

/** Short buffers of which none is kept, as every request makes some. */
const makeOthers = (): number => Array.from({ length: 40 }, (_, n) => Buffer.from('x'.repeat(100 + n))).length

test('the bounds of the caches of a process add up to at most 95 MiB', (t) => {
  const sum = Object.values<number>(cacheBounds).reduce((all, bytes) => all + bytes, 0)
  t.true(sum <= 95 * MIB, `${sum / MIB} MiB`)
})

test('own bytes are those of a text or of other bytes, and lie in no slab', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.string({ unit: 'binary' }), (bytes, text) => {
      t.deepEqual([...ownBytes(bytes)], [...bytes])
      t.is(ownBytes(text).toString(), Buffer.from(text).toString())
      t.deepEqual(ownBytes(Buffer.from(bytes).toString('base64'), 'base64'), Buffer.from(bytes))
      for (const own of [ownBytes(bytes), ownBytes(text), ownBytes(Buffer.from(bytes).toString('base64'), 'base64')])
        t.is(own.buffer.byteLength, own.length)
    }),
  )
})

test.serial('20,000 keys that are read among other requests take less than 10 MiB of buffers', async (t) => {
  useSmallSlabs()
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'keys.db') })
  t.teardown(stores.close)
  const accounts = Array.from({ length: 20_000 }, (_, n) => `t2_${n.toString(36)}`)
  await openKeyring(stores.vault).ensure(accounts.slice(0, 1))
  const record = await stores.vault.get('key', accounts[0] ?? '')
  for (let at = 0; at < accounts.length; at += 1_000)
    await Promise.all(
      accounts.slice(at, at + 1_000).map((account) => stores.vault.put('key', account, { value: record?.value, owner: account })),
    )
  const keys = openKeyring(stores.vault)
  const left = await buffersLeftBy(async () => {
    for (let at = 0; at < accounts.length; at += 20) {
      await keys.fetch(accounts.slice(at, at + 20))
      makeOthers()
    }
    return keys
  })
  t.true(left < 10, `${left.toFixed(1)} MiB`)
  t.is((await keys.fetch(accounts.slice(-5))).size, 5)
})

test.serial('shared fragments keep no more bytes than their bound, and are written anew after they lost them', async (t) => {
  const text = 'x'.repeat(2_000)
  const made: SharedFragment[] = []
  const left = await buffersLeftBy(async () => {
    for (let n = 0; n < 20_000; n += 1) {
      const members = shareMembers(() => ({ n, text }))
      members.piece('entities')
      makeOthers()
      made.push(members)
    }
    return made
  })
  const bound = cacheBounds.sharedFragments / MIB
  t.true(left < bound && left > bound / 2, `${left.toFixed(1)} MiB`)
  t.is(made[0]?.bytes, 0)
  t.is(made[0]?.piece('entities').bytes.toString(), fragment({ n: 0, text }).text('entities').slice(1, -1))
})

test('the modules of the service and of a worker do not load the fetch of the engine, which takes 16 MiB', async (t) => {
  const program = `
    await Promise.all(['./src/compose.ts', './src/operations/worker-page.ts', './src/cli/witness.ts'].map((module) => import(module)))
    process.stdout.write(process.moduleLoadList.filter((name) => name.includes('undici')).join())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: join(import.meta.dirname, '..'),
  })
  t.is(stdout, '')
})
