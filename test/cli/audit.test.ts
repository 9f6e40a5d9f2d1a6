import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { v5 } from 'uuid'
import { accounts } from '../../projections/accounts.ts'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { links } from '../../projections/links.ts'
import { votes } from '../../projections/votes.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { AdminGranted, AdminRevoked } from '../../src/domain/admins.ts'
import { CommentPosted } from '../../src/domain/comment.ts'
import type { Logged } from '../../src/domain/events.ts'
import { LinkUnlocked } from '../../src/domain/link.ts'
import { ModeratorRemoved } from '../../src/domain/moderators.ts'
import { Subscribed } from '../../src/domain/subscription.ts'
import { SubsiteSettingChanged } from '../../src/domain/subsite.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { sealText } from '../../src/log/sealed-text.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { REACTIONS_CHECKPOINT } from '../../src/reactions/process.ts'
import { reactionQueue } from '../../src/reactions/queue.ts'
import { type Finished, runCommand, spawnCommand } from '../support/command.ts'
import { forgedText, rehash } from '../support/commitments.ts'
import { ann, bob, carol, dave, pot, story, tea, told } from '../support/example-history.ts'
import { withoutTriggers } from '../support/full-file.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'
import { randomFrom } from '../support/random.ts'
import { catchUp, openFile } from '../support/read-models.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const tableOf = ({ name, version }: { readonly name: string; readonly version: number }): string => `${name}_v${version}`

const readFindings = ({ code, stdout, stderr }: Finished) => {
  const findings = stdout
    .trim()
    .split('\n')
    .map((line): Record<string, unknown> => JSON.parse(line))
  return { code, stderr, summary: findings.pop(), findings }
}

const audited = async (file: string, ...options: readonly string[]) => readFindings(await runCommand('audit', file, '--json', ...options))

const written = async (t: Parameters<typeof openFile>[0], events: readonly Logged[] = story) => {
  const opened = openFile(t)
  await opened.append(events)
  await catchUp(await openReadModels(opened.ports, projections))
  return opened
}

/** More of the story. */
const after = (more: readonly LoggedEvent[]): readonly Logged[] => loggedFrom([...told, ...more])

test('the audit finds no difference in an unchanged file', async (t) => {
  const { file } = await written(t)
  const { code, stdout, stderr } = await spawnCommand('audit', file)
  t.is(code, 0, stderr + stdout)
  t.regex(stdout, new RegExp(`^${story.length} events replayed, \\d+ documents compared: no difference\\n$`))
  const { summary, findings } = await audited(file)
  t.deepEqual(findings, [])
  t.like(summary, { kind: 'summary', ok: true, findings: 0, events: story.length })
})

test('the audit names each changed, missing or added document with its field', async (t) => {
  const { file, connection } = await written(t)
  connection.db.exec(`UPDATE ${tableOf(links)} SET body = json_set(body, '$.ups', 1000, '$.title', 'A bad pot')`)
  connection.db.exec(`DELETE FROM ${tableOf(votes)} WHERE id = '${bob}.${pot}'`)
  connection.db.exec(`UPDATE ${tableOf(accounts)} SET id = 't2_eve', body = json_set(body, '$.id', 't2_eve') WHERE id = '${dave}'`)
  const { code, findings } = await audited(file)
  t.is(code, 1)
  t.deepEqual(
    findings.flatMap(({ kind, collection, id, field }) => (kind === 'document' ? [[collection, id, field]] : [])).toSorted(),
    [
      ['accounts', dave, null],
      ['accounts', 't2_eve', null],
      ['links', pot, 'column f_ups'],
      ['links', pot, 'title'],
      ['links', pot, 'ups'],
      ['votes', `${bob}.${pot}`, null],
    ].toSorted(),
  )
  t.true(findings.some(({ problem }) => problem === `the search index of ${tableOf(links)} has other words of ${pot} than the document`))
  t.like(
    findings.find(({ field }) => field === 'ups'),
    { stored: 1000, recounted: 2 },
  )
})

