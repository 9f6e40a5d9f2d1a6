import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { createHistoryKey, historyKeyIn } from '../../src/history/key.ts'
import { checkpointIn, checkpointText } from '../../src/history/note.ts'
import { temporaryDirectory } from '../support/temporary.ts'

test('of several that make a key file at once one does, and it is whole; one that is there stays', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'keys', 'history-key')
  await Promise.all(Array.from({ length: 8 }, () => createHistoryKey(file)))
  const made = await historyKeyIn(file)
  t.regex(made?.secret ?? '', /^[0-9a-f]{64}$/)
  await createHistoryKey(file)
  t.is((await historyKeyIn(file))?.secret, made?.secret)
  t.deepEqual(await readdir(join(directory, 'keys')), ['history-key'])
})

test('a head of more leaves than can be counted is none', (t) => {
  const head = (size: number | bigint) =>
    checkpointIn(checkpointText({ origin: 'tea.example/log', size: 1, root: Buffer.alloc(32) }).replace('\n1\n', `\n${size}\n`))
  t.is(head(Number.MAX_SAFE_INTEGER)?.size, Number.MAX_SAFE_INTEGER)
  t.is(head(2n ** 53n), undefined)
})
