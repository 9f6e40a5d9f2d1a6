import { execFile, spawn } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { type ModLogDocument, modLog } from '../../projections/mod-log.ts'
import { type FieldChange, modChanges } from '../../projections/mod-log-changes.ts'
import { type ModEntry, modEntries } from '../../projections/mod-log-entries.ts'
import { siteLog, siteLogProjection } from '../../projections/site-log.ts'
import { serveWitness } from '../../src/cli/witness.ts'
import { historyKeyFileOf } from '../../src/config.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import { isModLogEntry } from '../../src/domain/is-mod-log-entry.ts'
import { actionOf, type ModEvent, modActions } from '../../src/domain/mod-actions.ts'
import { publicFields } from '../../src/domain/public-mod-log-fields.ts'
import { siteActionNames, siteActions } from '../../src/domain/site-acts.ts'
import { readCosignTime, type Witness, witnessKeyIn, witnessKeyText } from '../../src/history/cosignature.ts'
import { historyKeyIn, successorOf } from '../../src/history/key.ts'
import { textOfNote, verifierKey } from '../../src/history/note.ts'
import { addKey, lastOrigin } from '../../src/history/origins.ts'
import { createWitness, openWitness } from '../../src/history/witness.ts'
import { witnessHeads } from '../../src/history/witnesses.ts'
import { vectors } from '../history/vectors.ts'
import { five, startCast } from '../support/cast.ts'
import { eventually, logEntries, postForm } from '../support/community.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { registerApp } from '../support/oauth.ts'
import { foundSubsite, submit } from '../support/posting.ts'
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

/** A witness and a client of others, which speak to ours. */
const withOthersWitness = async (directory: string): Promise<Program | string> => {
  if (!installs) return 'npm run test:clients builds it'
  if ((await program('go')('version')).code !== 0) return 'there is no go'
  await cp(absolute('../clients/programs/witness'), directory, { recursive: true })
  await cp(absolute('../clients/programs/sumdb/adapter.go'), join(directory, 'adapter.go'))
  const built = await program('go', '-C', directory)('build', '-o', 'witness', '.')
  return built.code === 0 ? program(join(directory, 'witness')) : `it could not be built: ${built.printed}`
}

const place = await mkdtemp(join(tmpdir(), 'rostra-verifiers-'))
const [python, go, others] = await Promise.all([
  withPython(join(place, 'python')),
  withGo(join(place, 'go')),
  withOthersWitness(join(place, 'witness')),
])
const { site, ann, bob, root } = await startCast(five)
const end = async () => {
  await site.stop()
  await rm(place, { recursive: true, force: true })
}
// no hook runs where the machine lacks what every test needs
if ([python, go, others].every((present) => typeof present === 'string')) await end()
test.after.always(end)

let link = ''
let entries = 0
/** Acts of a moderator, which a signed head covers in the end. */
const act = async (count: number): Promise<boolean> => {
  for (let n = 0; n < count; n++) await postForm(ann, n % 2 === 0 ? '/api/lock' : '/api/unlock', { id: link })
  entries += count
  return eventually(async () => {
    const { status, text } = await site.get('/history/s/verified/checkpoint')
    return status === 200 && Number(text.split('\n')[1]) >= entries
  })
}

