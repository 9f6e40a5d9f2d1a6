import { readFile } from 'node:fs/promises'
import test from 'ava'
import { parse } from 'yaml'

type Rule = { readonly alert: string; readonly expr: string; readonly for?: string }
type Rules = { readonly groups: readonly { readonly rules: readonly Rule[] }[] }

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

/** The names of metrics in a text, with the outcome that they are about. */
const metricsIn = (text: string) =>
  [...text.matchAll(/\b((?:rostra|nodejs)_\w+(?:\{(?:outcome|status)=~?"[^"]+"\})?|up\b)/g)].map(([name]) => name)

test('each alert rule has the metrics, the limits and the duration of its row in docs/operations.md', async (t) => {
  const rows = (await read('docs/operations.md'))
    .split('\n')
    .filter((line) => /^\| `Rostra\w+` \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  const { groups } = parse(await read('deploy/alerts.yml')) as Rules
  const rules = groups.flatMap((group) => group.rules)
  t.deepEqual(
    rows.map(([, alert]) => alert),
    rules.map(({ alert }) => `\`${alert}\``),
  )
  for (const [index, { alert, expr, for: duration }] of rules.entries()) {
    const [, , metrics = '', problem = '', time] = rows[index] ?? []
    for (const name of metricsIn(metrics)) t.true(expr.includes(name), `${alert}: ${name}`)
    const limits = [...new Set(expr.match(/(?:[<>]|==) [\d.]+/g))]
    t.deepEqual(problem.match(/(?<=`)(?:[<>]|==) [\d.]+(?=`)/g) ?? [], limits, alert)
    t.is(time, duration ?? 'none', alert)
  }
})

test('the alert about shards is raised if no worker reports, and only on servers', async (t) => {
  const { groups } = parse(await read('deploy/alerts.yml')) as Rules
  const { expr } = groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === 'RostraShardsWithoutWorker') ?? {}
  t.regex(expr ?? '', /sum\(rostra_projection_shards\) or vector\(0\)/)
  t.regex(expr ?? '', /and count\(rostra_build_info\{stores="servers"\}\)/)
})
