import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test, { type ExecutionContext } from 'ava'
import { openSqlite, type SqliteStores } from '../../src/adapters/sqlite/stores.ts'
import type { Collection, Document } from '../../src/ports/documents.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const opened = async (t: ExecutionContext, file = join(temporaryDirectory(t), 'rostra.db')) => {
  const stores = await openSqlite({ file })
  t.teardown(stores.close)
  return { file, stores }
}

const at = (n: number): string => String(n).padStart(20, '0')

type Note = Document & { readonly text: string; readonly weight: number; readonly shown: boolean }
const notes: Collection<Note> = { name: 'notes', version: 1, indexes: [{ fields: ['weight', 'id'] }] }

const fill = async ({ documents }: SqliteStores, collection: Collection<Note> = notes): Promise<void> => {
  await documents.prepare([collection])
  const all = Array.from(
    { length: 1_200 },
    (_, i): Note => ({ id: `n${i}`, text: i % 2 ? 'odd one' : 'even one', weight: i % 7, shown: i % 3 === 0 }),
  )
  const changes = all.map((document, i) => ({ collection, id: document.id, position: at(i + 1), document }))
  await documents.write(changes, { name: `${collection.name}${collection.version}`, from: undefined, to: at(1_200) })
}

test('a second server on the same file is refused, also under another path', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'rostra.db')
  mkdirSync(join(directory, 'elsewhere'))
  symlinkSync(file, join(directory, 'elsewhere', 'link.db')) // the file does not exist yet
  symlinkSync(join('elsewhere', 'link.db'), join(directory, 'twice.db'))
  symlinkSync(directory, join(directory, 'directory'))
  const names = [file, join(directory, 'elsewhere', 'link.db'), join(directory, 'twice.db'), join(directory, 'directory', 'rostra.db')]
  for (const first of names) {
    const stores = await openSqlite({ file: first })
    for (const second of names) {
      const refused = await t.throwsAsync(openSqlite({ file: second }), { instanceOf: StoreFault }, `${first} and ${second}`)
      t.is((refused as StoreFault).kind, 'in-use')
    }
    await stores.close()
  }
})

test('a file with a hard link is refused under both names', async (t) => {
  const directory = temporaryDirectory(t)
  const [file, other] = [join(directory, 'rostra.db'), join(directory, 'other.db')]
  await (await openSqlite({ file })).close()
  linkSync(file, other)
  symlinkSync(other, join(directory, 'link.db'))
  for (const name of [file, other, join(directory, 'link.db')])
    await t.throwsAsync(openSqlite({ file: name }), { instanceOf: StoreFault, message: /2 names \(hard links\)/ })
  rmSync(other)
  await (await openSqlite({ file })).close()
})

/** Every byte the store has on disk. */
const bytesOf = (file: string): Buffer => Buffer.concat(readdirSync(dirname(file)).map((name) => readFileSync(join(dirname(file), name))))

const tablesOf = (file: string): readonly string[] =>
  new DatabaseSync(file, { readOnly: true })
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({ name }) => String(name))

test('a new file and its directory are accessible to their owner only', async (t) => {
  const { file } = await opened(t, join(temporaryDirectory(t), 'data', 'rostra.db'))
  t.is(statSync(dirname(file)).mode & 0o777, 0o700)
  for (const name of [file, `${file}-wal`, `${file}-shm`]) t.is(statSync(name).mode & 0o777, 0o600, name)
})

test('closing leaves one file with all data', async (t) => {
  const { file, stores } = await opened(t)
  await stores.vault.put('lease', 'x', { value: 1 })
  await stores.close()
  t.false(existsSync(`${file}-wal`))
})

test('a scrub removes data deleted from the vault from the disk', async (t) => {
  const { file, stores } = await opened(t)
  const canary = 'canary-7f1c2b'
  for (let i = 0; i < 50; i++)
    await stores.vault.put('credentials', `t2_${i}`, { value: { email: `${canary}@${i}.example` }, owner: `t2_${i}` })
  t.true(bytesOf(file).includes(canary))
  await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      i % 2 ? stores.vault.delete('credentials', `t2_${i}`) : stores.vault.put('credentials', `t2_${i}`, { value: 'replaced' }),
    ),
  )
  await stores.scrub()
  t.false(bytesOf(file).includes(canary))
})

test('a scrub removes the former text of a blanked document, and its search words, from the disk', async (t) => {
  const { file, stores } = await opened(t)
  const canary = 'canaryword'
  const searched: Collection<Note> = { ...notes, search: { text: ['text'], filters: [], orders: {} } }
  const write = (text: string, from: number | undefined, to: number) =>
    stores.documents.write(
      [{ collection: searched, id: 'n', position: at(to), document: { id: 'n', text, weight: 1, shown: true } as Note }],
      {
        name: 'x',
        from: from === undefined ? undefined : at(from),
        to: at(to),
      },
    )
  await fill(stores, searched)
  await write(canary, undefined, 1_201)
  await stores.documents.walk(searched, undefined, 1) // reads the file, so everything is written before
  t.true(bytesOf(file).includes(canary))
  await write('[erased]', 1_201, 1_202)
  await stores.scrub()
  t.false(bytesOf(file).includes(canary))
})

test('an index or search declared later is built from the existing documents', async (t) => {
  const { file, stores } = await opened(t)
  await fill(stores)
  await stores.close()
  const { stores: again } = await opened(t, file)
  const more: Collection<Note> = {
    ...notes,
    indexes: [{ fields: ['shown', '-weight', 'id'], covers: ['text'] }],
    search: { text: ['text'], filters: ['weight'], orders: { first: ['id'] } },
  }
  await again.documents.prepare([more])
  t.deepEqual(
    await again.documents.select(more, { where: { shown: true }, order: ['-weight', 'id'], page: { limit: 1 } }, ['id', 'shown', 'text']),
    [{ id: 'n1014', shown: true, text: 'even one' }],
  )
  t.is((await again.documents.search(more, { terms: 'odd', where: { weight: 3 }, order: 'first', page: { limit: 1_000 } })).length, 86)
  await t.throwsAsync(
    again.documents.find(more, { where: {}, order: ['weight', 'id'], page: { limit: 1 } }),
    undefined,
    'the old index is gone',
  )
})

test('only collections that are no longer declared can be dropped', async (t) => {
  const { file, stores } = await opened(t)
  const next: Collection<Note> = { ...notes, version: 2 }
  await fill(stores)
  await fill(stores, next)
  for (const name of await stores.documents.obsolete([next])) await stores.documents.drop(name)
  t.false(tablesOf(file).includes('notes_v1'))
  t.is((await stores.documents.getMany(next, ['n5'])).size, 1)
  await fill({ ...stores, documents: { ...stores.documents, write: async () => 'written' } })
  t.is(await stores.documents.count(notes, { weight: 1 }, 10), 0, 'made again, it is empty')
})
