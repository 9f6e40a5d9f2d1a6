import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { modChanges } from '../../projections/mod-log-changes.ts'
import { type ModEntry, modEntries } from '../../projections/mod-log-entries.ts'
import { historyKeyFileOf } from '../../src/config.ts'
import { actionOf, type ModEvent, modActions } from '../../src/domain/mod-actions.ts'
import { isAct } from '../../src/domain/mod-log-acts.ts'
import { historyKeyIn, successorOf } from '../../src/history/key.ts'
import { addKey, lastOrigin } from '../../src/history/origins.ts'
import { five, startCast } from '../support/cast.ts'
import { done, eventually } from '../support/community.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { found, submit } from '../support/posting.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/*
 * Programs that verify a moderation log from outside: verify/rostra_verify.py, and Go's golang.org/x/mod/sumdb behind an adapter.
 * `npm run test:clients` installs what they need; else what the machine lacks for one leaves it out.
 */

const installs = process.env.FULL_CLIENTS === '1'
const MS = 120_000
const run = promisify(execFile)
const absolute = (path: string) => fileURLToPath(new URL(path, import.meta.url))

type Ran = { readonly code: number; readonly printed: string }
type Program = (...rest: readonly string[]) => Promise<Ran>

const program =
  (command: string, ...first: readonly string[]): Program =>
  (...rest) =>
    run(command, [...first, ...rest], { timeout: MS, maxBuffer: 2 ** 24 }).then(
      ({ stdout, stderr }) => ({ code: 0, printed: stdout + stderr }),
      ({ code, stdout = '', stderr = '', message }) => ({
        code: typeof code === 'number' ? code : -1,
        printed: `${stdout}${stderr}` || message,
      }),
    )

/** A program that others need first, or why there is none. */
const withPython = async (directory: string): Promise<Program | string> => {
  const verifier = absolute('../../verify/')
  let python = 'python3'
  if (installs) {
    const made = await program(python)('-m', 'venv', directory)
    python = join(directory, 'bin', 'python')
    const pip = [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--no-deps',
      '--requirement',
      `${verifier}requirements.txt`,
    ]
    if (made.code !== 0 || (await program(python)(...pip)).code !== 0) return 'its package could not be installed'
  }
  if ((await program(python)('-c', 'import cryptography')).code !== 0) return 'there is no python3 with the package cryptography'
  return program(python, '-B', '-W', 'error::ResourceWarning')
}

const withGo = async (directory: string): Promise<Program | string> => {
  if (!installs) return 'npm run test:clients builds it'
  if ((await program('go')('version')).code !== 0) return 'there is no go'
  await cp(absolute('../clients/programs/sumdb'), directory, { recursive: true })
  const built = await program('go', '-C', directory)('build', '-o', 'verify', '.')
  return built.code === 0 ? program(join(directory, 'verify')) : `it could not be built: ${built.printed}`
}

const place = await mkdtemp(join(tmpdir(), 'rostra-verifiers-'))
const [python, go] = await Promise.all([withPython(join(place, 'python')), withGo(join(place, 'go'))])
const { site, ann, bob } = await startCast(five)
test.after.always(async () => {
  await site.stop()
  await rm(place, { recursive: true, force: true })
})

let link = ''
let entries = 0
/** Acts of a moderator, which a signed head covers in the end. */
const act = async (count: number): Promise<boolean> => {
  for (let n = 0; n < count; n++) await done(ann, n % 2 === 0 ? '/api/lock' : '/api/unlock', { id: link })
  entries += count
  return eventually(async () => {
    const { status, text } = await site.get('/history/s/verified/checkpoint')
    return status === 200 && Number(text.split('\n')[1]) >= entries
  })
}

test.before(async () => {
  await found(ann, 'verified')
  link = await submit(bob, 'verified')
  // more than a tile holds
  if (!(await act(260))) throw new Error('it was never signed')
})

/** A test of a program, left out with the reason where there is none. */
const withProgram = (title: string, present: Program | string, body: (t: ExecutionContext, call: Program) => Promise<void>) => {
  if (typeof present === 'string') test.skip(`${title} (left out: ${present})`, (t) => t.pass())
  else test.serial(title, (t) => body(t, present))
}

withProgram('our verifier agrees with the vectors, and no service leads it astray', python, async (t, call) => {
  const { code, printed } = await call(absolute('../../verify/test_rostra_verify.py'))
  t.is(code, 0, printed)
  t.regex(printed, /^Ran \d\d tests in/m)
})

withProgram('our verifier proves a log, that it has grown, and that it is not the one of before', python, async (t, call) => {
  const heads = join(temporaryDirectory(t), 'rostra-heads.json')
  const verify = (...rest: readonly string[]) =>
    call(absolute('../../verify/rostra_verify.py'), site.url, 'verified', '--heads', heads, ...rest)
  const first = await verify()
  t.deepEqual(
    [first.code, /^All (\d+) entries .*; you look for the first time\.\n$/.exec(first.printed)?.[1]],
    [0, String(entries)],
    first.printed,
  )
  const before = entries
  t.true(await act(4))
  const second = await verify()
  t.is(second.code, 0, second.printed)
  t.true(second.printed.startsWith(`All ${entries} entries of the moderation log of verified hold: `))
  t.true(second.printed.endsWith(`; the ${before} that were there when you last looked are unchanged.\n`), second.printed)

  const kept = await readFile(heads, 'utf8')
  const tampered = async (change: (text: string) => string) => {
    t.not(change(kept), kept)
    await writeFile(heads, change(kept))
    return verify()
  }
  const origin = /"origin": "([^"]+)"/.exec(kept)?.[1] ?? ''
  const renewed = await tampered((text) => text.replace(`"origin": "${origin}"`, '"origin": "tea.example/history/0123456789abcdef"'))
  t.is(renewed.code, 3)
  t.regex(renewed.printed, /^NEW ORIGIN: /)
  const accepted = await verify('--accept-origin', origin)
  t.is(accepted.code, 0)
  t.regex(accepted.printed, /you look for the first time/)
  const otherKey = await tampered((text) => text.replace(/("keys": \[\s*")[^"]+/, `$1${Buffer.alloc(32, 7).toString('base64')}`))
  t.is(otherKey.code, 1)
  t.regex(otherKey.printed, /are not the ones that were seen before/)
  t.is((await call(absolute('../../verify/rostra_verify.py'), site.url, 'nowhere', '--heads', `${heads}.other`)).code, 2)
})

