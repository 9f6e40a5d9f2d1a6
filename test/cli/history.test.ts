import { copyFile, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { historyKeyIn } from '../../src/history/key.ts'
import { checkpointText, openNote, signNote } from '../../src/history/note.ts'
import { followKeys, headIn, type OriginKey } from '../../src/history/origins.ts'
import { runCommand, spawnCommand } from '../support/command.ts'
import { logEntries } from '../support/community.ts'
import { foundSubsite, submit } from '../support/posting.ts'
import { startService } from '../support/service-process.ts'
import { startSite, type TestSite } from '../support/site.ts'

const KEPT_BESIDE = ['history-key', 'session-secret'] as const
const fileIn = (directory: string) => join(directory, 'rostra.db')

/** One file of a site that runs, as docs/operations.md has it. */
const copied = async (from: string, to: string, name: string): Promise<void> => {
  const db = new DatabaseSync(join(from, name), { readOnly: true })
  await backup(db, join(to, name))
  db.close()
}

const directoryFor = async (t: ExecutionContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'rostra-copy-'))
  t.teardown(() => rm(directory, { recursive: true, force: true }))
  return directory
}

const sizeOf = async (site: TestSite): Promise<number> => Number((await site.get('/history/log/checkpoint')).text.split('\n')[1])

const until = async (reached: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 200; tries++) {
    if (await reached()) return
    await sleep(50)
  }
  throw new Error('it never came')
}

/** Acts and votes without pause; ended by the function returned. */
const underLoad = async (site: TestSite) => {
  const [ann, bob] = await Promise.all(['ann', 'bob'].map(site.register))
  if (!ann || !bob) throw new Error('nobody')
  await foundSubsite(ann, 'tea')
  const link = await submit(bob, 'tea')
  let stopping = false
  const working = Array.from({ length: 4 }, async (_, n) => {
    for (let round = n; !stopping; round++) {
      await ann.post(round % 2 === 0 ? '/api/lock' : '/api/unlock', { id: link })
      await bob.post('/api/vote', { id: link, dir: round % 3 === 0 ? 0 : 1 })
    }
  })
  return async () => {
    stopping = true
    await Promise.all(working)
  }
}

test('a copy made under load in the order of the manual is restored, proved and goes on; one that lies behind is refused until it is said', async (t) => {
  const site = await startSite({ historyHeadSeconds: 1 })
  t.teardown(() => rm(site.directory, { recursive: true, force: true }))
  const end = await underLoad(site)
  const [early, good] = [await directoryFor(t), await directoryFor(t)]
  await copied(site.directory, early, 'rostra.db')
  await until(async () => (await sizeOf(site)) > 60)
  await copied(site.directory, good, 'rostra.db.history')
  await sleep(100)
  await copied(site.directory, good, 'rostra.db')
  await copied(site.directory, early, 'rostra.db.history')
  for (const directory of [early, good])
    for (const name of KEPT_BESIDE) await copyFile(`${fileIn(site.directory)}.${name}`, `${fileIn(directory)}.${name}`)
  await end()
  const last = (await site.get('/history/log/checkpoint')).text
  t.true((await logEntries(site, 'tea')).length > 0)
  await site.running.stop()

  const audited = await runCommand('audit', fileIn(good))
  t.is(audited.code, 0, `${audited.stdout}${audited.stderr}`)
  t.regex(audited.stdout, /^\d+ events and \d+ entries of moderation logs proved in \d+ ms: as they were signed under /)
  const restored = await startSite({ directory: good, historyHeadSeconds: 1 })
  const before = await sizeOf(restored)
  await restored.register('carol')
  await until(async () => (await sizeOf(restored)) > before)
  await restored.stop()
  t.is((await runCommand('audit', fileIn(good))).code, 0)

  await t.throwsAsync(startSite({ directory: early }), { message: /is older than its history.*new-origin/ })
  const behind = await runCommand('audit', fileIn(early))
  t.is(behind.code, 1)
  t.regex(behind.stdout, /\/log: \d+ leaves were numbered, but there are \d+/)
  const origin = await runCommand('history', fileIn(early), 'new-origin')
  t.is(origin.code, 0, origin.stderr)
  t.regex(origin.stdout, /; it names the last head, of \d+ events, of 127\S+\n$/)
  const again = await startSite({ directory: early, historyHeadSeconds: 1 })
  await until(async () => (await again.get('/history/log/checkpoint')).status === 200)
  const [previous] = (await again.get('/history')).at('previous') as readonly { readonly origin: string; readonly checkpoint: string }[]
  t.true(previous?.checkpoint.startsWith(`${previous.origin}/log\n`))
  t.is(previous?.checkpoint.split('\n')[0], last.split('\n')[0])
  t.not((await again.get('/history')).at('origin'), previous?.origin)
  await again.stop()
})