test.before(async () => {
  await foundSubsite(ann, 'verified')
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
    [first.code, /^All (\d+) entries .*; you look for the first time\. Not compared: names of accounts .*\.\n$/.exec(first.printed)?.[1]],
    [0, String(entries)],
    first.printed,
  )
  const before = entries
  t.true(await act(4))
  const second = await verify()
  t.is(second.code, 0, second.printed)
  t.true(second.printed.startsWith(`All ${entries} entries of the moderation log of verified hold: `))
  t.regex(
    second.printed,
    new RegExp(`; the ${before} that were there when you last looked \\(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\\) are unchanged\\.`),
  )
  // another address of the same service was verified before
  const elsewhere = await call(
    absolute('../../verify/rostra_verify.py'),
    `${site.url.replace('127.0.0.1', 'localhost')}/s/verified`,
    '--heads',
    heads,
    '--expect-heads',
  )
  t.regex(elsewhere.printed, /when you last looked \(.*\) are unchanged/)

  const kept = await readFile(heads, 'utf8')
  const tampered = async (change: (text: string) => string) => {
    t.not(change(kept), kept)
    await writeFile(heads, change(kept))
    return verify()
  }
  const origin = /"origin": "([^"]+)"/.exec(kept)?.[1] ?? ''
  const gone = '00000000-0000-5000-8000-0000000000dd'
  const renewed = await tampered((text) =>
    text
      .replaceAll(origin, 'tea.example/history/0123456789abcdef')
      .replace(/("marks": \{\s*"t4_\w+": \[)/, `$1"0 0123456789abcdef ${gone}",`),
  )
  t.is(renewed.code, 3)
  t.regex(renewed.printed, /^NEW RECORD: /)
  const accepted = await verify('--accept-origin', origin)
  t.is(accepted.code, 0, accepted.printed)
  t.regex(accepted.printed, /you look for the first time since the service began a new record/)
  t.regex(accepted.printed, /Of the entries that you saw before the service began a new record, 1 is gone: the first was entry 0\./)
  t.true((await readFile(heads, 'utf8')).includes(gone), 'what was seen is never forgotten')
  const otherKey = await tampered((text) => text.replace(/("keys": \[\s*")[^"]+/, `$1${Buffer.alloc(32, 7).toString('base64')}`))
  t.is(otherKey.code, 1)
  t.regex(otherKey.printed, /are not the ones that were seen before/)
  t.is((await call(absolute('../../verify/rostra_verify.py'), site.url, 'nowhere', '--heads', `${heads}.other`)).code, 2)
})

/** The acts of moderation, each with its entry, as a verifier is given them. */
const entriesOfActs = everyEvent.flatMap((event) => {
  if (!isModLogEntry(event)) return []
  const { id, type, at, by } = event
  const say = modEntries[type as ModEvent] as (event: unknown) => ModEntry
  const changesOf = modChanges[type as ModEvent] as ((event: unknown) => readonly FieldChange[]) | undefined
  const { action = actionOf[type as ModEvent], target, details = null, description = '' } = say(event)
  const entry = {
    ...{ id: `ModAction_${id}`, created_utc: Math.floor(at / 1000), mod_id36: by.account?.slice(3) ?? null, action },
    ...{ target_fullname: target?.id ?? null, changes: (changesOf?.(event) ?? []).map(({ authors: _, ...change }) => change) },
    ...{ details, description: description === '' ? null : description },
    ...{ target_title: target?.title ?? null, target_body: target?.excerpt ?? null },
  }
  const sealed = eventDefinitions.get(type)?.sealedPaths ?? []
  const texts = Object.fromEntries(
    sealed.flatMap(({ path }) => {
      const text = path.reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], event.data)
      return typeof text === 'string' ? [[path.join('.'), text]] : []
    }),
  )
  const values = { 'meta.at': JSON.stringify(at), 'meta.by': JSON.stringify(by) }
  const data = Object.entries(event.data).map(([name, value]) => [`data.${name}`, JSON.stringify(value)])
  return [
    { entry, record: { id, type }, texts, values: { ...values, ...Object.fromEntries(data.filter(([, value]) => value !== undefined)) } },
  ]
})

/** The acts on the site, each as its log shows it. */
const entriesOfSiteActs = everyEvent.flatMap((event) =>
  (siteLogProjection.on[event.type]?.(event as never) ?? []).flatMap((touch) => {
    const entry = touch.change(undefined)
    if (!entry) return []
    const { id, at, by, action, targetId, changes, description } = entry
    const data = Object.entries(event.data).map(([name, value]) => [`data.${name}`, JSON.stringify(value)])
    return [
      {
        entry: {
          ...{ id: `ModAction_${id}`, created_utc: Math.floor(at / 1000), mod_id36: by?.slice(3) ?? null, action },
          ...{ target_fullname: targetId, changes, description },
        },
        record: { id, type: event.type },
        texts: {},
        values: {
          'meta.at': JSON.stringify(at),
          'meta.by': JSON.stringify(event.by),
          ...Object.fromEntries(data.filter(([, value]) => value !== undefined)),
        },
      },
    ]
  }),
)

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
    try: return v.check_wording(one['entry'], v.Committed(b'', one['record'], one['values'], 0, one['texts'])) or None
    except v.Unshown as error: return str(error)