/** The acts of moderation, each with its entry, as a verifier is given them. */
const entriesOfActs = everyEvent.flatMap((event) => {
  if (!isAct(event)) return []
  const { id, type, at, by } = event
  const say = modEntries[type as ModEvent] as (event: unknown) => ModEntry
  const changesOf = modChanges[type as ModEvent] as ((event: unknown) => readonly object[]) | undefined
  const { action = actionOf[type as ModEvent], target } = say(event)
  const entry = {
    ...{ id: `ModAction_${id}`, created_utc: Math.floor(at / 1000), mod_id36: by.account?.slice(3) ?? null, action },
    ...{ target_fullname: target?.id ?? null, changes: changesOf?.(event) ?? [] },
  }
  const values = { 'meta.at': JSON.stringify(at), 'meta.by': JSON.stringify(by) }
  const data = Object.entries(event.data).map(([name, value]) => [`data.${name}`, JSON.stringify(value)])
  return [{ entry, record: { id, type }, values: { ...values, ...Object.fromEntries(data.filter(([, value]) => value !== undefined)) } }]
})

withProgram('verifiers follow a key to the next', python, async (t, call) => {
  const directory = temporaryDirectory(t)
  const verify = () => call(absolute('../../verify/rostra_verify.py'), site.url, 'verified', '--heads', join(directory, 'heads.json'))
  t.is((await verify()).code, 0)
  const others = typeof go === 'string' ? undefined : () => go(site.url, 'verified', directory)
  if (others) t.is((await others()).code, 0)
  const { stores, app } = site.running
  const keyFile = historyKeyFileOf(app.config) ?? ''
  const [old, origin] = [await historyKeyIn(keyFile), await lastOrigin(stores.history)]
  if (!old || !origin) return t.fail()
  const [next, putInPlace] = await successorOf(keyFile, old)
  await addKey(stores.history, origin, { old, next, at: Date.now(), until: 1_000_000 })
  await putInPlace()
  t.true(await act(2))
  const { code, printed } = await verify()
  t.is(code, 0, printed)
  t.is((await site.get('/history')).at('keys.length'), 2)
  if (others) t.is((await others()).code, 0)
})

withProgram('our verifier compares what people read of an entry with its event', python, async (t, call) => {
  const file = join(temporaryDirectory(t), 'entries.json')
  const program = `import json, sys; sys.path.insert(0, sys.argv[1]); import rostra_verify as v
def said(one):
    try: return v.check_wording(one['entry'], one['record'], one['values'], 0)
    except v.Broken as error: return str(error)
with open(sys.argv[2]) as opened: entries = json.load(opened)
print(json.dumps([[said(one) for one in entries], {a: t.split(' ') for a, t in v.ACTIONS.items()}]))`
  const ask = async (entries: readonly object[]) => {
    await writeFile(file, JSON.stringify(entries))
    const { code, printed } = await call('-c', program, absolute('../../verify/'), file)
    t.is(code, 0, printed)
    return JSON.parse(printed) as readonly [readonly (string | null)[], object]
  }
  const [honest, actions] = await ask(entriesOfActs)
  t.deepEqual(actions, modActions)
  t.true(new Set(entriesOfActs.map(({ record }) => record.type)).size > 60)
  t.deepEqual(
    honest.filter((said) => said !== null),
    [],
  )
  const forged = entriesOfActs.flatMap((one) => {
    const { entry, record } = one
    const others: object[] = [{ action: entry.action === 'lock' ? 'unlock' : 'lock' }, { target_fullname: 't2_other' }]
    if (['setpermissions', 'setsuggestedsort', 'wikipermlevel'].includes(entry.action) && entry.changes.length > 0)
      others.push({ changes: entry.changes.map((change) => ({ ...change, before: 'forged' })) }, { changes: [] })
    const hasTarget = entry.target_fullname !== null || record.type === 'ModeratorInvitationAccepted'
    return others.filter((other) => hasTarget || !('target_fullname' in other)).map((other) => ({ ...one, entry: { ...entry, ...other } }))
  })
  t.deepEqual(
    (await ask(forged))[0].flatMap((said, at) => (said === null ? [forged[at]] : [])),
    [],
  )
})

withProgram("Go's sumdb proves signatures, inclusion and consistency", go, async (t, call) => {
  const heads = temporaryDirectory(t)
  const first = await call(site.url, 'verified', heads)
  t.deepEqual(first, { code: 0, printed: `${entries} entries hold\n` })
  const before = entries
  t.true(await act(2))
  const second = await call(site.url, 'verified', heads)
  t.is(second.code, 0, second.printed)
  t.true(second.printed.includes(`subsite has grown from ${before} to ${entries}\n`), second.printed)
  t.regex(second.printed, /^log has grown from \d+ to \d+$/m)
  // a head that is signed by the key, of another log
  const head = join(heads, 'log')
  const text = await readFile(head, 'utf8')
  await writeFile(
    head,
    text.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) - 1}\n`),
  )
  t.is((await call(site.url, 'verified', heads)).code, 1)
})
