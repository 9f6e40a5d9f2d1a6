import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestFn } from 'ava'
import type { Vault } from '../../src/ports/vault.ts'
import { type Cases, type Exceptions, type Open, runContract } from './contract.ts'

/** A vault, and how to get another one on the same records after closing the first. */
export type OpenedVault = { readonly vault: Vault; readonly reopen: () => Promise<Vault> }

const PAST = Date.now() - 1_000
const FUTURE = Date.now() + 3_600_000

const cases: Cases<OpenedVault> = {
  'a record is stored with its owner and expiry, and survives a restart': async (t, { vault, reopen }) => {
    const id = randomUUID()
    t.is(await vault.get('credentials', id), undefined)
    await vault.put('credentials', id, { value: { hash: 'h', tries: [1, 2] }, owner: 't2_1', expires: FUTURE })
    const record = await vault.get('credentials', id)
    t.like(record, { id, owner: 't2_1', expires: FUTURE, value: { hash: 'h', tries: [1, 2] } })
    t.deepEqual(await (await reopen()).get('credentials', id), record)
  },
  'a record can have neither owner nor expiry': async (t, { vault }) => {
    const id = randomUUID()
    await vault.put('lease', id, { value: 'mine' })
    t.like(await vault.get('lease', id), { owner: undefined, expires: undefined, value: 'mine' })
  },
  'records of different kinds are separate': async (t, { vault }) => {
    const id = randomUUID()
    await vault.put('session', id, { value: 1 })
    t.is(await vault.get('access', id), undefined)
    await vault.delete('access', id)
    t.like(await vault.get('session', id), { value: 1 })
  },
  'counts are added to in one step each, by many callers at once, and their sums returned': async (t, { vault, reopen }) => {
    const [one, two] = [randomUUID(), randomUUID()]
    const additions = [
      { id: one, count: 2, expires: FUTURE },
      { id: two, count: 5, expires: FUTURE },
    ]
    await Promise.all(Array.from({ length: 8 }, () => vault.add(additions)))
    const sums = await vault.add([{ id: one, count: 1, expires: FUTURE + 1 }])
    t.deepEqual([...sums], [[one, 17]])
    t.is((await vault.add([])).size, 0)
    const reopened = await reopen()
    t.like(await reopened.get('count', one), { value: 17, expires: FUTURE })
    t.like(await reopened.get('count', two), { value: 40 })
  },
  'an expired count begins anew': async (t, { vault }) => {
    const id = randomUUID()
    await vault.put('count', id, { value: 7, expires: PAST })
    t.deepEqual([...(await vault.add([{ id, count: 3, expires: FUTURE }]))], [[id, 3]])
    t.like(await vault.get('count', id), { value: 3, expires: FUTURE })
  },
  'hundreds of counts are added to at once': async (t, { vault }) => {
    const run = randomUUID()
    const additions = Array.from({ length: 450 }, (_, n) => ({ id: `${run} ${n}`, count: n, expires: FUTURE }))
    const sums = await vault.add(additions)
    t.true(additions.every(({ id, count }) => sums.get(id) === count))
  },
  'many records are read at once; absent ones are left out': async (t, { vault }) => {
    const [one, two, three] = [randomUUID(), randomUUID(), randomUUID()]
    await vault.put('key', one, { value: 'a' })
    await vault.put('key', two, { value: 'b', expires: PAST })
    await vault.put('key', three, { value: 'c', expires: FUTURE })
    const found = await vault.getMany('key', [one, two, three, randomUUID()])
    t.deepEqual(
      [...found].map(([id, { value }]) => [id, value]).sort(),
      [
        [one, 'a'],
        [three, 'c'],
      ].sort(),
    )
    t.is((await vault.getMany('key', [])).size, 0)
  },
  'the records of an owner are listed oldest first; a rewritten one keeps its place': async (t, { vault }) => {
    const owner = randomUUID()
    const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    for (const id of ids) {
      await vault.put('session', id, { value: id, owner })
      await pause(2)
    }
    await vault.put('session', ids[3] ?? '', { value: 'gone', owner, expires: PAST })
    await vault.put('session', randomUUID(), { value: 'of another', owner: randomUUID() })
    await vault.put('access', randomUUID(), { value: 'of another kind', owner })
    await vault.put('session', ids[0] ?? '', { value: 'new', owner })
    t.deepEqual(
      (await vault.list('session', owner)).map(({ value }) => value),
      ['new', ids[1], ids[2]],
    )
    await vault.deleteAll('session', owner)
    t.deepEqual(await vault.list('session', owner), [])
    t.is((await vault.list('access', owner)).length, 1)
  },
  'a record past its expiry does not exist': async (t, { vault }) => {
    const id = randomUUID()
    await vault.put('code', id, { value: 1, owner: id, expires: Date.now() + 60 })
    t.like(await vault.get('code', id), { value: 1 })
    await pause(80)
    t.is(await vault.get('code', id), undefined)
    t.deepEqual(await vault.list('code', id), [])
    t.is(await vault.take('code', id), undefined)
    t.true(await vault.putIf('code', id, 0, { value: 2 }))
    t.like(await vault.get('code', id), { value: 2, owner: undefined })
  },
  'versions increase with each write, also after a deletion': async (t, { vault }) => {
    const id = randomUUID()
    const versions: number[] = []
    for (const value of [1, 2, 3]) {
      await vault.put('client', id, { value })
      versions.push((await vault.get('client', id))?.version ?? 0)
    }
    await vault.delete('client', id)
    await vault.put('client', id, { value: 4 })
    versions.push((await vault.get('client', id))?.version ?? 0)
    t.deepEqual(
      versions,
      [...new Set(versions)].sort((a, b) => a - b),
    )
    t.true(versions.every((version) => version > 0 && Number.isSafeInteger(version)))
  },
  'compare-and-set writes only over the version it names': async (t, { vault }) => {
    const id = randomUUID()
    t.false(await vault.putIf('lease', id, 7, { value: 'x' }))
    t.true(await vault.putIf('lease', id, 0, { value: 'a' }))
    t.false(await vault.putIf('lease', id, 0, { value: 'b' }))
    const first = await vault.get('lease', id)
    t.true(await vault.putIf('lease', id, first?.version ?? 0, { value: 'c', owner: 'o' }))
    t.false(await vault.putIf('lease', id, first?.version ?? 0, { value: 'd' }))
    t.like(await vault.get('lease', id), { value: 'c', owner: 'o' })
  },
  'one of 32 concurrent writes over the same version succeeds': async (t, { vault }) => {
    const id = randomUUID()
    const created = await Promise.all(Array.from({ length: 32 }, (_, i) => vault.putIf('idempotency', id, 0, { value: i })))
    t.is(created.filter(Boolean).length, 1)
    const before = await vault.get('idempotency', id)
    t.is(before?.value, created.indexOf(true))
    const changed = await Promise.all(
      Array.from({ length: 32 }, (_, i) => vault.putIf('idempotency', id, before?.version ?? 0, { value: i })),
    )
    t.is(changed.filter(Boolean).length, 1)
    t.is((await vault.get('idempotency', id))?.value, changed.indexOf(true))
  },
  'one of 32 concurrent takes of a record gets it': async (t, { vault }) => {
    const id = randomUUID()
    await vault.put('code', id, { value: 'grant', expires: FUTURE })
    const taken = await Promise.all(Array.from({ length: 32 }, () => vault.take('code', id)))
    t.deepEqual(
      taken.flatMap((record) => (record ? [record.value] : [])),
      ['grant'],
    )
    t.is(await vault.get('code', id), undefined)
  },
  'deleting an absent record changes nothing': async (t, { vault }) => {
    const id = randomUUID()
    await vault.delete('refresh', id)
    await vault.deleteAll('refresh', id)
    t.is(await vault.get('refresh', id), undefined)
  },
  'a sweep removes only expired records': async (t, { vault }) => {
    const [kept, swept, lasting] = [randomUUID(), randomUUID(), randomUUID()]
    await vault.put('limit', kept, { value: 1, expires: FUTURE })
    await vault.put('limit', swept, { value: 2, expires: FUTURE - 600_000 })
    await vault.put('limit', lasting, { value: 3 })
    await vault.sweep(FUTURE - 300_000)
    const found = await vault.getMany('limit', [kept, swept, lasting])
    t.deepEqual([...found.keys()].sort(), [kept, lasting].sort())
  },
}

/** The definition of the vault port. */
export const vaultContract = (test: TestFn, name: string, open: Open<OpenedVault>, exceptions: Exceptions = {}): void =>
  runContract(test, name, cases, open, exceptions)