with open(sys.argv[2]) as opened: entries = json.load(opened)
print(json.dumps([[said(one) for one in entries], *({a: t.split(' ') for a, t in some.items()} for some in (v.ACTIONS, v.SITE_ACTIONS))]))`
  const ask = async (entries: readonly object[]) => {
    await writeFile(file, JSON.stringify(entries))
    const { code, printed } = await call('-c', program, absolute('../../verify/'), file)
    t.is(code, 0, printed)
    return JSON.parse(printed) as readonly [readonly (string | null)[], object, object]
  }
  const [honest, actions, ofSite] = await ask([...entriesOfActs, ...entriesOfSiteActs])
  t.deepEqual<readonly object[], readonly object[]>([actions, ofSite], [modActions, siteActions])
  t.true(new Set(entriesOfActs.map(({ record }) => record.type)).size > 60)
  t.deepEqual(
    honest.filter((said) => said !== null),
    [],
  )
  t.deepEqual([...new Set(entriesOfSiteActs.map(({ entry }) => entry.action))].toSorted(), siteActionNames.toSorted())
  for (const { record, values } of entriesOfActs) {
    const open: readonly string[] = publicFields[record.type as ModEvent].map((name) => `data.${String(name)}`)
    const needed = ['data.target', 'data.account', 'data.setting'].filter((name) => name in values)
    t.deepEqual(
      needed.filter((name) => !open.includes(name)),
      [],
      record.type,
    )
  }
  const forged = [...entriesOfActs, ...entriesOfSiteActs].flatMap((one) => {
    const { entry, record } = one
    const others: object[] = [{ action: entry.action === 'lock' ? 'unlock' : 'lock' }, { target_fullname: 't2_other' }]
    others.push({ mod_id36: entry.mod_id36 === null ? 'other' : null }, ...forgedWords(one))
    if (['suspenduser', 'grantcredits', 'givegold'].includes(entry.action) && entry.changes.length > 0)
      others.push({ changes: entry.changes.map((change) => ({ ...change, after: 'forged' })) })
    if (['setpermissions', 'setsuggestedsort', 'wikipermlevel', 'editsettings'].includes(entry.action) && entry.changes.length > 0)
      others.push({ changes: entry.changes.map((change) => ({ ...change, before: 'forged' })) }, { changes: [] })
    const hasTarget = entry.target_fullname !== null || record.type === 'ModeratorInvitationAccepted'
    return others.filter((other) => hasTarget || !('target_fullname' in other)).map((other) => ({ ...one, entry: { ...entry, ...other } }))
  })
  t.deepEqual(
    (await ask(forged))[0].flatMap((said, at) => (said === null ? [forged[at]] : [])),
    [],
  )
})

/** An entry with another word in each place where it has words. */
const forgedWords = ({ entry }: { readonly entry: object }): readonly object[] => {
  const { details, description, target_title, target_body, changes } = entry as Partial<(typeof entriesOfActs)[number]['entry']>
  const words = Object.entries({ details, description, target_title, target_body })
  const isWords = /^(short_name|description|kind|order|text|css_class|text_editable|templates)$/
  return [
    ...words.flatMap(([name, value]) => (value === undefined ? [] : [{ [name]: `${value ?? ''} forged` }])),
    ...words.flatMap(([name, value]) => (name === 'details' && value !== null && value !== undefined ? [{ [name]: null }] : [])),
    ...(changes ?? []).flatMap((change, at) =>
      isWords.test(change.field) ? [{ changes: (changes ?? []).with(at, { ...change, after: 'forged' }) }] : [],
    ),
  ]
}

const IMPATIENT = `import sys; sys.path.insert(0, sys.argv.pop(1)); import rostra_verify as v
v.HEAD_WAIT_SECONDS = v.MAX_WAIT_SECONDS = 0.2; sys.exit(v.main())`

withProgram('our verifier sees what is shown or hidden by the read models alone', python, async (t, call) => {
  const { documents } = site.running.stores
  const heads = join(temporaryDirectory(t), 'heads.json')
  const verify = () => call('-c', IMPATIENT, absolute('../../verify/'), site.url, 'verified', '--heads', heads)
  const own = (await documents.walk(modLog, undefined, 1_000)).toSorted((one, other) => (one.position < other.position ? 1 : -1))
  const [newest, , third] = own
  if (!newest || !third) return t.fail()
  let writes = 0
  const put = async (id: string, document: ModLogDocument | undefined) => {
    const position = String(BigInt(newest.position) + BigInt(++writes)).padStart(20, '0')
    await documents.write([{ collection: modLog, id, position, document }], [])
    // so that no cache knows what was there before
    t.true(await act(2))
  }
  const forged = '00000000-0000-5000-8000-0000000000ff'
  const k = entries - 3
  const differences: readonly (readonly [string, ModLogDocument | undefined, RegExp])[] = [
    [
      forged,
      { ...third, id: forged, action: 'banuser' },
      new RegExp(`shows? ModAction_${forged}( in its place)?, which (was never signed|is not in the log)\\. .* all \\d+ entries .* hold`),
    ],
    [third.id, undefined, new RegExp(`at entry ${k} \\(.*\\): the service shows people nothing of it`)],
    [
      third.id,
      { ...third, subsite: 't4_other' as ModLogDocument['subsite'] },
      new RegExp(`at entry ${k} \\(.*\\): (the pages show \\S+ in its place|.*the subsite)`),
    ],
    [third.id, { ...third, mod: bob.id as ModLogDocument['mod'] }, new RegExp(`at entry ${k} \\(.*\\): .*: the moderator`)],
    [third.id, { ...third, details: 'forged' }, new RegExp(`at entry ${k} \\(.*\\): .*: the details`)],
    [third.id, { ...third, description: 'forged' }, new RegExp(`at entry ${k} \\(.*\\): .*: the description`)],
    [
      third.id,
      { ...third, target: third.target && { ...third.target, title: 'A forged title' } },
      new RegExp(`at entry ${k} \\(.*\\): .*: the title: people read "A forged title"`),
    ],
  ]
  for (const [id, document, said] of differences) {
    await put(id, document)
    const { code, printed } = await verify()
    t.is(code, 4, printed)
    t.regex(printed, /The record behind the pages is whole: all \d+ entries .* hold/, 'the log itself is not accused')
    t.regex(printed, said)
    await put(id, id === forged ? undefined : third)
  }
  const again = await verify()
  t.is(again.code, 0, again.printed)
})

withProgram('our verifier proves the log of the site to admins, and its size to everybody', python, async (t, call) => {
  await postForm(root, '/api/suspend_user', { name: 'carol', note: 'x', duration: '3' })
  await postForm(root, '/api/unsuspend_user', { name: 'carol' })
  const size = async () => Number((await site.get('/history/site/checkpoint')).text.split('\n')[1])
  t.true(await eventually(async () => (await size()) === 3))
  const app = await registerApp(root, 'script')
  const granted = await site.post(
    '/api/v1/access_token',
    { grant_type: 'password', username: 'root', password: root.password, scope: 'read' },
    app.basic,
  )
  const heads = join(temporaryDirectory(t), 'heads.json')
  const verify = (token: string) => {
    process.env.ROSTRA_TOKEN = token
    return call('-c', IMPATIENT, absolute('../../verify/'), site.url, '--site', '--heads', heads).finally(
      () => delete process.env.ROSTRA_TOKEN,
    )
  }
  const counted = await verify('')
  t.deepEqual(counted, {
    code: 0,
    printed: 'The log of the site has 3 entries, as many as were signed. Only admins read them: what is in them was not checked.\n',
  })
  const whole = await verify(String(granted.at('access_token')))
  t.is(whole.code, 0, whole.printed)
  t.regex(
    whole.printed,
    /^All 3 entries of the log of the site hold: .*; the 3 that were there when you last looked \(.*\) are unchanged\./,
  )
  const { documents } = site.running.stores
  const [entry] = await documents.walk(siteLog, undefined, 1)
  if (!entry) return t.fail()
  const position = String(BigInt(entry.position) + 1n).padStart(20, '0')
  await documents.write([{ collection: siteLog, id: entry.id, position, document: undefined }], [])
  await postForm(root, '/api/suspend_user', { name: 'carol', note: 'x', duration: '3' })
  const hidden = await verify(String(granted.at('access_token')))
  t.is(hidden.code, 4, hidden.printed)
  t.regex(
    hidden.printed,
    /^The pages of the log of the site are not what was signed at entry \d \(.*\): the pages (do not show it|show \S+ in its place)/,
  )
  const [line] = (await root.get('/history/site/entries?from=1')).text.split('\n').slice(1)
  t.like(JSON.parse(line ?? ''), { kind: 'entry', k: 1, entry: null })
  for (const reader of [site, ann]) t.not((await reader.get('/history/site/entries')).status, 200)
})

withProgram("Go's sumdb agrees with the vectors of logs that bind their moderation logs", go, async (t, call) => {
  const bound = vectors.cases.filter(({ name }) => /\bbinds?\b/.test(name) && !name.includes('of which nothing binds'))
  t.true(bound.length > 6)
  for (const { name, answers, remote } of bound) {
    const read = (path: string) => answers[path]?.map((place) => vectors.texts[place] ?? '')
    const [head] = read('/history/s/tea/entries?from=0') ?? []
    const service = createServer(({ url = '' }, answer) => {
      const lines =
        url === '/history/s/tea/checkpoint' ? [JSON.parse(head ?? '').checkpoint] : read(url.endsWith('/entries') ? `${url}?from=0` : url)
      if (lines === undefined) answer.statusCode = 404
      answer.end(url.includes('/tile/') ? Buffer.from(lines?.[0] ?? '', 'base64') : lines?.join('\n'))
    })
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    const { port } = service.address() as AddressInfo
    const { code, printed } = await call(`http://127.0.0.1:${port}`, 'tea', temporaryDirectory(t), 'trees')
    service.close()
    t.is(code, remote.code, `${name}: ${printed}`)
  }
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

