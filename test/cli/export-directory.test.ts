import { chmodSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import { type Column, type ColumnType, envelopeColumns, listColumns, tableColumns } from '../../src/export/columns.ts'
import { columnsAt } from '../../src/export/levels.ts'
import { columnsOfTable, tables } from '../../src/export/tables.ts'
import { isIntact } from '../../src/log/codec.ts'
import { runCommand } from '../support/command.ts'
import { carol, pot, story, tea, told } from '../support/example-history.ts'
import { linesIn, manifestIn, openDuck, tableIn, textIn } from '../support/exported.ts'
import { fullFile } from '../support/full-file.ts'
import { inNameOf, loggedFrom, positionOf } from '../support/logged-events.ts'
import { catchUp, openFile } from '../support/read-models.ts'
import { temporaryDirectory } from '../support/temporary.ts'

type Json = Readonly<Record<string, unknown>>
type Line = Json & {
  readonly n: number
  readonly type: string
  readonly data: Json
  readonly by?: { readonly account: string | null; readonly as: string }
}

const exportInto = async (t: ExecutionContext, file: string, ...args: readonly string[]): Promise<string> => {
  const directory = join(temporaryDirectory(t), 'export')
  const { code, stderr } = await runCommand('export', file, '--to', directory, ...args)
  t.is(code, 0, stderr)
  return directory
}

const eventsIn = (directory: string): readonly Line[] => linesIn(directory).map((line) => JSON.parse(line))

test('a sealed export has every event as it is stored, with its number, its schema and its hash', async (t) => {
  const { file, append, stores } = openFile(t)
  await append(story)
  for (const compress of ['gzip', 'zstd', 'none']) {
    const directory = await exportInto(t, file, '--sealed', '--compress', compress)
    const stored = await stores.events.readAll(positionOf(0), 1_000)
    const lines = linesIn(directory)
    t.is(lines.length, story.length)
    for (const [n, { id, type, data, meta, position, stream, revision }] of stored.entries()) {
      const { at, by, hash, schema } = JSON.parse(meta)
      const head = { n, at, type, schema, id, stream, revision, position, by, hash }
      t.is(lines[n], `${JSON.stringify(head).slice(0, -1)},"data":${data},"meta":${meta}}`)
      t.true(isIntact({ id, type, data, meta }))
    }
    const { choice, schema, rows, first, last, position } = manifestIn(t, directory)
    t.deepEqual({ schema, rows, first, last }, { schema: 'as stored', rows: story.length, first: 0, last: story.length - 1 })
    t.is(position, positionOf(story.length))
    t.is(choice.level, 'sealed')
    t.false(textIn(directory).includes('A good pot'))
  }
})

test('an open export says what it gives away, and has readable texts', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = join(temporaryDirectory(t), 'export')
  const { stderr } = await runCommand('export', file, '--to', directory, '--open')
  t.regex(stderr, /^--open GIVES AWAY private messages, voters, reporters and private subsites/)
  t.deepEqual(
    eventsIn(directory).map(({ data }) => data),
    story.map(({ data }) => data),
  )
})

/** Returns a value as an analyst reads it: absent and null are the same. */
const plain = (value: unknown, type: ColumnType): unknown => {
  if (value === null || value === undefined) return undefined
  if (value instanceof Date) return value.getTime()
  if (typeof value === 'bigint') return Number(value)
  if (type === 'json') return typeof value === 'string' ? JSON.stringify(JSON.parse(value)) : JSON.stringify(value)
  if (typeof type === 'string') return value
  if ('list' in type) return (value as readonly unknown[]).map((one) => plain(one, type.list))
  return plainRow(value as Json, type.record)
}
const plainRow = (row: Json, columns: readonly Column[]): Json =>
  JSON.parse(JSON.stringify(Object.fromEntries(columns.map(({ name, type }) => [name, plain(row[name], type)]))))

/** As `json` columns of rows are written: a value as text. */
const written = (value: unknown, type: ColumnType): unknown => (type === 'json' && value !== undefined ? JSON.stringify(value) : value)

/** A row without the names of its columns, which has all values in their order. */
const valuesOf = (row: Json): string => JSON.stringify(row, (_, value) => (isRecord(value) ? Object.values(value) : value))

const isRecord = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