/** Returns the reported problems of events and of the file. */
const problemsOf = (findings: readonly Record<string, unknown>[]) =>
  findings.filter(({ kind }) => kind !== 'document').map(({ stream, problem }) => [stream, problem])

const OTHER_ID = 'its id does not follow from its stream, its revision and its command'

test('the audit finds a changed event', async (t) => {
  const { file, connection } = await written(t)
  withoutTriggers(connection, () => {
    connection.db.exec(`UPDATE event SET data = replace(data, '"slot":1', '"slot":2') WHERE type = 'LinkStickied'`)
    connection.db.exec(`UPDATE event SET rev = 5 WHERE type = 'LinkLocked'`)
  })
  const { code, findings } = await audited(file)
  t.is(code, 1)
  t.deepEqual(problemsOf(findings), [
    [`stickies-${tea}`, 'it differs from what was hashed when it was written'],
    [`link-${pot}`, OTHER_ID],
    [`stickies-${tea}`, `${pot} cannot go into slot 2 beside 0 others`],
    [`link-${pot}`, 'it follows revision 0'],
  ])
  t.true(findings.some(({ collection, field }) => collection === 'links' && field === 'slot'))
})

test('the audit finds a text that is not the one committed to, although its event has the right hash, and judges all else', async (t) => {
  const { file, connection, stores } = await written(t)
  const log = await stores.events.readAll(LOG_START, 1_000)
  const [posted, other] = log.filter(({ type }) => type === 'CommentPosted')
  if (!posted || !other) return t.fail()
  const keys = await openKeyring(stores.vault).ensure([bob])
  const data = JSON.parse(posted.data) as { readonly body: string; readonly author: string; readonly comment: string }
  const key = keys.get(data.author)
  if (!key) return t.fail()
  const words = sealText(key, { event: posted.id, path: ['body'], thing: data.comment }, 'Never said').sealed
  const forged = rehash(posted, { ...data, body: forgedText(data.body, words) })
  withoutTriggers(connection, () => {
    connection.db.prepare('UPDATE event SET data = ?, meta = ? WHERE id = ?').run(forged.data, forged.meta, forged.id)
  })
  const { code, findings } = await audited(file)
  t.is(code, 1)
  t.deepEqual(problemsOf(findings), [[posted.stream, 'a text in it is not the one that was committed to']])
  t.deepEqual(
    findings.flatMap(({ collection, id, field }) => (collection === undefined ? [] : [[collection, id, field]])),
    [
      ['comments', data.comment, 'body'],
      ['comments', data.comment, 'length'],
    ],
  )
})

test('the audit finds events moved between streams, even if each stream has no gap', async (t) => {
  const { file, connection } = await written(t)
  const { pos } = connection.db.prepare(`SELECT pos FROM event WHERE type = 'VoteCast' ORDER BY pos DESC`).get() as { readonly pos: number }
  const { stream: own } = connection.db.prepare('SELECT stream FROM event WHERE pos = ?').get(pos) as { readonly stream: string }
  withoutTriggers(connection, () => connection.db.exec(`UPDATE event SET stream = 'vote-t2_nobody.${pot}', rev = 0 WHERE pos = ${pos}`))
  const { code, findings } = await audited(file)
  t.is(code, 1)
  t.deepEqual(problemsOf(findings), [
    [`vote-t2_nobody.${pot}`, `it belongs into the stream ${own}`],
    [`vote-t2_nobody.${pot}`, OTHER_ID],
  ])
})

test('the audit counts a comment decided before a lock as a race, and reports one decided after it', async (t) => {
  const comment = (id: string, author: string, seen: number) => ({
    ...inNameOf(author)(
      CommentPosted({
        comment: id,
        link: pot,
        subsite: tea,
        author,
        linkAuthor: ann,
        parent: null,
        body: 'late',
        filtered: false,
        notified: [],
      }),
    ),
    seen: { [`link-${pot}`]: seen },
  })
  const { file } = await written(t, after([comment('t1_raced', dave, 0), comment('t1_mod', carol, 1)]))
  const fair = await audited(file)
  t.deepEqual(fair.findings, [])
  t.is(fair.summary?.raced, 1)

  const byFormer = comment('t1_former', dave, 1)
  const { file: dismissed } = await written(t, after([{ ...byFormer, seen: { ...byFormer.seen, [`moderators-${tea}`]: 0 } }]))
  t.deepEqual((await audited(dismissed)).findings, [], 'who has decided before the moderators changed may have been one')

  const { file: other } = await written(t, after([comment('t1_late', dave, 1)]))
  const { code, findings } = await audited(other)
  t.is(code, 1)
  t.regex(String(findings[0]?.problem), /a comment on t5_pot, which was locked at the revision 1 it was decided on/)
})