const ownWitness = async (t: ExecutionContext) => {
  const file = join(temporaryDirectory(t), 'witness.json')
  await createWitness(file, 'bob.example/witness')
  const witness = await openWitness(file, Date.now)
  if (!witness) throw new Error('no witness')
  const { address, close } = await serveWitness(witness, { host: '127.0.0.1', port: 0 }, (fault) => t.fail(String(fault)))
  t.teardown(close)
  return { witness, address }
}

const logKey = async (): Promise<string> => ((await site.get('/history')).at('verifier_keys') as readonly string[]).at(-1) ?? ''

/** Has witnesses cosign the heads of the log of the site until a head with so many entries is. */
const haveCosigned = async (t: ExecutionContext, addresses: readonly string[]): Promise<void> => {
  const { stores, app } = site.running
  const key = await historyKeyIn(historyKeyFileOf(app.config) ?? '')
  if (!key) throw new Error('no key')
  const witnesses = addresses.map((address): Witness => {
    const [url = '', text = ''] = address.split('#')
    return { ...(witnessKeyIn(text) as Witness), url }
  })
  const stopping = new AbortController()
  // on a busy machine a witness may be late; it is asked again
  const unseen = ({ name }: Witness, reason: string) => t.log(`${name}: ${reason}`)
  const ports = { history: stores.history, witnesses, key: async () => key, clock: Date.now, onUnseen: unseen, onSeen: () => undefined }
  const working = witnessHeads(ports, stopping.signal, (fault) => t.log(String(fault)))
  t.true(await act(2))
  const isCosigned = async () => {
    const note = String((await site.get('/history')).at('cosigned'))
    const all = witnesses.every((witness) => readCosignTime(textOfNote(note), note, witness) !== undefined)
    return all && note.startsWith(textOfNote((await site.get('/history/log/checkpoint')).text))
  }
  t.true(await eventually(isCosigned, 1_500))
  stopping.abort()
  await working
}