test('what Parquet has, of every type of event, is what the lines have, at each level', async (t) => {
  const file = await fullFile(t)
  const ask = await openDuck(t)
  for (const level of ['public', 'sealed', 'open'] as const) {
    const directory = await exportInto(t, file, `--${level}`, '--format', 'parquet')
    const events = eventsIn(await exportInto(t, file, `--${level}`))
    t.true(events.length > 100)
    manifestIn(t, directory)
    const envelopes = await tableIn(ask, directory, 'events')
    t.deepEqual(
      envelopes.map(({ n, type, id, event_hash, actor }) => ({ n: Number(n), type, id, hash: event_hash, actor })),
      events.map(({ n, type, id = null, hash = null, by }) => ({ n, type, id, hash, actor: by?.account ?? null })),
    )
    for (const [type, definition] of eventDefinitions) {
      const fields = columnsAt(level, definition)
      const columns = tableColumns(fields).slice(-fields.length)
      const rows = await tableIn(ask, directory, type)
      const expected = events.filter((event) => event.type === type)
      t.is(rows.length, expected.length, `${level} ${type}`)
      if (level === 'sealed' && definition.upcasts.length > 0) continue // lines have these as they were stored
      for (const [at, { n, data }] of expected.entries()) {
        const row = rows[at] ?? {}
        t.is(Number(row.n), n)
        const values = Object.fromEntries(fields.map(({ name, type }) => [name, written(data[name], type)]))
        // the row has the values of the line in the same order, under names in snake case
        t.is(valuesOf(plainRow(row, columns)), valuesOf(plainRow(values, fields)), `${level} ${type}`)
        t.deepEqual(
          Object.keys(data).filter((name) => !fields.some((field) => field.name === name)),
          [],
        )
      }
    }
  }
})