test('an admin comments on a locked link, also if the audit has not been told who is one', async (t) => {
  const comment = { link: pot, subsite: tea, linkAuthor: ann, parent: null, body: 'late', filtered: false, notified: [] }
  const said = (id: string, author: string) => ({
    ...inNameOf(author)(CommentPosted({ ...comment, comment: id, author })),
    seen: { [`link-${pot}`]: 1 },
  })
  const { file } = await written(t, after([inNameOf(null)(AdminGranted({ account: dave })), said('t1_admin', dave)]))
  t.deepEqual((await audited(file)).findings, [])
  const { file: revoked } = await written(
    t,
    after([
      inNameOf(null)(AdminGranted({ account: dave })),
      inNameOf(null)(AdminRevoked({ account: dave })),
      said('t1_admin', dave),
      said('t1_bob', bob),
    ]),
  )
  const { findings } = await audited(revoked)
  t.deepEqual(
    findings.map(({ stream }) => stream),
    ['comment-t1_bob'],
    'the configuration of one process may still name it',
  )
})

const act = { subsite: tea, target: { id: pot, author: ann } }

test('acts that raced a dismissal are named, and no difference', async (t) => {
  const told = [inNameOf(carol, 'moderator')(ModeratorRemoved({ subsite: tea, account: ann, left: false, permissions: '+posts' }))]
  const late = (revision: number): LoggedEvent => ({
    ...inNameOf(ann, 'moderator')(LinkUnlocked(act)),
    seen: { [`moderators-${tea}`]: revision },
  })
  const raced = await written(t, after([...told, late(2)]))
  const { code, findings, summary } = await audited(raced.file)
  t.is(code, 0)
  t.like(findings[0], { kind: 'race', stream: `link-${pot}` })
  t.like(summary, { ok: true, findings: 0, racedAuthority: 1, notJudged: 0 })
  const { stdout } = await runCommand('audit', raced.file)
  t.regex(stdout, /^no difference: event \S+ at 0+33 .*: when it was recorded, but not yet when it was decided, t2_ann does not hold/m)
  t.regex(stdout, /, 1 act done while the right to it was ending: no difference/)

  const forged = await written(t, after([...told, late(3)]))
  const found = await audited(forged.file)
  t.is(found.code, 1)
  t.deepEqual(problemsOf(found.findings), [
    [`link-${pot}`, `without authority: ${ann} does not hold the permission posts in ${tea}, as of revision 3 of moderators-${tea}`],
  ])
})

test('an act as admin in a log without any grant is a difference once a version wrote it that records who is an admin', async (t) => {
  const withoutGrant = [[`link-${pot}`, `without authority: ${bob} is not an admin`]]
  const { file } = await written(t, after([inNameOf(bob, 'admin')(LinkUnlocked(act))]))
  const { findings } = await audited(file)
  t.deepEqual(problemsOf(findings), withoutGrant, 'texts with commitments show the version')

  const founded = told.slice(
    0,
    told.findIndex(({ event: { type } }) => type === 'LinkSubmitted'),
  )
  const set = inNameOf(bob, 'admin')(SubsiteSettingChanged({ subsite: tea, setting: 'over_18', before: false, after: true }))
  const earlier = await audited((await written(t, loggedFrom([...founded, set]))).file)
  t.deepEqual(problemsOf(earlier.findings), [])
  t.like(earlier.summary, { ok: true, notJudged: 1 })
  const seen = await audited((await written(t, loggedFrom([...founded, { ...set, seen: { 'admins-site': 'none' } }]))).file)
  t.deepEqual(problemsOf(seen.findings), [
    [`subsite-${tea}`, `without authority: ${bob} is not an admin, as of the beginning of admins-site`],
  ])
})

