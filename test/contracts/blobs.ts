import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { TestFn } from 'ava'
import { type Blobs, blobHash, MAX_BLOB_BYTES } from '../../src/ports/blobs.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { type Cases, type Exceptions, type Open, runContract } from './contract.ts'

/** Blobs, and how to get them again after closing the store. */
export type OpenedBlobs = { readonly blobs: Blobs; readonly reopen: () => Promise<Blobs> }

const cases: Cases<OpenedBlobs> = {
  'a blob is stored under the hash of its content, and survives a restart': async (t, { blobs, reopen }) => {
    const bytes = randomBytes(1000)
    const hash = await blobs.put(bytes)
    t.is(hash, blobHash(bytes))
    t.deepEqual(await blobs.get(hash), bytes)
    t.deepEqual(await (await reopen()).get(hash), bytes)
  },
  'a blob that was not stored does not exist': async (t, { blobs }) => {
    t.is(await blobs.get(blobHash(randomBytes(8))), undefined)
  },
  'a name that is no hash names no blob': async (t, { blobs }) => {
    const hash = await blobs.put(randomBytes(10))
    for (const name of ['', '.', '..', '../../etc/passwd', `../${hash}`, `${hash}/`, hash.toUpperCase(), hash.slice(1), `${hash}\0`])
      t.is(await blobs.get(name), undefined, name)
  },
  'an empty blob can be stored': async (t, { blobs }) => {
    const hash = await blobs.put(Buffer.alloc(0))
    t.deepEqual(await blobs.get(hash), Buffer.alloc(0))
  },
  'the largest allowed blob is read back unchanged, a larger one is refused': async (t, { blobs }) => {
    const bytes = randomBytes(MAX_BLOB_BYTES)
    t.true((await blobs.get(await blobs.put(bytes)))?.equals(bytes))
    const fault = await t.throwsAsync(blobs.put(Buffer.alloc(MAX_BLOB_BYTES + 1)), { instanceOf: StoreFault })
    t.is(fault?.kind, 'too-large')
  },
  'the same bytes can be stored again, also concurrently': async (t, { blobs }) => {
    const bytes = randomBytes(300_000)
    const hashes = await Promise.all(Array.from({ length: 8 }, () => blobs.put(bytes)))
    t.deepEqual([...new Set(hashes)], [blobHash(bytes)])
    t.is(await blobs.put(bytes), blobHash(bytes))
    t.deepEqual(await blobs.get(blobHash(bytes)), bytes)
  },
  'a deleted blob does not exist, and may come again': async (t, { blobs }) => {
    const [gone, kept] = [randomBytes(300_000), randomBytes(10)]
    const hash = await blobs.put(gone)
    const other = await blobs.put(kept)
    for (const name of [hash, hash, 'no hash', '../..']) await blobs.delete(name)
    t.is(await blobs.get(hash), undefined)
    t.deepEqual(await blobs.get(other), kept)
    t.is(await blobs.put(gone), hash)
    t.deepEqual(await blobs.get(hash), gone)
  },
  'collecting deletes unused blobs stored before a time, once, and no used or newly stored ones': async (t, { blobs }) => {
    const [kept = '', unused = '', renewed = ''] = await Promise.all([50, 60, 300_000].map((length) => blobs.put(randomBytes(length))))
    t.is(await blobs.collect((hash) => hash === kept, Date.now() - 60_000), 0, 'all of them are young')
    const bytes = (await blobs.get(renewed)) ?? Buffer.alloc(0)
    await setTimeout(20)
    const before = Date.now()
    await setTimeout(20)
    t.is(await blobs.put(bytes), renewed)
    t.is(await blobs.collect((hash) => hash === kept, before), 1)
    t.is(await blobs.get(unused), undefined)
    t.is((await blobs.get(kept))?.length, 50)
    t.deepEqual(await blobs.get(renewed), bytes)
    t.is(await blobs.collect((hash) => hash === kept, before), 0)
    t.is(await blobs.collect(() => false, Date.now() + 60_000), 2)
    t.is(await blobs.put(bytes), renewed)
    t.deepEqual(await blobs.get(renewed), bytes, 'what was deleted may come again')
  },
  'a blob stored during a collection exists afterwards': async (t, { blobs }) => {
    const some = Array.from({ length: 8 }, () => randomBytes(5_000))
    for (const bytes of some) await blobs.put(bytes)
    for (let round = 0; round < 5; round += 1) {
      await setTimeout(5)
      const before = Date.now()
      await setTimeout(5)
      const [hashes] = await Promise.all([
        Promise.all(some.map((bytes) => blobs.put(bytes))),
        blobs.collect(() => false, before),
        blobs.collect(() => false, before),
      ])
      for (const [n, hash] of hashes.entries()) t.true((await blobs.get(hash))?.equals(some[n] ?? Buffer.alloc(0)), `${round} ${n}`)
    }
  },
}

export const blobsContract = (test: TestFn, name: string, open: Open<OpenedBlobs>, exceptions: Exceptions = {}): void =>
  runContract(test, name, cases, open, exceptions)