/** Values of the data of some events: fields, whatever they are called, that are not their subsite or their time. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

test('no byte of a public export has what is not public: mail, votes, reports, private subsites, deleted and erased texts', async (t) => {
  const file = await fullFile(t)
  const all = eventsIn(await exportInto(t, file, '--open', '--compress', 'none'))
  const shown = eventsIn(await exportInto(t, file, '--compress', 'none'))
  t.true(shown.length > 100 && shown.length < all.length)
  // the log of moderation shows its entries, also where it does not tell who acted
  const entries = linesIn(await exportInto(t, file, '--public', '--tables'), 'tables/mod_log').map((line) => JSON.parse(line).id)
  const known = new Set([...textsIn(shown), ...entries])
  const withheld = all.filter(({ n }) => !shown.some((event) => event.n === n))
  const secret = new Set(
    [
      ...withheld.flatMap(({ id, stream, data }) => [String(id), String(stream), ...textsIn(data)]),
      ...all.flatMap(({ meta, hash }) => [String(hash), String((meta as Json).commandId), String((meta as Json).correlationId)]),
      ...all.filter(({ type }) => type === 'MessageSent').flatMap(({ data }) => [String(data.body), String(data.message)]),
    ].filter((text) => text.length > 7 && !known.has(text) && !/^[a-z]+$/.test(text)),
  )
  t.true(secret.size > 500)
  for (const format of ['ndjson', 'parquet']) {
    const text = textIn(await exportInto(t, file, '--public', '--compress', 'none', '--tables', '--format', format))
    for (const one of secret) t.false(text.includes(Buffer.from(one).toString('latin1')), `${format}: ${one}`)
    for (const stream of ['vote-t2', 'shelf-t2', 'subscription-t2', 'message-t6', 'report-t2']) t.false(text.includes(stream))
    for (const { n, type } of withheld) t.false(text.includes(`"n":${n},"type":"${type}"`))
  }
})

test('a subsite that turned private is in no public export, nor is what was said there before', async (t) => {
  const { file, append, ports } = openFile(t)
  const closing = inNameOf(carol)(SubsiteSettingChanged({ subsite: tea, setting: 'type', before: 'public', after: 'private' }))
  await append(loggedFrom([...told, closing]))
  await catchUp(await openReadModels(ports, projections))
  for (const format of ['ndjson', 'parquet']) {
    const text = textIn(await exportInto(t, file, '--public', '--tables', '--compress', 'none', '--format', format))
    t.true(text.includes('Carol'))
    for (const secret of ['A good pot', 'All about tea', pot, 'What a pot']) t.false(text.includes(secret), secret)
  }
  // so that who copied it hears of it
  const naming = eventsIn(await exportInto(t, file, '--public', '--compress', 'none')).filter((event) =>
    JSON.stringify(event).includes(tea),
  )
  t.deepEqual(
    naming.map(({ type, by, data }) => ({ type, by, data })),
    [{ type: 'SubsiteSettingChanged', by: undefined, data: { subsite: tea, setting: 'type', after: 'private' } }],
  )
})

test('a public export is refused where the read models end before the log does and nobody writes them', async (t) => {
  const { file, append, ports } = openFile(t)
  const half = story.length - 4
  await append(story.slice(0, half))
  await catchUp(await openReadModels(ports, projections))
  await append(story.slice(half))
  const behind = await runCommand('export', file, '--to', join(temporaryDirectory(t), 'export'), '--public')
  t.is(behind.code, 2)
  t.regex(behind.stderr, /the read models end before the log does, and nobody writes them: start the service/)
  t.is(manifestIn(t, await exportInto(t, file, '--sealed')).last, story.length - 1)
  await catchUp(await openReadModels(ports, projections))
  t.is(manifestIn(t, await exportInto(t, file, '--public')).last, story.length - 1)
  const bare = openFile(t)
  await bare.append(story)
  const directory = join(temporaryDirectory(t), 'export')
  for (const args of [['--public'], ['--open', '--tables']]) {
    const { code, stderr } = await runCommand('export', bare.file, '--to', directory, ...args)
    t.is(code, 2)
    t.regex(stderr, /the read models of this version are not there/)
    t.false(existsSync(directory), 'what is refused leaves nothing behind')
  }
})

test('the read models are exported as a level allows: what a stranger sees, all without texts and voters, or all', async (t) => {
  const file = await fullFile(t)
  const ask = await openDuck(t)
  const rows: Record<string, Record<string, readonly Json[]>> = {}
  for (const level of ['public', 'sealed', 'open'] as const) {
    const args = [`--${level}`, '--tables', '--type', 'RuleCreated']
    const [lines, parquet] = [await exportInto(t, file, ...args), await exportInto(t, file, ...args, '--format', 'parquet')]
    const { tables: entries } = manifestIn(t, lines)
    manifestIn(t, parquet)
    t.is(entries.length, level === 'open' ? 6 : 5)
    rows[level] = {}
    for (const table of tables.filter(({ levels }) => levels.includes(level))) {
      const found = linesIn(lines, `tables/${table.name}`).map((line) => JSON.parse(line) as Json)
      const columns = columnsOfTable(table, level)
      for (const { name } of columns) t.regex(name, /^[a-z0-9_]+$/)
      t.false(columns.some(({ name }) => name === 'at'))
      const answers = await ask(`SELECT * FROM '${parquet}/tables/${table.name}/*.parquet'`)
      const values = (row: Json) =>
        plainRow(Object.fromEntries(columns.map(({ name, type }) => [name, written(row[name] ?? undefined, type)])), columns)
      t.deepEqual(
        answers.map((row) => plainRow(row, columns)),
        found.map(values),
        table.name,
      )
      for (const row of found) t.deepEqual(Object.keys(row).toSorted(), columns.map(({ name }) => name).toSorted())
      rows[level][table.name] = found
    }
  }
  const { public: shown = {}, sealed = {}, open = {} } = rows
  for (const name of ['accounts', 'subsites', 'links', 'comments', 'mod_log'])
    t.true((shown[name]?.length ?? 0) > 0 && sealed[name]?.length === open[name]?.length, name)
  t.true((open.votes?.length ?? 0) > 0)
  t.deepEqual(
    Object.keys(sealed.links?.[0] ?? {}).filter((name) => ['title', 'url', 'text'].includes(name)),
    [],
  )
  for (const name of ['links', 'comments']) {
    const expected = open[name]?.filter(({ deleted, removed }) => !deleted && !removed) ?? []
    t.deepEqual(
      shown[name]?.map(({ id }) => id),
      expected.map(({ id }) => id),
      name,
    )
  }
  const gone = new Set(open.accounts?.filter(({ deleted }) => deleted).map(({ id }) => id))
  t.true(gone.size > 0)
  for (const table of Object.values(shown)) for (const row of table) for (const value of Object.values(row)) t.false(gone.has(value))
})

test('columns are those that are declared, and no name is taken twice', async (t) => {
  const ask = await openDuck(t)
  const directory = await exportInto(t, await fullFile(t), '--open', '--format', 'parquet')
  const types = {
    text: 'VARCHAR',
    integer: 'BIGINT',
    real: 'DOUBLE',
    boolean: 'BOOLEAN',
    time: 'TIMESTAMP WITH TIME ZONE',
    json: 'JSON',
  } as const
  const typeOf = (type: ColumnType): string => {
    if (typeof type === 'string') return types[type]
    if ('list' in type) return `${typeOf(type.list)}[]`
    return `STRUCT(${type.record.map((one) => `${one.name} ${typeOf(one.type)}`).join(', ')})`
  }
  const named = (text: string) => text.replaceAll('"', '')
  const columnsOf = async (table: string) =>
    (await ask(`DESCRIBE SELECT * FROM '${directory}/${table}/*.parquet'`)).map(
      (row) => `${row.column_name} ${named(String(row.column_type))}`,
    )
  const declared = (columns: readonly Column[]) => columns.map(({ name, type }) => `${name} ${typeOf(type)}`)
  t.deepEqual(await columnsOf('events'), declared(envelopeColumns))
  for (const [type, definition] of eventDefinitions) {
    const columns = tableColumns(columnsAt('open', definition))
    t.is(new Set(columns.map(({ name }) => name)).size, columns.length, type)
    t.deepEqual(await columnsOf(type), declared(columns), type)
    t.deepEqual(
      listColumns(columns).flatMap(({ name }) => (/[A-Z]/.test(name) ? [name] : [])),
      [],
    )
  }
})

test('an export begins and ends where it is told, and has the types and subsites that are asked for', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const submitted = story.findIndex(({ type }) => type === 'LinkSubmitted')
  const { at = 0 } = story[submitted] ?? {}
  const numbers = async (...args: readonly string[]) => eventsIn(await exportInto(t, file, '--sealed', ...args)).map(({ n }) => n)
  const all = story.map((_, n) => n)
  t.deepEqual(await numbers('--from', '3', '--until', '5'), [3, 4, 5])
  t.deepEqual(await numbers('--from', new Date(at).toISOString()), all.slice(submitted))
  t.deepEqual(await numbers('--from', new Date(at + 1).toISOString()), all.slice(submitted + 1))
  t.deepEqual(await numbers('--until', new Date(at).toISOString()), all.slice(0, submitted + 1))
  t.deepEqual(await numbers('--from', positionOf(2), '--until', positionOf(3)), [1, 2])
  t.deepEqual(await numbers('--from', '100000'), [])
  const ofType = (...types: readonly string[]) => all.filter((n) => types.includes(story[n]?.type ?? ''))
  t.deepEqual(await numbers('--type', 'VoteCast', '--type', 'LinkSubmitted'), ofType('VoteCast', 'LinkSubmitted'))
  const inTea = all.filter((n) => (story[n]?.data as Json | undefined)?.subsite === tea)
  t.true(inTea.length > 3 && inTea.length < all.length)
  t.deepEqual(await numbers('--subsite', 'tea'), inTea)
  t.deepEqual(await numbers('--subsite', tea, '--type', 'VoteCast'), ofType('VoteCast'))
})

test('the same command again adds what is new; what was there stays', async (t) => {
  for (const format of ['ndjson', 'parquet']) {
    const { file, append } = openFile(t)
    const directory = join(temporaryDirectory(t), 'export')
    const again = () => runCommand('export', file, '--to', directory, '--open', '--format', format)
    for (const [from, to] of [
      [0, 0],
      [0, 5],
      [5, 5],
      [5, 6],
      [6, story.length],
    ]) {
      await append(story.slice(from, to))
      const { code, stderr } = await again()
      t.is(code, 0, stderr)
      const { rows, read, last } = manifestIn(t, directory)
      t.deepEqual([rows, read, last], [to, to, to === 0 ? null : (to ?? 0) - 1])
    }
    if (format === 'ndjson')
      t.deepEqual(
        eventsIn(directory).map(({ id }) => id),
        story.map(({ id }) => id),
      )
    else {
      const rows = await tableIn(await openDuck(t), directory, 'events')
      t.deepEqual(
        rows.map(({ id }) => id),
        story.map(({ id }) => id),
      )
    }
  }
})

test('a directory that holds something else, or another export, is left as it is', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = await exportInto(t, file, '--sealed')
  const refused = async (expected: RegExp, source: string, into: string, ...args: readonly string[]) => {
    const { code, stderr } = await runCommand('export', source, '--to', into, ...args)
    t.is(code, 2)
    t.regex(stderr, expected)
  }
  await refused(/holds an export with other options/, file, directory, '--open')
  await refused(/holds an export with other options/, file, directory, '--sealed', '--type', 'VoteCast')
  const other = openFile(t)
  await other.append(
    story
      .slice(2)
      .map((event, n) => ({ ...event, position: positionOf(n + 1), revision: 0 }))
      .slice(0, 2),
  )
  await refused(/holds an export of another log/, other.file, directory, '--sealed')
  const taken = join(temporaryDirectory(t), 'taken')
  mkdirSync(taken)
  writeFileSync(join(taken, 'mine.txt'), 'mine')
  await refused(/is not empty/, file, taken, '--sealed')
  t.deepEqual(readdirSync(taken), ['mine.txt'])
  const manifest = join(directory, 'manifest.json')
  const former = readFileSync(manifest, 'utf8').replace('"version": 2', '"version": 1')
  writeFileSync(manifest, former)
  await refused(/holds an export of an earlier version, whose columns have other names/, file, directory, '--sealed')
  t.is(readFileSync(manifest, 'utf8'), former)
  t.is(eventsIn(directory).length, story.length)
})

test('what is exported is for its owner alone, in a directory that others may enter, too', async (t) => {
  const file = await fullFile(t)
  for (const format of ['ndjson', 'parquet']) {
    const directory = temporaryDirectory(t)
    chmodSync(directory, 0o755)
    const { code, stderr } = await runCommand('export', file, '--to', directory, '--open', '--tables', '--format', format)
    t.is(code, 0, stderr)
    const names = globSync('**/*', { cwd: directory }).filter((name) => statSync(join(directory, name)).isFile() && !name.endsWith('-lock'))
    t.true(names.length > 5)
    for (const name of names) t.is(statSync(join(directory, name)).mode & 0o077, 0, name)
  }
})