test('the audit finds an event whose id does not follow from its command and its place', async (t) => {
  const other = '00000000-0000-5000-a000-000000000000'
  for (const wrong of [{ id: other }, { id: story[0]?.id ?? other }, { meta: { commandId: other } }, { meta: { commandId: 'none' } }]) {
    const last = story.length - 1
    const { file } = await written(
      t,
      story.map((event, i) => (i === last ? { ...event, ...wrong, meta: { ...event.meta, ...wrong.meta } } : event)),
    )
    const { findings } = await audited(file)
    t.deepEqual(problemsOf(findings).at(0), [story[last]?.stream, OTHER_ID], JSON.stringify(wrong))
  }
})

test('the audit finds an act of a moderator without a mod log entry', async (t) => {
  const { file } = await written(t, after([inNameOf(carol, 'moderator')(Subscribed({ account: dave, subsite: tea }))]))
  const { findings } = await audited(file)
  t.like(findings[0], { kind: 'event', problem: 'an action by a moderator without an entry in the mod log' })
})

test('the audit finds missing consequences, and lists those that wait for another try', async (t) => {
  const { file, stores } = await written(t)
  t.is((await audited(file)).code, 0, 'nothing has been worked through yet')
  await stores.documents.write([], { name: REACTIONS_CHECKPOINT, from: undefined, to: await stores.events.head() })
  const { code, findings } = await audited(file)
  t.is(code, 1)
  const invited = `moderators-${tea}`
  const missing = [
    ['subsitename-tea', `SubsiteNameClaimed without its consequence: ContributorAdded ${tea}.${carol}`],
    ['subsitename-tea', `SubsiteNameClaimed without its consequence: Subscribed ${tea}.${carol}`],
    [invited, 'ModeratorInvited without its consequence: MessageSent moderators'],
    [invited, `ModeratorInvited without its consequence: MessageSent ${ann}`],
    [invited, 'ModeratorInvitationAccepted without its consequence: MessageSent moderators'],
  ]
  t.deepEqual(problemsOf(findings).toSorted(), missing.toSorted())

  const claim = story.find(({ type }) => type === 'SubsiteNameClaimed')
  if (!claim) return t.fail()
  const { id, type, stream, revision, position } = claim
  await reactionQueue(stores.vault).put({ id, type, stream, revision, position, error: 'no kettle', tries: 3, since: claim.at })
  const waiting = await audited(file)
  t.like(
    waiting.findings.find(({ kind }) => kind === 'queued'),
    { id, type, error: 'no kettle', tries: 3 },
  )
  t.deepEqual(
    waiting.findings
      .filter(({ kind }) => kind === 'event')
      .map(({ stream: where, problem }) => [where, problem])
      .toSorted(),
    missing.slice(2).toSorted(),
  )
})

test('the audit lists parked documents', async (t) => {
  const { file, ports, append, stores } = openFile(t)
  await append(story)
  await catchUp(await openReadModels(ports, projections))
  await stores.events.append(`link-${pot}`, 1, [{ id: '00000000-0000-5000-8000-0000000000ff', type: 'TeaSpilt', data: '{}', meta: '{}' }])
  await catchUp(await openReadModels(ports, projections))
  const { code, findings } = await audited(file)
  t.is(code, 1)
  t.like(
    findings.find(({ kind }) => kind === 'parked'),
    { collection: '*', document: `link-${pot}`, type: 'TeaSpilt' },
  )
  t.true(findings.some(({ kind, problem }) => kind === 'event' && /the event type is unknown/.test(String(problem))))
})

