import { glob, readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import test from 'ava'

/** Who may import whom of our own files: the arrows of docs/architecture.md. Every other import between these places is a mistake. */
const allowed: readonly (readonly [from: string, to: RegExp])[] = [
  ['src/domain/', /^src\/domain\//],
  ['src/ports/', /^src\/ports\//],
  ['src/log/', /^src\/(log|domain|ports)\//],
  ['projections/', /^(projections\/|src\/(domain|ports|log|leases)\/)/],
  ['src/leases/', /^src\/(leases|ports)\//],
  ['src/queries/', /^(src\/(queries|domain|ports)\/|src\/app\.ts|projections\/)/],
  ['src/commands/', /^(src\/(commands|domain|ports|log|queries)\/|src\/app\.ts|projections\/)/],
  ['src/reactions/', /^src\/(reactions|commands|domain|ports|log)\//],
  ['src/auth/', /^src\/((auth|commands|domain|ports)\/|app\.ts|http\/(scopes|tokens)\.ts)/],
  ['src/http/', /^(src\/(http|auth|commands|queries|domain|ports)\/|src\/app\.ts|projections\/)/],
  ['src/adapters/', /^src\/(adapters|ports)\//],
  ['src/audit/', /^src\/(audit|domain|ports)\//],
]

/** Where a rule is broken on purpose, and why. */
const exceptions = new Set([
  'projections/local.ts → src/adapters/sqlite/projector.ts', // the module that the writing thread loads says what it is
])

/** What only one place may use. */
const reserved: readonly (readonly [packageName: RegExp, only: RegExp])[] = [
  [/^koa$/, /^src\/http\/(server|request-body)\.ts$/],
  [/^koa-body$/, /^src\/http\/request-body\.ts$/],
  [/^@koa\/router$/, /^src\/http\/router\.ts$/],
  [/^node:sqlite$/, /^src\/adapters\/sqlite\//],
  [/^mongodb$/, /^src\/adapters\/mongodb\//],
  [/^@eventstore\//, /^src\/adapters\/eventstoredb\//],
]

const root = new URL('..', import.meta.url).pathname
const files = await Array.fromAsync(glob('{src,projections}/**/*.ts', { cwd: root }))

const importsOf = async (file: string): Promise<readonly string[]> =>
  [...(await readFile(join(root, file), 'utf8')).matchAll(/^(?:import|export)[^'"]*? from '([^']+)'|^import '([^']+)'/gm)].map(
    ([, from, bare]) => from ?? bare ?? '',
  )

test('imports follow the arrows', async (t) => {
  const wrong: string[] = []
  for (const file of files) {
    const rule = allowed.find(([from]) => file.startsWith(from))
    for (const name of await importsOf(file)) {
      const target = name.startsWith('.') ? normalize(join(dirname(file), name)) : undefined
      if (target && rule && !rule[1].test(target) && !exceptions.has(`${file} → ${target}`)) wrong.push(`${file} → ${target}`)
      for (const [packageName, only] of reserved) if (packageName.test(name) && !only.test(file)) wrong.push(`${file} → ${name}`)
    }
  }
  t.deepEqual(wrong, [])
})

test('the audit shares no code with what it judges: of the domain it knows the types alone', async (t) => {
  const wrong: string[] = []
  for (const file of files.filter((name) => name.startsWith('src/audit/'))) {
    const text = await readFile(join(root, file), 'utf8')
    for (const [statement = '', kind = '', from = ''] of text.matchAll(/^(import|export)[^'"]*? from '([^']+)'/gm))
      if (/\/domain\//.test(from) && !new RegExp(`^${kind} type `).test(statement)) wrong.push(`${file} → ${from}`)
  }
  t.deepEqual(wrong, [])
})