test('a history that is carried along goes on in other stores, if the log there is the one that was signed', async (t) => {
  const site = await startSite({ historyHeadSeconds: 1 })
  t.teardown(() => rm(site.directory, { recursive: true, force: true }))
  const end = await underLoad(site)
  await until(async () => (await sizeOf(site)) > 60)
  const directory = await directoryFor(t)
  const copy = join(directory, 'copy.history')
  await copied(site.directory, directory, 'rostra.db.history')
  await rename(join(directory, 'rostra.db.history'), `${copy}.new`)
  const taken = await runCommand('history', fileIn(site.directory), 'carry', '--to', copy)
  t.is(taken.code, 0, taken.stderr)
  t.deepEqual(await readdir(directory), ['copy.history'], 'and nothing of a copy that was interrupted')
  t.is((await runCommand('history', fileIn(site.directory), 'carry', '--to', copy)).code, 2, 'not over a file')
  const origin = String((await site.get('/history')).at('origin'))
  const head = (await site.get('/history/log/checkpoint')).text
  await end()
  await site.running.stop()
  const lines = (await runCommand('export', fileIn(site.directory), '--with-vault')).stdout
  const carried = async (exported: string, from = copy) => {
    const other = await directoryFor(t)
    await writeFile(join(other, 'site.ndjson'), exported)
    t.is((await runCommand('import', fileIn(other), join(other, 'site.ndjson'))).code, 0)
    t.is((await runCommand('history', fileIn(other), 'carry', '--from', copy)).code, 2, 'not without the key')
    await copyFile(`${fileIn(site.directory)}.history-key`, `${fileIn(other)}.history-key`)
    return { other, ran: await runCommand('history', fileIn(other), 'carry', '--from', from) }
  }
  const behind = await carried(
    (await runCommand('export', fileIn(site.directory), '--with-vault', '--until', `${'0'.repeat(18)}20`)).stdout,
  )
  t.is(behind.ran.code, 1)
  t.regex(behind.ran.stdout, /\/log: \d+ leaves were numbered, but there are 20\n/)
  await t.throwsAsync(startSite({ directory: behind.other }), { message: /but no history: restore it/ }, 'nothing was carried')

  const without = join(directory, 'without.history')
  await copyFile(copy, without)
  const db = new DatabaseSync(without)
  db.exec("DROP TRIGGER row_is_never_deleted; DELETE FROM row WHERE kind NOT IN ('origin', 'key'); DELETE FROM state")
  db.close()
  const unsigned = await carried(lines, without)
  t.is(unsigned.ran.code, 2, unsigned.ran.stdout)
  t.regex(unsigned.ran.stderr, /holds no signed head of /)

  const { other, ran } = await carried(lines)
  t.is(ran.code, 0, ran.stdout + ran.stderr)
  t.regex(
    ran.stdout,
    /^\d+ events after its last signed head are not proved\n\d+ events and \d+ entries proved: the history of \S+ goes on here\n$/,
  )
  t.is((await runCommand('history', fileIn(other), 'carry', '--from', copy)).code, 2, 'once')
  const moved = await startSite({ directory: other, historyHeadSeconds: 1 })
  t.teardown(() => moved.stop())
  const before = Number(head.split('\n')[1])
  await until(async () => (await sizeOf(moved)) > before)
  t.is((await moved.get('/history')).at('origin'), origin)
  const kept = join(directory, 'heads.json')
  await writeFile(kept, JSON.stringify({ [site.url]: { origin, heads: { log: head } } }))
  const verified = await runCommand('verify', fileIn(other), '--heads', kept)
  t.is(verified.code, 0, verified.stdout)
})

test('a service whose log was changed ends with one line as soon as that is found, and so does the next', async (t) => {
  const site = await startSite({ historyHeadSeconds: 1 })
  t.teardown(() => rm(site.directory, { recursive: true, force: true }))
  const ann = await site.register('ann')
  await foundSubsite(ann, 'tea')
  await until(async () => (await sizeOf(site)) > 3)
  await site.running.stop()
  const db = new DatabaseSync(fileIn(site.directory))
  const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'event'").all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  t.is(
    db.prepare('UPDATE event SET meta = replace(meta, \'"at":1\', \'"at":2\') WHERE pos = (SELECT min(pos) FROM event)').run().changes,
    1,
  )
  db.close()
  for (let start = 0; start < 2; start++) {
    const service = await startService(site.directory)
    const { code, errors } = await service.ended
    t.not(code, 0)
    const fatal = errors.split('\n').filter((line) => line.startsWith('{') && JSON.parse(line).level === 60)
    t.is(fatal.length, 1, errors)
    t.regex(fatal[0] ?? '', /leaf 0, .*, is not the one that was numbered/)
  }
})