withProgram('our verifier says who else has seen a log, and demands a quorum', python, async (t, call) => {
  const { witness, address } = await ownWitness(t)
  await witness.add(await logKey())
  await haveCosigned(t, [address])
  const heads = join(temporaryDirectory(t), 'heads.json')
  const verify = (...rest: readonly string[]) =>
    call('-c', IMPATIENT, absolute('../../verify/'), site.url, 'verified', '--heads', heads, ...rest)
  const key = address.split('#')[1] ?? ''
  const seen = await verify('--witness', key, '--quorum', '1')
  t.is(seen.code, 0, seen.printed)
  t.regex(seen.printed, / Also seen by bob\.example\/witness on \d{4}-\d\d-\d\d \d\d:\d\d UTC, up to event \d+\. /)
  t.false((await verify()).printed.includes('seen by'))
  const stranger = witnessKeyText({ name: 'eve.example/w', key: Buffer.alloc(32, 9) })
  const unseen = await verify('--witness', stranger)
  t.is(unseen.code, 0, unseen.printed)
  t.true(unseen.printed.includes('None of the witnesses that you named has seen it.'))
  const few = await verify('--witness', key, '--witness', stranger, '--quorum', '2')
  t.is(few.code, 5, few.printed)
  t.regex(few.printed, /^NOT WITNESSED: .* 1 of the 2 witnesses that you ask for have seen it/)
  t.is((await verify('--witness', key.replace('+', '+0'))).code, 2)
  t.is((await verify('--quorum', '1')).code, 2)
})

