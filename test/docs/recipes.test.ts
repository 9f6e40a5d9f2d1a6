import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { answerRecipes, exportCommunity } from '../../docs/recipes.ts'
import { runCommandWith } from '../support/command.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const DOCS = new URL('../../docs/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, DOCS), 'utf8')

test('every query of docs/history.md answers and draws what the page shows (npm run generate)', async (t) => {
  const directory = temporaryDirectory(t)
  await exportCommunity(directory)
  const files = await answerRecipes(directory)
  for (const [name, text] of files) t.is(text, read(name), name)
  const page = read('history.md')
  t.is(page.match(/^```sql$/gm)?.length, page.match(/^```text$/gm)?.length)
  t.true((page.match(/^```sql$/gm)?.length ?? 0) >= 10)
  const drawn = [...files.keys()].filter((name) => name.endsWith('.svg')).toSorted()
  t.deepEqual(
    readdirSync(new URL('history/', DOCS)).toSorted(),
    drawn.map((name) => name.slice('history/'.length)),
  )
  for (const name of drawn) t.true(page.includes(`](${name})`), name)

  const fold = join(directory, 'fold.ts')
  writeFileSync(fold, /```ts\n(.*?)```/s.exec(page)?.[1] ?? '')
  const url = `sqlite:${join(directory, 'demo.db')}`
  const days = await runCommandWith({ EVENT_STORE_URL: url, DOCUMENT_STORE_URL: url }, 'replay', '--with', fold, '--from', '2026-03-01')
  t.is(days.stdout.split('\n')[0], /`(\{"day":.*?\})`/.exec(page)?.[1], 'the day that the page shows of its fold')
})
