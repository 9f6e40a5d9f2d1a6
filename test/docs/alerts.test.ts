import { readFile } from 'node:fs/promises'
import test from 'ava'
import { parse } from 'yaml'

type Rules = { readonly groups: readonly { readonly rules: readonly { readonly expr: string }[] }[] }

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

test('each metric to be watched has an alert rule', async (t) => {
  const rows = (await read('docs/operations.md')).split('\n').filter((line) => /^\| `(rostra|nodejs)_/.test(line))
  t.true(rows.length > 5)
  const { groups } = parse(await read('deploy/alerts.yml')) as Rules
  const expressions = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr))
  for (const row of rows)
    for (const [, name = ''] of (row.split('|')[1] ?? '').matchAll(/`(\w+(?:\{outcome="\w+"\})?)/g))
      t.true(
        expressions.some((expression) => expression.includes(name)),
        name,
      )
})
