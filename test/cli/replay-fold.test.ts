import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import type { Logged } from '../../src/domain/events.ts'
import { runCommandWith } from '../support/command.ts'
import { positionOf } from '../support/logged-events.ts'
import { openFile } from '../support/read-models.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const ROOT = new URL('../../', import.meta.url).pathname
const HOUR = 3_600_000

/** Events of some days, with days between them on which nothing happens, and a time that steps back. */
const history = [...syntheticLog({ seed: 11, links: 12, subsites: 2, accounts: 8, pace: HOUR })].map(
  (event, index) =>
    ({
      ...event,
      at: index === 40 ? event.at - 30 * HOUR : event.at + (index > 60 ? 80 * HOUR : 0),
      position: positionOf(index + 1),
    }) as Logged,
)

const stored = async (t: ExecutionContext) => {
  const { file, append } = openFile(t)
  await append(history)
  return { EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` }
}

/** A file with a fold. */
const written = (t: ExecutionContext, text: string): string => {
  const file = join(temporaryDirectory(t), 'fold.ts')
  writeFileSync(file, text.replaceAll("'./src/", `'${ROOT}src/`))
  return file
}

const page = readFileSync(new URL('../../docs/history.md', import.meta.url), 'utf8')
/** The programs in a language on the page. */
const programIn = (language: string): string =>
  new RegExp(`## A fold of your own.*?\`\`\`${language}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''

const linesOf = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Counts the same in another way: the days up to the latest time so far, each with everything before the first event of a later day. */
const expected = () => {
  const days: { day: string; state: { links: number; voters: number } }[] = []
  const voters = new Set<string>()
  let [links, latest] = [0, history[0]?.at ?? 0]
  const note = (at: number) => days.push({ day: dayOf(at), state: { links, voters: voters.size } })
  for (const event of history) {
    for (; dayOf(latest) < dayOf(event.at); latest += 24 * HOUR) note(latest)
    if (event.type === 'LinkSubmitted') links += 1
    if (event.type === 'VoteCast') voters.add(event.data.voter)
  }
  note(latest)
  return days
}

test('the fold of docs/history.md writes the state at the end of each day, and its program in Python the same', async (t) => {
  const stores = await stored(t)
  const days = expected()
  t.true(days.length > 5 && new Set(days.map(({ state }) => JSON.stringify(state))).size < days.length, 'also of days without events')
  const folded = await runCommandWith(stores, 'replay', '--with', written(t, programIn('ts')))
  t.is(folded.code, 0, folded.stderr)
  t.deepEqual(linesOf(folded.stdout), days)

  const directory = temporaryDirectory(t)
  t.is((await runCommandWith(stores, 'export', '--to', join(directory, 'lines'), '--open')).code, 0)
  const python = programIn('python')
  t.true(python.split('\n').length < 20)
  const ran = await promisify(execFile)('python3', ['-c', python], { cwd: directory }).catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (ran) t.deepEqual(linesOf(ran.stdout), days)
  else t.log('no python3 here: its program was not run')
})

const counting = (more = '') => `
import type { Fold } from './src/export/fold.ts'
export default { start: [] as string[], on: { LinkSubmitted: (titles, { data }) => [...titles, data.title] }, ${more} } satisfies Fold<string[]>`

test('a fold goes from a place to a place, over texts that are sealed unless --open says otherwise', async (t) => {
  const stores = await stored(t)
  const links = history.flatMap((event, n) => (event.type === 'LinkSubmitted' ? [{ n, title: event.data.title }] : []))
  const fold = written(t, counting())
  const states = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runCommandWith(stores, 'replay', '--with', fold, ...args)
    t.is(code, 0, stderr)
    return linesOf(stdout)
  }
  t.deepEqual(await states('--open'), [{ state: links.map(({ title }) => title) }])
  const [, second, third] = links
  t.deepEqual(await states('--open', '--from', String(second?.n), '--until', String(third?.n)), [{ state: [second?.title, third?.title] }])
  const [{ state: sealed } = { state: [] }] = (await states('--from', String(second?.n), '--until', String(second?.n))) as {
    state: string[]
  }[]
  t.regex(sealed?.[0] ?? '', /^[\w-]{80,}$/)
})

test('each period has its name, and without one there is one line', async (t) => {
  const stores = await stored(t)
  const first = new Date(history[0]?.at ?? 0).toISOString()
  const names = { hour: first.slice(0, 13), day: first.slice(0, 10), month: first.slice(0, 7), year: first.slice(0, 4), week: '2025-12-29' }
  for (const [every, name] of Object.entries(names)) {
    const { stdout } = await runCommandWith(
      stores,
      'replay',
      '--with',
      written(t, counting(`every: '${every}', show: ({ length }) => length`)),
    )
    const lines = linesOf(stdout) as Readonly<Record<string, unknown>>[]
    t.is(lines[0]?.[every], name)
    t.is(new Set(lines.map((line) => line[every])).size, lines.length)
    t.is(lines.at(-1)?.state, history.filter(({ type }) => type === 'LinkSubmitted').length)
  }
})

test('what is wrong with a fold is said in one line, an error of its own with the event and the line', async (t) => {
  const stores = await stored(t)
  const n = history.findIndex(({ type }) => type === 'VoteCast')
  const failing = `export default {
  start: 0,
  on: {
    VoteCast: () => {
      throw new Error('no such\\n vote')
    },
  },
}`
  const cases: readonly (readonly [string, RegExp])[] = [
    [failing, new RegExp(`fold\\.ts, line 5: no such vote \\(event ${n}, VoteCast\\)$`)],
    ['export const fold = {}', /fold\.ts has no default export/],
    ['export default { start: 0, on: { VoteCats: () => 0 } }', /fold\.ts has a function for VoteCats, but there is no such event/],
    ["export default { start: 0, on: {}, every: 'decade' }", /says every: 'decade', but there are hour, day, week, month, year$/],
    ['export default {', /fold\.ts cannot be loaded: /],
    ['export default { start: 1n, on: {} }', /fold\.ts.*BigInt.* \(at the end\)$/],
  ]
  for (const [text, why] of cases) {
    const { code, stdout, stderr } = await runCommandWith(stores, 'replay', '--with', written(t, text))
    t.is(code, 2)
    t.is(stdout, '')
    t.regex(stderr, /^[^\n]+\n$/)
    t.regex(stderr.trim(), why)
  }
  for (const args of [
    ['--with', 'nowhere.ts'],
    ['--with', 'a.ts', '--into', 'b.db'],
    ['--with', 'a.ts', '--without-vault'],
    ['--into', 'b.db', '--open'],
  ])
    t.is((await runCommandWith(stores, 'replay', ...args)).code, 2)
})

test('a fold that reads a field that its event does not have does not compile', async (t) => {
  const directory = dirname(written(t, ''))
  const fold = (on: string) => `
import type { Fold } from '${ROOT}src/export/fold.ts'
export default { start: 0, on: { ${on} } } satisfies Fold<number>`
  const files = {
    right: fold('VoteCast: (state, { n, at, data }) => state + n + at + data.voter.length'),
    field: fold('VoteCast: (state, event) => state + event.data.title.length'),
    event: fold('VoteCats: (state) => state'),
    state: fold("VoteCast: () => 'many'"),
    period: fold("}, every: 'decade', ...{").replace('} } satisfies', '} } satisfies'),
    page: programIn('ts').replaceAll("'./src/", `'${ROOT}src/`),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, `${name}.ts`), text)
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
    include: [],
    files: Object.keys(files).map((name) => `${name}.ts`),
  }
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(settings))
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  const { stdout } = await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '-p', directory]).catch((error) => error)
  const wrong = new Set([...stdout.matchAll(/(\w+)\.ts[(:]\d+.*error TS/g)].map(([, name]) => name))
  t.deepEqual([...wrong].toSorted(), ['event', 'field', 'period', 'state'], stdout)
})
