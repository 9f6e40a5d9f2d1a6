import { glob } from 'node:fs/promises'
import test from 'ava'
import { root, textOf } from '../support/pages.ts'

/** The rows of the tables: what the rule is, its file, and the names in it. */
const rows = (await textOf('docs/rules.md'))
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes(' | `'))
  .map((line) => {
    const [rule = '', file = '', names = ''] = line.slice(2, -2).split(' | ')
    return { rule, file: file.replaceAll('`', ''), names: names.replaceAll('`', '').split(', ') }
  })

const declares = (text: string, name: string): boolean => new RegExp(`^(?:export )?(?:const|function|type) ${name}\\b`, 'm').test(text)

test('each rule of docs/rules.md is in the file that is named for it, under that name', async (t) => {
  const sources = new Map<string, string>()
  for await (const file of glob('{src,projections}/**/*.ts', { cwd: root })) sources.set(file, await textOf(file))
  const wrong = rows.flatMap(({ rule, file, names }) =>
    names
      .filter((name) => !declares(sources.get(file) ?? '', name))
      .map((name) => {
        const declaring = [...sources].filter(([, text]) => declares(text, name)).map(([other]) => other)
        return `${rule}: ${file} declares no ${name}; declared in: ${declaring.join(', ') || 'no file'}`
      }),
  )
  t.deepEqual(wrong, [])
})

test('docs/rules.md names each rule once', (t) => {
  t.true(rows.length >= 60)
  t.is(new Set(rows.map(({ rule }) => rule)).size, rows.length)
})