test('a manifest that names a file of somebody else is no manifest, and the file stays', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = await exportInto(t, file, '--sealed')
  const mine = join(directory, '..', 'mine.txt')
  writeFileSync(mine, 'mine')
  const manifest = readFileSync(join(directory, 'manifest.json'), 'utf8')
  const forged = manifest.replace(/"name": "events[^"]*"/, '"name": "../mine.txt"')
  t.not(forged, manifest)
  writeFileSync(join(directory, 'manifest.json'), forged)
  const { code, stderr } = await runCommand('export', file, '--to', directory, '--sealed')
  t.is(code, 2)
  t.regex(stderr, /is not that of an export/)
  t.is(readFileSync(mine, 'utf8'), 'mine')
})

test('a wrong call of an export into a directory is an error that names it', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const into = join(temporaryDirectory(t), 'export')
  const wrong: readonly (readonly string[])[] = [
    ['--to', into, '--open', '--sealed'],
    ['--to', into, '--open', '--format', 'csv'],
    ['--to', into, '--open', '--compress', 'lz4'],
    ['--to', into, '--open', '--from', 'soon'],
    ['--to', into, '--open', '--type', 'Vote'],
    ['--to', into, '--open', '--follow', '--tables', '--tables-every', '0'],
    ['--to', into, '--open', '--with-keys'],
    ['--to', into, '--file', 'x'],
    ['--sealed'],
    ['--follow'],
  ]
  for (const args of wrong) {
    const { code, stderr } = await runCommand('export', file, ...args)
    t.is(code, 2, args.join(' '))
    t.regex(stderr, /^[^\n]+; usage: npx rostra export[^\n]+\n$/)
  }
  t.regex((await runCommand('export', file, '--to', into, '--open', '--subsite', 'nowhere')).stderr, /there is no subsite nowhere/)
})

