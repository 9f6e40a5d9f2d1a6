import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBDateValue, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { writeLog } from '../bench/write-log.ts'
import { pastOf } from '../demo/past.ts'
import type { Plot, Rows } from '../src/http/pages/parts/plot.ts'
import { svgOf } from './plot.ts'

/** The community that the page asks about, which readers make by the commands that it begins with. */
const COMMUNITY = { links: 400, seed: 1 }

const PAGE = new URL('history.md', import.meta.url)

/** A query with what it prints; and, where there is one, what it draws. */
const RECIPE = /```sql\n([\s\S]*?)```\n\n```text\n[\s\S]*?```(\n\n<!-- (bars|lines) (\S+): (\S+); ([^>]+) -->)?/g

const cellOf = (value: DuckDBValue): string | number => {
  if (value === null) return ''
  if (typeof value === 'bigint' || typeof value === 'number') return Number(value)
  return value instanceof DuckDBDateValue || typeof value === 'string' || typeof value === 'boolean' ? String(value) : JSON.stringify(value)
}

/** Rows in columns: numbers to the right, texts to the left. */
const tableOf = (names: readonly string[], rows: Rows): string => {
  const cells = [names, ...rows.map((row) => names.map((name) => String(row[name])))]
  const widths = names.map((_, at) => Math.max(...cells.map((row) => (row[at] ?? '').length)))
  const isNumber = names.map((name) => rows.every((row) => typeof row[name] === 'number'))
  const line = (row: readonly string[]) =>
    row.map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
  return cells.map((row) => `${line(row).join('  ').trimEnd()}\n`).join('')
}

/** The page and its pictures, by their addresses from `docs/`, as an export in a directory answers the queries. */
export const answerRecipes = async (directory: string): Promise<ReadonlyMap<string, string>> => {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`SET file_search_path = '${directory}'`)
  await connection.run("SET TimeZone = 'UTC'")
  const files = new Map<string, string>()
  let page = await readFile(PAGE, 'utf8')
  for (const [whole, sql = '', plot, kind = 'bars', picture = '', x = '', series = ''] of page.matchAll(RECIPE)) {
    const result = await connection.runAndReadAll(sql)
    const rows = result.getRowObjects().map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, cellOf(value)])))
    const drawing: Plot = { kind: kind as Plot['kind'], x, series: series.trim().split(' ') }
    if (plot !== undefined) files.set(`history/${picture}`, svgOf(rows, drawing))
    page = page.replace(whole, () => `\`\`\`sql\n${sql}\`\`\`\n\n\`\`\`text\n${tableOf(result.columnNames(), rows)}\`\`\`${plot ?? ''}`)
  }
  connection.closeSync()
  instance.closeSync()
  return files.set('history.md', page)
}

/** Export the community's log, as the page says, into `export` in a directory. */
export const exportCommunity = async (directory: string): Promise<void> => {
  const file = join(directory, 'demo.db')
  await writeLog(file, pastOf(COMMUNITY))
  const url = `sqlite:${file}`
  const env = { ...process.env, EVENT_STORE_URL: url, DOCUMENT_STORE_URL: url }
  const args = ['src/cli/export.ts', '--to', join(directory, 'export'), '--open', '--format', 'parquet']
  await promisify(execFile)(process.execPath, args, { cwd: new URL('..', import.meta.url).pathname, env })
}

/** Asks the queries of docs/history.md again, and writes what they answer and draw. */
export const generateRecipes = async (): Promise<readonly string[]> => {
  const directory = await mkdtemp(join(tmpdir(), 'rostra-recipes-'))
  try {
    await exportCommunity(directory)
    const files = await answerRecipes(directory)
    for (const [name, text] of files) await writeFile(new URL(name, import.meta.url), text)
    return [...files.keys()].map((name) => `docs/${name}`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
