import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { openSqlite, type SqliteOptions } from '../../src/adapters/sqlite/stores.ts'
import type { Collection, Document, DocumentStore } from '../../src/ports/documents.ts'
import { randomFrom } from '../support/event-load.ts'
import { temporaryDirectory } from '../support/temporary.ts'

type Item = Document & { readonly address: string | null }

const items: Collection<Item> = {
  name: 'items',
  version: 1,
  indexes: [{ fields: ['address', 'id'] }],
  seldomFound: ['address'],
}

const opened = async (t: ExecutionContext, options: SqliteOptions): Promise<{ documents: DocumentStore; close: () => Promise<void> }> => {
  const { documents, close } = await openSqlite(options)
  t.teardown(close)
  await documents.prepare([items])
  return { documents, close }
}

const positionOf = (n: number): string => String(n).padStart(20, '0')

const writer = (documents: DocumentStore, first = 1) => {
  let n = first
  return async (id: string, address: string | null | undefined) => {
    const [from, to] = [n === 1 ? undefined : positionOf(n - 1), positionOf(n)]
    const document: Item | undefined = address === undefined ? undefined : { id, address }
    const outcome = await documents.write([{ collection: items, id, position: to, document }], { name: 'test', from, to })
    if (outcome !== 'written') throw new Error(outcome)
    n += 1
  }
}

const idsAt = async (documents: DocumentStore, address: string | null): Promise<readonly string[]> =>
  (await documents.find(items, { where: { address }, order: ['id'], page: { limit: 5 } })).map(({ id }) => id)

/**
 * Waits until the values are complete. A row that another program inserts is found until then, and not any more from then on: no program
 * but the service may write documents.
 */
const untilComplete = async (documents: DocumentStore, file: string, start = 1): Promise<void> => {
  const beside = new DatabaseSync(file)
  try {
    for (let n = 0; n < 500; n += 1) {
      const [id, address] = [`foreign${start}-${n}`, `foreign address ${start}-${n}`]
      beside.prepare('INSERT INTO items_v1(id, pos, f_address, body) VALUES(?, 1, ?, ?)').run(id, address, JSON.stringify({ id, address }))
      if ((await idsAt(documents, address)).length === 0) return
      await pause(10)
    }
    throw new Error('the values are not complete')
  } finally {
    beside.close()
  }
}

test('a document is found by a value that is seldom found, before and after all values are known', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const { documents } = await opened(t, { file })
  const write = writer(documents)
  for (let n = 0; n < 40; n += 1) {
    t.deepEqual(await idsAt(documents, `a${n}`), [])
    await write(`i${n}`, `a${n}`)
    t.deepEqual(await idsAt(documents, `a${n}`), [`i${n}`])
    if (n === 20) await untilComplete(documents, file)
  }
  await write('i1', 'moved')
  t.deepEqual([await idsAt(documents, 'moved'), await idsAt(documents, 'a1')], [['i1'], []])
  await write('i2', undefined)
  t.deepEqual(await idsAt(documents, 'a2'), [])
  await write('j2', 'a2')
  t.deepEqual(await idsAt(documents, 'a2'), ['j2'])
  await write('empty', '')
  await write('none', null)
  t.deepEqual([await idsAt(documents, ''), await idsAt(documents, null)], [['empty'], ['none']])
})

test('after a start all values of the file become known, also those that many documents share', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const first = await opened(t, { file })
  const addressOf = (n: number) => (n < 1_300 ? 'shared' : `a${n}`)
  const changes = Array.from({ length: 2_600 }, (_, n) => ({ id: `i${n}`, address: addressOf(n) }))
  await first.documents.write(
    changes.map((document) => ({ collection: items, id: document.id, position: positionOf(1), document })),
    { name: 'test', from: undefined, to: positionOf(1) },
  )
  await first.close()

  const { documents } = await opened(t, { file })
  await untilComplete(documents, file)
  for (const { id, address } of changes.slice(1_300)) t.deepEqual(await idsAt(documents, address), [id])
  t.is((await idsAt(documents, 'shared')).length, 5)
  await writer(documents, 2)('late', 'shared by one')
  t.deepEqual(await idsAt(documents, 'shared by one'), ['late'])
})

test('whatever a value is, its document is found while the process runs and after a start', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const random = randomFrom(7)
  const parts = ['\u0000', '\ufffd', 'é', 'e\u0301', '😀', ' ', '/', 'a', 'A', '%00', '\n']
  const texts = Array.from({ length: 400 }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => parts[Math.floor(random() * parts.length)]).join(''),
  )
  const values = [...new Set([...texts, 'x'.repeat(20_000), '\u0000'.repeat(3)])]
  const first = await opened(t, { file })
  const write = writer(first.documents)
  for (const [n, value] of values.entries()) await write(`i${n}`, value)
  const missing = async (documents: DocumentStore) => {
    const gone: string[] = []
    for (const [n, value] of values.entries())
      if (
        !(await documents.find(items, { where: { address: value }, order: ['id'], page: { limit: 50 } })).some(({ id }) => id === `i${n}`)
      )
        gone.push(JSON.stringify(value))
    return gone
  }
  await untilComplete(first.documents, file)
  t.deepEqual(await missing(first.documents), [])
  await first.documents.checkpoint('test')
  t.deepEqual(await missing(first.documents), [], 'once they are in the file')
  await first.close()
  const { documents } = await opened(t, { file })
  await untilComplete(documents, file, 2)
  t.deepEqual(await missing(documents), [], 'after a start')
})

test('documents are found after their collection was cleared and written anew', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const { documents } = await opened(t, { file })
  await writer(documents)('i1', 'a1')
  await untilComplete(documents, file)
  await documents.clear([items], 'test')
  t.deepEqual(await idsAt(documents, 'a1'), [])
  const write = writer(documents)
  await write('i2', 'a1')
  await write('i3', 'new')
  t.deepEqual([await idsAt(documents, 'a1'), await idsAt(documents, 'new')], [['i2'], ['i3']])
})

test('a process that only reads a file finds what its owner wrote meanwhile', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const { documents } = await opened(t, { file, hold: { ms: 0, events: 1, documents: 1, characters: 1, stepMs: 1 } })
  await untilComplete(documents, file)
  const reading = await opened(t, { file, readOnly: true })
  t.deepEqual(await idsAt(reading.documents, 'a1'), [])
  await writer(documents)('i1', 'a1')
  await documents.checkpoint('test') // waits until it is in the file
  t.deepEqual(await idsAt(reading.documents, 'a1'), ['i1'])
})