test('the statistics of Parquet files are of the rows that are in them, and so tell nothing of what is withheld or sealed', async (t) => {
  const file = await fullFile(t)
  const ask = await openDuck(t)
  for (const level of ['public', 'sealed'] as const) {
    const directory = await exportInto(t, file, `--${level}`, '--tables', '--format', 'parquet')
    const told = await ask(
      `SELECT file_name AS file, path_in_schema AS path, type, stats_min_value AS least, stats_max_value AS most
       FROM parquet_metadata('${directory}/**/*.parquet') WHERE stats_min_value IS NOT NULL`,
    )
    t.true(told.length > 500)
    for (const [name, columns] of Map.groupBy(told, (row) => String(row.file))) {
      const paths = columns.map(({ path }) => String(path).split(', '))
      const expressionOf = ([column, ...inner]: readonly string[]) =>
        inner[0] === 'list'
          ? [`unnest("${column}")`, ...inner.slice(2)].join('.')
          : [column, ...inner].map((member) => `"${member}"`).join('.')
      const [found = {}] = await ask(
        `SELECT ${paths.map((path, at) => `(SELECT [min(value)::VARCHAR, max(value)::VARCHAR] FROM (SELECT ${expressionOf(path)} AS value FROM '${name}')) AS "${at}"`).join()}`,
      )
      for (const [at, { path, type, least, most }] of columns.entries()) {
        const [first = '', last = ''] = found[at] as readonly string[]
        // long texts are cut to their beginning; the greatest one has its last byte raised
        const [low, high] = [String(least), String(most)]
        const isOfRows =
          type === 'BYTE_ARRAY'
            ? first.startsWith(low) && (last === high || last.startsWith(high.slice(0, -1)))
            : first === low && last === high
        t.true(isOfRows, `${name.slice(directory.length)} ${path}: ${low} ${high}, not ${first} ${last}`)
      }
    }
  }
})
