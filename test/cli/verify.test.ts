import { createPrivateKey, hash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import canonicalize from 'canonicalize'
import type { KeptHeads } from '../../src/history/kept-heads.ts'
import { lastHeadNote } from '../../src/history/last-head.ts'
import { type Case, restore, textAt, vectors } from '../history/vectors.ts'
import { runCommand } from '../support/command.ts'
import { withLog } from '../support/numbered-log.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const caseNamed = (name: string): Case => {
  const found = vectors.cases.find((one) => one.name === name)
  if (!found) throw new Error(`there is no vector ${name}`)
  return found
}

/** The data file of a case, with its key beside it. */
const fileOf = async (t: ExecutionContext, name: string): Promise<string> =>
  withLog(temporaryDirectory(t), async ({ events, history, keyFile, file }) => {
    await restore({ events, history }, caseNamed(name))
    await writeFile(keyFile, JSON.stringify({ secret: vectors.secret, key: vectors.key }))
    return file
  })

/** The heads that somebody kept, as the other verifier keeps them. */
const keptOf = async (t: ExecutionContext, kept: unknown): Promise<string> => {
  const file = join(temporaryDirectory(t), 'rostra-heads.json')
  await writeFile(file, JSON.stringify(kept))
  return file
}
const headsOf = (name: string) => ({ 'https://tea.example': textAt<KeptHeads>(caseNamed(name).kept) })

/** Returns the event to append for an event of an export. */
const eventOf = (line = '') => {
  const { type, data, meta } = JSON.parse(line)
  return { type, data: canonicalize(data) ?? '', meta: canonicalize(meta) ?? '' }
}

test('a log, an export of it and the heads that somebody kept are as they were signed', async (t) => {
  const file = await fileOf(t, 'an honest log that has grown')
  const heads = await keptOf(t, headsOf('an honest log that has grown'))
  const exported = join(temporaryDirectory(t), 'export.jsonl')
  await writeFile(exported, (await runCommand('export', file)).stdout)
  for (const more of [[], [exported]]) {
    const { code, stdout, stderr } = await runCommand('verify', file, '--heads', heads, ...more)
    t.is(code, 0, stdout + stderr)
    t.regex(stdout, /^30 events and 11 entries of moderation logs proved in \d+ ms: as they were signed under tea\.example\/history\/0123/)
  }
  const lines = (await readFile(exported, 'utf8')).trim().split('\n')
  // events that came after the last head, in the log and in an export of it
  await withLog(dirname(file), async ({ events }) => {
    for (const n of [1, 2, 3])
      await events.append(`later-${n}`, 'none', [{ ...eventOf(lines.at(-1)), id: `00000000-0000-5000-8000-00000000000${n}` }])
  })
  const later = `${exported}.later`
  await writeFile(later, (await runCommand('export', file)).stdout)
  const beyond = /^30 events and 11 entries .* under \S+; 3 events after the last signed head are not proved yet\n$/
  for (const more of [[], [later]]) {
    const { code, stdout } = await runCommand('verify', file, ...more)
    t.is(code, 0)
    t.regex(stdout, beyond)
  }
  t.like(JSON.parse((await runCommand('verify', file, '--json', later)).stdout), { kind: 'proof', events: 30, unproved: 3 })
  const forged = lines.map((line) => line.replace('"type":"LinkLocked"', '"type":"LinkUnlocked"'))
  t.notDeepEqual(forged, lines)
  // with a checksum that fits, as a careful forger makes it
  const events = `${forged.slice(1).join('\n')}\n`
  const header = { format: 'rostra-log', version: 1, opened: false, events: forged.length - 1, sha256: hash('sha256', events) }
  await writeFile(exported, `${JSON.stringify(header)}\n${events}`)
  const { code, stdout } = await runCommand('verify', file, '--json', exported)
  t.is(code, 1)
  const n = lines.slice(1).findIndex((line) => line.includes('"type":"LinkLocked"'))
  t.like(JSON.parse(stdout.split('\n')[0] ?? ''), { kind: 'history', tree: 'tea.example/history/0123456789abcdef/log', number: n })
})

