import { glob, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import test from 'ava'

/**
 * The folders of ours that each folder may import, as docs/architecture.md has it (decision 89 has the reasons). A file at the top of
 * `src/` composes and may import anything.
 */
const allowed: readonly (readonly [folder: string, of: RegExp])[] = [
  ['src/domain/', /^src\/domain\//],
  ['src/ports/', /^src\/(ports|domain)\//],
  ['src/log/', /^src\/(log|domain|ports)\//],
  ['src/history/', /^src\/(history|log|domain|ports)\//],
  ['src/runtime/', /^src\/(runtime|domain|log|ports)\//],
  ['src/commands/', /^(src\/(commands|runtime|queries|domain|ports)\/|projections\/)/],
  ['src/reactions/', /^src\/(reactions|runtime|domain|log|ports)\//],
  ['projections/engine/', /^(projections\/|src\/(runtime\/leases\.ts|domain\/|log\/|ports\/))/],
  ['projections/', /^(projections\/|src\/(domain|ports)\/)/],
  ['src/queries/', /^(src\/(queries|domain|ports)\/|projections\/)/],
  ['src/disclosure/', /^(src\/(disclosure|queries|domain|ports)\/|projections\/)/],
  ['src/limits/', /^src\/(limits|runtime|domain|ports)\//],
  ['src/auth/', /^src\/(auth|limits|commands|runtime|domain|ports)\//],
  ['src/audit/', /^(src\/(audit|domain|ports)\/|projections\/)/],
  ['src/operations/', /^(src\/((operations|auth|queries|domain|ports|history)\/|config(-variables)?\.ts)|projections\/)/],
  ['src/reactions/reactions.ts', /^src\/((auth|history|queries)\/|stores\.ts)/], // puts the reactions together
  ['src/export/', /^(src\/(export|disclosure|history|log|queries|domain|ports)\/|projections\/)/],
  ['src/http/', /^(src\/(http|auth|history|disclosure|limits|commands|queries|runtime|domain|ports)\/|src\/config\.ts|projections\/)/],
  ['src/http/openapi/', /^src\/operations\/version\.ts/],
  ['src/http/pipeline/', /^src\/operations\/(cannot-listen|metrics)\.ts/],
  ['src/adapters/', /^src\/(adapters|domain|ports)\//],
  [
    'src/cli/',
    /^(src\/((cli|export|audit|history|disclosure|reactions|commands|runtime|log|domain|ports)\/|(stores|config|operations\/(error-message|logging))\.ts|auth\/(clients|tokens)\.ts|http\/contract\/refusals\.ts)|projections\/)/,
  ],
  ['src/cli/', /^src\/adapters\/(disk\/blobs|sqlite\/(connection|history|local-stores|lock|log|schema|stores))\.ts/], // a data file, with the service stopped
]

/** The rooms of `src/http/`: the rooms, and the other folders, that each may import. A section of endpoints may import no other section. */
const httpRooms: Readonly<Record<string, readonly [rooms: string, folders: string]>> = {
  contract: ['', 'config.ts auth history disclosure limits runtime queries projections domain ports'],
  wire: ['contract', 'ports'],
  workers: ['contract', 'ports'],
  present: ['contract wire workers', 'auth queries projections domain ports'],
  stylesheet: ['contract workers present', 'runtime domain'],
  pages: ['contract wire present', ''],
  openapi: ['contract wire present pages', 'auth operations'],
  things: ['contract wire present', 'auth limits commands history queries runtime projections domain ports'],
  needs: ['contract things', 'auth limits commands queries runtime projections domain ports'],
  pipeline: ['contract wire present things pages', 'auth limits commands queries runtime projections domain ports operations'],
  endpoints: [
    'contract wire workers present stylesheet openapi things needs',
    'auth history disclosure limits commands queries runtime projections domain ports',
  ],
}

/** The files at the top of `src/`: the programs, their configuration, and the files that compose them. */
const top = ['compose', 'config-variables', 'config', 'main', 'stores', 'worker'].map((name) => `src/${name}.ts`)

/** Exceptions made on purpose, and their reasons. */
const exceptions = new Set([
  'projections/engine/data-file-projector.ts → src/adapters/sqlite/projector.ts', // the module that the writing thread loads says what it is
])

/** Packages that only one place may use. */
const reserved: readonly (readonly [packageName: RegExp, only: RegExp])[] = [
  [/^koa$/, /^src\/http\/(pipeline\/(application|connection|server)|wire\/request-body)\.ts$/],
  [/^koa-body$/, /^src\/http\/wire\/request-body\.ts$/],
  [/^@koa\/router$/, /^src\/http\/contract\/router\.ts$/],
  [/^node:sqlite$/, /^src\/adapters\/sqlite\//],
  [/^sharp$/, /^src\/http\/endpoints\/subsites\/(encode|whole)-image\.ts$/],
  [/^css-tree$/, /^src\/http\/stylesheet\//],
  [/^hyparquet-writer$/, /^src\/export\/parquet\.ts$/],
  [/^mongodb$/, /^src\/adapters\/mongodb\//],
  [/^@eventstore\//, /^src\/adapters\/eventstoredb\//],
]

/** Tells whether a file is fixed for ever: the events that are entries of the moderation log are. */
const isFixed = (file: string): boolean => file.endsWith('/is-mod-log-entry.ts')

const root = new URL('..', import.meta.url).pathname
const files = await Array.fromAsync(glob('{src,projections}/**/*.ts', { cwd: root }))

const importsOf = async (file: string): Promise<readonly string[]> =>
  [
    ...(await readFile(join(root, file), 'utf8')).matchAll(
      /^(?:import|export)[^'"]*? from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'/gm,
    ),
  ].map(([, from, bare, late]) => from ?? bare ?? late ?? '')

test('imports follow the table of folders', async (t) => {
  const wrong: string[] = []
  for (const file of files) {
    const rules = allowed.filter(([from]) => file.startsWith(from))
    for (const name of await importsOf(file)) {
      const target = name.startsWith('.') ? normalize(join(dirname(file), name)) : undefined
      if (target && rules.length > 0 && !rules.some(([, of]) => of.test(target)) && !exceptions.has(`${file} → ${target}`))
        wrong.push(`${file} → ${target}`)
      for (const [packageName, only] of reserved) if (packageName.test(name) && !only.test(file)) wrong.push(`${file} → ${name}`)
    }
  }
  t.deepEqual(wrong, [])
})

test('rooms of src/http import only what their line names, and no file stands beside them', async (t) => {
  const wrong: string[] = []
  for (const file of files.filter((name) => name.startsWith('src/http/'))) {
    const [, , room = '', section = ''] = file.split('/')
    const [rooms = '', folders = ''] = httpRooms[room] ?? []
    if (!(room in httpRooms)) wrong.push(`${file} stands in no room`)
    for (const name of (await importsOf(file)).filter((one) => one.startsWith('.'))) {
      const target = normalize(join(dirname(file), name))
      const [, folder = '', into = '', other = ''] = target.startsWith('projections/') ? ['', 'projections'] : target.split('/')
      // `all.ts`, beside the sections, collects them
      const isOwn = into === room && (room !== 'endpoints' || section === 'all.ts' || other === section)
      const isAllowed = folder === 'http' ? isOwn || rooms.split(' ').includes(into) : folders.split(' ').includes(folder)
      if (!isAllowed) wrong.push(`${file} → ${target}`)
    }
  }
  t.deepEqual(wrong, [])
})

test('the top of src holds the programs and what composes them', (t) => {
  t.deepEqual(files.filter((name) => /^src\/[^/]+$/.test(name)).toSorted(), top)
})

test('there are no circular imports', async (t) => {
  const graph = new Map<string, readonly string[]>()
  for (const file of files) {
    const own = (await importsOf(file)).filter((name) => name.startsWith('.'))
    graph.set(
      file,
      own.map((name) => normalize(join(dirname(file), name))),
    )
  }
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (done.has(file) || path.includes(file)) return
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
  t.deepEqual(circles, [])
})

test('rules of the audit import no code of the projections, and only types of what they judge', async (t) => {
  const wrong: string[] = []
  for (const file of files.filter((name) => name.startsWith('src/audit/rules/'))) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [statement = '', kind = '', from = ''] of text.matchAll(/^(import|export)[^'"]*? from '([^']+)'/gm))
      if (/\/(domain|projections)\//.test(from) && !isFixed(from) && !new RegExp(`^${kind} type `).test(statement))
        wrong.push(`${file} → ${from}`)
  }
  t.deepEqual(wrong, [])
})

test('only the table of kinds distinguishes kinds of things', async (t) => {
  const wrong: string[] = []
  // only the codec of a kind may test the kind of a fullname
  for (const file of files.filter((name) => name.startsWith('src/')))
    if (/switch \(kindOf|kindOf\(.*?\) [!=]== '|=== 'link' \|\| \w+ === 'comment'/.test(await readFile(join(root, file), 'utf8')))
      wrong.push(file)
  t.deepEqual(wrong, [])
})
