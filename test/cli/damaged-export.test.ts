import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import canonicalize from 'canonicalize'
import { Misuse } from '../../src/cli/data-file.ts'
import { contentsOf } from '../../src/cli/export-format.ts'
import { checkContents } from '../../src/cli/import-checks.ts'
import { runCommand } from '../support/command.ts'
import { ann } from '../support/example-history.ts'
import { fullFile } from '../support/full-file.ts'
import fc from '../support/properties.ts'
import { openFile } from '../support/read-models.ts'

type Json = Readonly<Record<string, unknown>>

const records = {
  credentials: { password: { N: 32_768, r: 8, p: 3, salt: 'c2FsdA==', hash: 'aGFzaA==' }, email: null },
  client: { name: 'script', type: 'script', redirectUri: 'http://localhost', description: '', secret: null, owner: ann, created: 1 },
  refresh: { account: ann, client: 'app', scopes: '*', subsites: null, refresh: null },
} as const

/** The lines of an export of a file in which every event has happened, with records of every kind. */
const exported = async (t: ExecutionContext): Promise<readonly string[]> => {
  const { file, stores, connection } = openFile(t, await fullFile(t))
  for (const [kind, value] of Object.entries(records))
    await stores.vault.put(kind as keyof typeof records, kind === 'credentials' ? ann : kind, { value, owner: ann })
  connection.close()
  const { code, stdout, stderr } = await runCommand('export', file, '--with-vault')
  t.is(code, 0, stderr)
  return stdout.trimEnd().split('\n')
}

/** Returns the refusal of a file by an import; undefined if it takes it. Anything but a refusal is an error of the test. */
const refusalOf = async (bytes: Uint8Array | string): Promise<string | undefined> => {
  try {
    for await (const _ of checkContents(contentsOf(Readable.from([Buffer.from(bytes)]))));
    return undefined
  } catch (error) {
    if (error instanceof Misuse) return error.message
    throw error
  }
}

/** These lines after a header that fits them. */
const withHeader = (lines: readonly string[]): string => {
  const body = lines.map((line) => `${line}\n`).join('')
  const events = lines.filter((line) => line.includes('"stream":')).length
  const sha256 = createHash('sha256').update(body).digest('hex')
  return `${JSON.stringify({ format: 'rostra-log', version: 1, opened: false, events, sha256 })}\n${body}`
}

test('an export with any one byte changed is refused, wherever it is', async (t) => {
  t.timeout(300_000)
  const bytes = Buffer.from(`${(await exported(t)).join('\n')}\n`)
  t.is(await refusalOf(bytes), undefined)
  const inHeader = fc.nat(bytes.indexOf(10) - 1)
  const anywhere = fc.nat(bytes.length - 1)
  await fc.assert(
    fc.asyncProperty(fc.oneof(inHeader, anywhere), fc.integer({ min: 1, max: 255 }), async (at, by) => {
      const damaged = Uint8Array.from(bytes)
      damaged[at] = ((bytes[at] ?? 0) + by) % 256
      const refusal = await refusalOf(damaged)
      // A blank is one as well as another, and the last line may have no end.
      if (Buffer.from(damaged).toString().trim() === bytes.toString().trim()) return
      t.is(typeof refusal, 'string', `byte ${at}`)
    }),
    { numRuns: 60 },
  )
})

/** Every place in a value where there is no further value. */
const leavesOf = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0
    ? Object.entries(value).flatMap(([name, member]) => leavesOf(member, [...path, name]))
    : [path]

const replaced = (value: unknown, [name, ...rest]: readonly string[], change: (leaf: unknown) => unknown): unknown => {
  if (name === undefined) return change(value)
  if (Array.isArray(value)) return value.map((member, i) => (String(i) === name ? replaced(member, rest, change) : member))
  return { ...(value as Json), [name]: replaced((value as Json)[name], rest, change) }
}