withProgram('the witness of transparency-dev cosigns our heads, and its client asks ours', others, async (t, call) => {
  const key = await logKey()
  const serving = spawn(join(place, 'witness', 'witness'), ['serve', 'other.example/witness', key], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => serving.kill())
  const address = await new Promise<string>((resolve) => serving.stdout.once('data', (line) => resolve(String(line).trim())))
  await haveCosigned(t, [address])
  await haveCosigned(t, [address])

  const ours = await ownWitness(t)
  await ours.witness.add(key)
  const ask = () => call('ask', ours.address, `${site.url}/history/log`, key)
  const first = await ask()
  t.regex(first.printed, /^\d+ after 0\n$/)
  t.true(await act(2))
  const second = await ask()
  t.is(second.printed, `${ours.witness.logs()[0]?.[1]} after ${first.printed.split(' ')[0]}\n`)
})

withProgram(
  'the reader of proofs of transparency-dev takes ours of one entry, in the log and in its moderation log',
  others,
  async (t, call) => {
    const [entry] = await logEntries(site, 'verified')
    const { key = '' } = ((await site.get('/history')).at('keys') as readonly { readonly key: string }[]).at(-1) ?? {}
    for (const tree of ['log', 'subsite'] as const) {
      const address = `/history/proof/${entry?.id}/${tree}`
      const [line = ''] = (await site.get(address)).text.split('\n\n')[1]?.split('\n') ?? []
      const prove = (raw: Uint8Array) => call('prove', `${site.url}${address}`, verifierKey(line, raw))
      const { code, printed } = await prove(Buffer.from(key, 'base64'))
      t.is(code, 0, printed)
      t.is(JSON.parse(printed)[tree === 'log' ? 'size' : 'k'], entries - (tree === 'log' ? 0 : 1))
      t.not((await prove(Buffer.alloc(32, 9))).code, 0, 'by another key')
    }
  },
)

withProgram('our verifier proves a log of one entry, and sees what the pages show before it', python, async (t, call) => {
  await foundSubsite(ann, 'single')
  await postForm(ann, '/api/lock', { id: await submit(bob, 'single') })
  t.true(await eventually(async () => (await site.get('/history/s/single/checkpoint')).status === 200))
  const heads = join(temporaryDirectory(t), 'heads.json')
  const verify = () => call('-c', IMPATIENT, absolute('../../verify/'), site.url, 'single', '--heads', heads)
  const { code, printed } = await verify()
  t.is(code, 0, printed)
  t.regex(printed, /^The only entry of the moderation log of single holds: it is signed in its place, and is among /)
  const { documents } = site.running.stores
  const own = (await documents.walk(modLog, undefined, 1_000)).toSorted((one, other) => (one.position < other.position ? 1 : -1))[0]
  if (!own) return t.fail()
  const id = '00000000-0000-5000-8000-0000000000fe'
  const position = String(BigInt(own.position) - 1n).padStart(20, '0')
  await documents.write([{ collection: modLog, id, position, document: { ...own, id } }], [])
  await postForm(ann, '/api/unlock', { id: await submit(bob, 'single') })
  const forged = await verify()
  t.is(forged.code, 4, forged.printed)
  t.regex(forged.printed, /the pages show ModAction_\S+0fe before all others, which was never signed\./)
})
