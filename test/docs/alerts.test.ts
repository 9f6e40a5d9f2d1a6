import { readFile } from 'node:fs/promises'
import test from 'ava'
import { parse } from 'yaml'
import { pageOf } from '../support/pages.ts'

type Rule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
}
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

test('each alert has a severity, and leads to a section of docs/operations.md that says what to do', async (t) => {
  const { groups } = parse(await read('deploy/alerts.yml')) as Rules
  const rules = groups.flatMap((group) => group.rules)
  const sections = pageOf(await read('docs/operations.md')).headings.map(({ anchor }) => anchor)
  for (const { alert, labels, annotations } of rules) {
    t.true(['critical', 'warning'].includes(labels?.severity ?? ''), alert)
    const [page, section = ''] = (annotations?.runbook_url ?? '').split('#')
    t.is(page, 'https://rostra.example/docs/operations', alert)
    t.is(section, alert.toLowerCase())
    t.true(sections.includes(section), alert)
  }
})

type Dashboard = { readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[] }

test('the dashboard draws only metrics that some process has, and every one of ours', async (t) => {
  const { panels } = JSON.parse(await read('deploy/grafana.json')) as Dashboard
  const drawn = new Set(
    panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => expr.match(/\b(?:rostra|nodejs|process)_\w+/g) ?? [])),
  )
  const sources = [
    await read('src/operations/metrics.ts'),
    await read('src/operations/metrics-registry.ts'),
    await read('src/operations/worker-page.ts'),
  ]
  const ours = new Set(sources.flatMap((text) => text.match(/(?<=name: ')rostra_\w+/g) ?? []))
  const base = (name: string): string => name.replace(/_(?:bucket|count|sum)$/, '')
  for (const name of [...drawn].filter((one) => one.startsWith('rostra_'))) t.true(ours.has(base(name)) || ours.has(name), name)
  const names = new Set([...drawn].flatMap((name) => [name, base(name)]))
  t.deepEqual(
    [...ours].filter((name) => !names.has(name)),
    [],
  )
  t.true(new Set(panels.map(({ title }) => title)).size === panels.length)
})

test('the example of a scrape uses the alerts, and asks the address that has the metrics', async (t) => {
  const { rule_files, scrape_configs } = parse(await read('deploy/prometheus.yml')) as {
    readonly rule_files: readonly string[]
    readonly scrape_configs: readonly { readonly job_name: string; readonly metrics_path: string }[]
  }
  t.deepEqual(rule_files, ['alerts.yml'])
  for (const { job_name, metrics_path } of scrape_configs) {
    t.regex(job_name, /^rostra/)
    t.is(metrics_path, '/metrics')
  }
})