test('a new key is signed by the old one, and signs the next head', async (t) => {
  const site = await startSite({ historyHeadSeconds: 1 })
  t.teardown(() => site.stop())
  await site.register('ann')
  await until(async () => (await sizeOf(site)) > 0)
  const file = fileIn(site.directory)
  const shown = await spawnCommand('history', file, 'key')
  t.is(shown.code, 0, shown.stderr)
  const old = await historyKeyIn(`${file}.history-key`)
  const rotated = await runCommand('history', file, 'key', '--rotate')
  t.is(rotated.code, 0, rotated.stderr)
  t.deepEqual(rotated.stdout.split('\n').length, shown.stdout.split('\n').length + 1)
  const before = await sizeOf(site)
  await site.register('bob')
  await until(async () => (await sizeOf(site)) > before)
  const overview = await site.get('/history')
  const [first = '', second = ''] = [0, 1].map((at) => String(overview.at(`keys.${at}.key`)))
  const name = String(overview.at('origin'))
  const bytes = (key: string) => Buffer.from(key, 'base64')
  const endorsement = openNote(String(overview.at('keys.1.endorsement')), name, bytes(first))
  t.true(endorsement?.startsWith(`key of ${name}\n${second}\n`))
  const largest = Number(endorsement?.split('\n')[2])
  t.true(largest > before && largest < before + 2_000)
  const head = (await site.get('/history/log/checkpoint')).text
  t.truthy(openNote(head, `${name}/log`, bytes(second)))
  t.is(openNote(head, `${name}/log`, bytes(first)), undefined)
  t.is((await runCommand('audit', file)).code, 0)
  // whoever still has the old key signs no log that is much larger
  const origin = { name, number: 1, created: 0, previous: null, signature: '' }
  const keys = followKeys(origin, overview.at('keys') as readonly OriginKey[])
  if (typeof keys === 'string' || old === undefined) return t.fail(String(keys))
  const headOf = (size: number) => signNote(checkpointText({ origin: `${name}/log`, size, root: Buffer.alloc(32) }), `${name}/log`, old.key)
  t.is(headIn(origin, '1/log', keys, headOf(largest))?.size, largest)
  t.is(headIn(origin, '1/log', keys, headOf(largest + 1)), undefined)
  t.is((await runCommand('history', file, 'new-origin')).code, 2, 'the service runs')
})

test('a key signs no successor under an origin that somebody put into the history', async (t) => {
  const site = await startSite({ historyHeadSeconds: 1 })
  t.teardown(() => rm(site.directory, { recursive: true, force: true }))
  await site.register('ann')
  await until(async () => (await sizeOf(site)) > 0)
  await site.running.stop()
  const file = fileIn(site.directory)
  const key = await readFile(`${file}.history-key`, 'utf8')
  const size = (to: string) => {
    const db = new DatabaseSync(`${file}.history`)
    db.exec(`UPDATE state SET size = ${to} WHERE tree = '1/log'`)
    db.close()
  }
  size('size + 9007199254740992')
  t.is((await runCommand('history', file, 'key', '--rotate')).code, 2, 'nor with a size that somebody put there')
  t.is(await readFile(`${file}.history-key`, 'utf8'), key)
  size('size - 9007199254740992')
  const db = new DatabaseSync(`${file}.history`)
  const { value } = db.prepare("SELECT value FROM row WHERE kind = 'origin'").get() as { readonly value: Uint8Array }
  const forged = { ...JSON.parse(Buffer.from(value).toString()), name: 'rostra.example/history/of-somebody-else' }
  const copy = db.prepare('INSERT INTO row(tree, kind, number, name, value) SELECT ?, kind, ?, name, ? FROM row WHERE kind = ?')
  copy.run('origins', 2, Buffer.from(JSON.stringify(forged)), 'origin')
  const { tree, value: first } = db.prepare("SELECT tree, value FROM row WHERE kind = 'key'").get() as {
    readonly tree: string
    readonly value: Uint8Array
  }
  copy.run(tree.replace('1', '2'), 0, first, 'key')
  db.close()
  const rotated = await runCommand('history', file, 'key', '--rotate')
  t.is(rotated.code, 2, rotated.stdout)
  t.regex(rotated.stderr, /of-somebody-else/)
  t.is(await readFile(`${file}.history-key`, 'utf8'), key)
})