test('a log whose history was removed does not hold, since its key is there', async (t) => {
  const file = await fileOf(t, vectors.cases[0]?.name ?? '')
  for (const name of readdirSync(dirname(file)).filter((one) => one.includes('.history') && !one.includes('key')))
    await rm(join(dirname(file), name))
  for (const program of ['audit', 'verify'] as const) {
    const { code, stdout } = await runCommand(program, file)
    t.is(code, 1)
    t.regex(stdout, /^the history is missing: there is a log, and the history key/m)
  }
})

test('a log whose history was removed with its key does not hold where the file of the last head is left', async (t) => {
  const file = await fileOf(t, vectors.cases[0]?.name ?? '')
  for (const name of readdirSync(dirname(file)).filter((one) => one.includes('.history'))) await rm(join(dirname(file), name))
  const lone = { code: (await runCommand('verify', file)).code, audit: (await runCommand('audit', file)).stdout }
  t.is(lone.code, 2)
  t.notRegex(lone.audit, /the history is missing/)
  await writeFile(`${dirname(file)}/last-head.rostra.db.history-key`, 'last head of x\n')
  for (const program of ['audit', 'verify'] as const) {
    const { code, stdout } = await runCommand(program, file)
    t.is(code, 1)
    t.regex(stdout, /^the history is missing: there is a log, and the last head \S+, but nothing that was signed$/m)
  }
})

test('a log and its history that were put back behind the last head in its file do not hold', async (t) => {
  const file = await fileOf(t, 'an honest log that has grown')
  const { origin, heads } = textAt<KeptHeads>(caseNamed('an honest log that has not grown').kept)
  const [, size, root] = (heads.log ?? '').split('\n')
  const key = { key: createPrivateKey(vectors.key) }
  const keep = (events: number, hashed: string) =>
    writeFile(
      `${dirname(file)}/last-head.rostra.db.history-key`,
      lastHeadNote({ origin, size: events, root: Buffer.from(hashed, 'base64'), last: null, others: '' }, key),
    )
  await keep(Number(size), root ?? '')
  t.is((await runCommand('verify', file)).code, 0)
  for (const [events, hashed, problem] of [
    [
      Number(size) + 1,
      root ?? '',
      /\/log: a head of 31 leaves is kept in \S+, but there are only 30: log and history were restored from an older backup\n/,
    ],
    [Number(size), Buffer.alloc(32).toString('base64'), /\/log: the head of 30 leaves in \S+ has another root than the stored tree\n/],
  ] as const) {
    await keep(events, hashed)
    for (const program of ['verify', 'audit'] as const) {
      const { code, stdout } = await runCommand(program, file)
      t.is(code, 1)
      t.regex(stdout, problem)
    }
  }
})

test('a log that was signed anew holds by itself, and not by the heads that somebody kept', async (t) => {
  const forked = 'a forked log: two heads of one size'
  const file = await fileOf(t, forked)
  t.is((await runCommand('verify', file)).code, 0)
  const { code, stdout } = await runCommand('verify', file, '--heads', await keptOf(t, headsOf(forked)))
  t.is(code, 1)
  t.regex(stdout, /log: the kept head of 30 leaves has another root than the stored tree: two heads of this size were signed\n/)
  const other = await runCommand('verify', file, '--heads', await keptOf(t, { x: { origin: 'tea.example/history/other', heads: {} } }))
  t.is(other.code, 1)
  t.regex(other.stdout, /numbered under tea\.example\/history\/0123456789abcdef: ask/)
  for (const [kept, problem] of [
    [[], /holds no heads/],
    ['missing', /holds no heads/],
  ] as const) {
    const refused = await runCommand('verify', file, '--heads', await keptOf(t, kept))
    t.is(refused.code, 2)
    t.regex(refused.stderr, problem)
  }
})