const damages: readonly ((leaf: unknown) => unknown)[] = [
  (leaf) => (typeof leaf === 'string' ? `${leaf}x` : typeof leaf === 'number' ? leaf + 1 : typeof leaf === 'boolean' ? !leaf : 'x'),
  (leaf) => (leaf === null ? 1 : null),
  () => ({ other: true }),
  () => 1e300,
  () => -1,
]

test('an event with any one value changed is refused by the number of its line, although the checksum is right', async (t) => {
  t.timeout(300_000)
  const lines = (await exported(t)).slice(1)
  const events = lines.flatMap((line, i) => (line.includes('"stream":') ? [i] : []))
  t.is(await refusalOf(withHeader(lines)), undefined)
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...events), fc.nat(), fc.constantFrom(...damages), async (at, leaf, damage) => {
      const { position, ...event } = JSON.parse(lines[at] ?? '')
      const leaves = leavesOf(event)
      const path = leaves[leaf % leaves.length] ?? []
      const damaged = JSON.stringify({ position, ...(replaced(event, path, damage) as Json) })
      if (damaged === lines[at]) return
      t.regex(
        String(await refusalOf(withHeader(lines.with(at, damaged)))),
        new RegExp(`^line ${at + 2}\\b`),
        `${path.join('.')}: ${damaged}`,
      )
    }),
    { numRuns: 150 },
  )
})

test('a record of the vault with a value of another type is refused by the number of its line', async (t) => {
  const lines = (await exported(t)).slice(1)
  for (const kind of ['key', ...Object.keys(records)]) {
    const at = lines.findIndex((line) => line.includes(`"vault":{"kind":"${kind}"`))
    const record = JSON.parse(lines[at] ?? '')
    for (const path of leavesOf(record)) {
      // Not the hash of a token, which no other record repeats.
      if (path.join('.') === 'vault.id' && (kind === 'client' || kind === 'refresh')) continue
      const damaged = JSON.stringify(replaced(record, path, () => ({ other: true })))
      t.regex(String(await refusalOf(withHeader(lines.with(at, damaged)))), new RegExp(`^line ${at + 2}\\b`), `${kind} ${path.join('.')}`)
    }
  }
})

/** The event of a line with other data or metadata, and the hash of these. */
const rehashed = (line: string, { data = {}, meta = {} }: { readonly data?: Json; readonly meta?: Json }): string => {
  const event = JSON.parse(line)
  const { hash: _, ...rest } = { ...event.meta, ...meta }
  const content = { data: { ...event.data, ...data }, id: event.id, meta: rest, type: event.type }
  const sha256 = createHash('sha256')
    .update(String(canonicalize(content)))
    .digest('hex')
  return JSON.stringify({ ...event, data: content.data, meta: { ...rest, hash: sha256 } })
}

test('an event that no version can have written is refused, although its hash is right', async (t) => {
  const lines = (await exported(t)).slice(1)
  const [line = ''] = lines
  const refusalWith = (other: Parameters<typeof rehashed>[1]) => refusalOf(withHeader([rehashed(line, other), ...lines.slice(1)]))
  t.is(await refusalWith({}), undefined)
  const wrong: readonly (readonly [Parameters<typeof rehashed>[1], RegExp])[] = [
    [{ meta: { at: 9e15 } }, /its time, 9000000000000000, is not a valid date/],
    [{ meta: { at: 0.5 } }, /its time, 0.5, is not/],
    [{ meta: { at: -1 } }, /its time, -1, is not/],
    [{ meta: { at: 'noon' } }, /its metadata is invalid/],
    [{ meta: { schema: 99 } }, /its schema is 99/],
    [{ meta: { commandId: '00000000-0000-5000-8000-000000000000' } }, /its id does not follow/],
    [{ data: { account: 7 } }, /its data does not match its declaration/],
    [{ data: { name: 'somebody_else' } }, /it belongs into the stream/],
  ]
  for (const [other, why] of wrong) {
    const refusal = String(await refusalWith(other))
    t.regex(refusal, /^line 2: /)
    t.regex(refusal, why)
  }
})