test('an audit can run beside a server that keeps writing', async (t) => {
  const { file, connection, append } = openFile(t)
  await append(story)
  connection.close()
  const stores = await openSqlite({ file, projector: new URL('../../projections/engine/data-file-projector.ts', import.meta.url) })
  t.teardown(() => stores.close())
  const { seal } = codec(openKeyring(stores.vault))
  const stop = new AbortController()
  let before = 'All about tea'
  const writing = (async () => {
    for (let n = 0; !stop.signal.aborted; n++) {
      const [event] = loggedFrom([
        inNameOf(carol, 'moderator')(SubsiteSettingChanged({ subsite: tea, setting: 'title', before, after: `${n}` })),
      ])
      before = `${n}`
      const commandId = `00000000-0000-5000-9000-${String(n).padStart(12, '0')}`
      if (!event) continue
      const { type, data, at } = event
      const sealed = await seal([
        {
          ...{ id: v5(`subsite-${tea}@${n + 2}`, commandId), event: { type, data }, at, by: event.by, seen: {} },
          ...{ commandId, correlationId: commandId, causationId: commandId },
        },
      ])
      await stores.events.append(`subsite-${tea}`, n + 1, sealed)
    }
    return stores.events.head()
  })()
  const { code, findings, stderr } = readFindings(await spawnCommand('audit', file, '--json'))
  stop.abort()
  await writing
  t.deepEqual(findings, [], stderr)
  t.is(code, 0)
})

test('before read models are built, as after an import, an audit builds its own from the log', async (t) => {
  const { file } = await written(t)
  const built = await runCommand('audit', file, '--digests')
  t.is(built.code, 0, built.stdout)
  t.regex(built.stdout, /^links [1-9]\d* [0-9a-f]{64}$/m)
  const { file: unbuilt, append } = openFile(t)
  await append(story)
  const { code, stdout, stderr } = await runCommand('audit', unbuilt, '--digests')
  t.is(code, 0, stderr)
  t.is(stdout, built.stdout)
  t.regex(stderr, /the read models of this version have not been built/)
})

test('the audit names events and documents that cannot be read, and judges all others', async (t) => {
  const { file, connection } = await written(t)
  const meta = (at: string) => `json_set(meta, '$.at', ${at})`
  withoutTriggers(connection, () => {
    connection.db.exec(`UPDATE event SET meta = ${meta('9e15')} WHERE type = 'LinkLocked'`)
    connection.db.exec(`UPDATE event SET data = '{"id":' WHERE type = 'LinkStickied'`)
    connection.db.exec(`UPDATE event SET meta = 'null' WHERE type = 'VoteCast'`)
  })
  connection.db.exec(`UPDATE ${tableOf(links)} SET body = 'null' WHERE id = '${pot}'`)
  connection.db.exec(`UPDATE ${tableOf(accounts)} SET body = '{"id":' WHERE id = '${dave}'`)
  connection.db.exec(`UPDATE ${tableOf(accounts)} SET body = json_set(body, '$.csites', 1000) WHERE id = '${ann}'`)
  const { code, findings, stderr, summary } = await audited(file, '--digests')
  t.is(code, 1, stderr)
  t.notRegex(stderr, /^ +at /m)
  t.regex(stderr, /^no digest of links: a document of links_v\d+ is damaged/m)
  t.like(summary, { kind: 'summary', ok: false })
  for (const problem of [/its time, 9000000000000000, is not a valid date/, /it is not JSON/, /its metadata is invalid/])
    t.true(findings.some((finding) => problem.test(String(finding.problem))))
  for (const [id, field] of [
    [pot, 'body'],
    [dave, 'body'],
    [ann, 'csites'],
  ])
    t.true(
      findings.some((finding) => finding.id === id && finding.field === field),
      `${id} ${field}`,
    )
})

test('an audit of a file with other bytes ends with findings, or says in one line that it cannot judge', async (t) => {
  t.timeout(300_000)
  const { file, connection } = await written(t)
  connection.close()
  const bytes = readFileSync(file)
  const random = randomFrom(5)
  for (let round = 0; round < 8; round++) {
    const damaged = Buffer.from(bytes)
    for (let n = 0; n < 40; n++) damaged[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
    const copy = join(temporaryDirectory(t), 'rostra.db')
    writeFileSync(copy, damaged)
    const { code, stdout, stderr } = await runCommand('audit', copy)
    t.true(code === 1 || code === 2, `${code} ${stdout}${stderr}`)
    t.notRegex(stdout + stderr, /^ +at /m)
  }
})
