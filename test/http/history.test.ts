import { hash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import canonicalize from 'canonicalize'
import { Binary, MongoClient } from 'mongodb'
import { readCosignTime } from '../../src/history/cosignature.ts'
import { frontier, leafHash } from '../../src/history/merkle.ts'
import { type Checkpoint, checkpointIn, openNote, textOfNote } from '../../src/history/note.ts'
import { five, startCast } from '../support/cast.ts'
import { commitmentIn } from '../support/commitments.ts'
import { logEntries, postForm } from '../support/community.ts'
import { foundSubsite, say, settle, submit } from '../support/posting.ts'
import { rootFromPath } from '../support/root-from-path.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob, root } = await startCast(five)
test.after.always(() => site.stop())

type Field = { readonly name: string; readonly commitment: string; readonly salt?: string; readonly value?: string }
type Inclusion = { readonly checkpoint: string; readonly index: number; readonly path: readonly string[] }
type Act = {
  readonly k: number
  readonly n: number
  readonly entry: Readonly<Record<string, unknown>> | null
  readonly event: { readonly id: string; readonly type: string; readonly leaf: string; readonly fields: readonly Field[] }
}
type Bound = { readonly size: number; readonly root: string }
type Proof = Act & {
  readonly texts: readonly Text[]
  readonly binds: Bound | null
  readonly log: Inclusion | null
  readonly subsite: Inclusion | null
}
type Line = { readonly kind: string; readonly checkpoint?: string; readonly next?: number | null } & Partial<Act>

const fieldOf = ({ event }: Act, name: string): Field => event.fields.find((field) => field.name === name) ?? { name, commitment: 'none' }

const bytes = (text: string): Buffer => Buffer.from(text, 'base64')

/** A signed head of a tree, checked with the key that the site gives out. */
const headOf = async (t: ExecutionContext, note: string, line: RegExp): Promise<Checkpoint> => {
  const keys = (await site.get('/history')).at('keys') as readonly { readonly key: string }[]
  const name = note.slice(0, note.indexOf('\n'))
  t.regex(name, line)
  const text = openNote(note, name, bytes(keys.at(-1)?.key ?? ''))
  const head = text === undefined ? undefined : checkpointIn(text)
  if (!head) throw new Error(`not signed: ${note}`)
  return head
}

/** Checks a proof from the fields up to both signed heads. */
const verify = async (t: ExecutionContext, proof: Proof): Promise<void> => {
  const { k, n, event, binds, log, subsite } = proof
  for (const { name, commitment, salt, value } of event.fields)
    if (salt !== undefined) t.is(hash('sha256', `${salt}${value}`), commitment, name)
  const fields = Object.fromEntries(event.fields.map(({ name, commitment }) => [name, commitment]))
  const leaf = leafHash(canonicalize({ fields, id: event.id, type: event.type }) ?? '')
  t.is(leaf.toString('base64'), event.leaf)
  const entry = leafHash(canonicalize({ k, n, event: leaf.toString('hex') }) ?? '')
  t.is(binds?.size, k + 1)
  const record = { event: leaf.toString('hex'), root: bytes(binds?.root ?? '').toString('hex'), size: k + 1 }
  for (const [of, hashed, index, line] of [
    [log, leafHash(canonicalize(record) ?? ''), n, /\/history\/[0-9a-f]{16}\/log$/],
    [subsite, entry, k, /\/history\/[0-9a-f]{16}\/s\/t4_\w+$/],
  ] as const) {
    if (!of) throw new Error('no head yet')
    const head = await headOf(t, of.checkpoint, line)
    t.is(of.index, index)
    const root = rootFromPath(hashed, { index, size: head.size }, of.path.map(bytes))
    t.deepEqual(root && Buffer.from(root), Buffer.from(head.root))
  }
}

/** Lets an entry of a tree lead to an event that is not there, as somebody does who writes to the store. */
const misplaceEntry = async ({ app: { config } }: typeof site.running, tree: string, number: number): Promise<void> => {
  const value = Buffer.from(JSON.stringify({ n: 1, stream: 'link-nowhere', revision: 9 }))
  if (config.documentStoreUrl.startsWith('sqlite:')) {
    const db = new DatabaseSync(`${config.documentStoreUrl.slice('sqlite:'.length)}.history`)
    db.exec('DROP TRIGGER IF EXISTS row_is_never_updated')
    db.prepare("UPDATE row SET value = ? WHERE tree = ? AND kind = 'entry' AND number = ?").run(value, tree, number)
    db.close()
    return
  }
  const client = new MongoClient(config.documentStoreUrl)
  await client
    .db()
    .collection('history_rows')
    .updateOne({ tree, kind: 'entry', number }, { $set: { value: new Binary(value) } })
  await client.close()
}

type Text = { readonly name: string; readonly commitment: string | null; readonly salt?: string; readonly text?: string }
type TextEvent = { readonly n: number | null; readonly id: string; readonly type: string; readonly leaf: string; readonly rest: string } & {
  readonly stream: string
  readonly texts: readonly Text[]
  readonly log: Inclusion | null
}

const fits = ({ salt = '', text = '' }: Text): string => hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(text)]))

/** The texts of a thing as a reader can prove them, each checked up to the signed head. */
const textsOf = async (t: ExecutionContext, reader: Caller, thing: string): Promise<readonly TextEvent[]> => {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await reader.get(`/history/text/${thing}?raw_json=1`)
    const events = answer.at('events') as readonly TextEvent[]
    if (answer.status !== 200) throw new Error(answer.text)
    if (events.length > 0 && events.every(({ log }) => log)) {
      for (const { n, id, type, leaf, rest, stream, texts, log } of events) {
        const made = leafHash(
          canonicalize({ id, type, rest, stream, texts: Object.fromEntries(texts.map((text) => [text.name, text.commitment])) }) ?? '',
        )
        t.is(made.toString('base64'), leaf)
        const { size, root: head } = await headOf(t, log?.checkpoint ?? '', /\/log$/)
        t.deepEqual(Buffer.from(rootFromPath(made, { index: n ?? 0, size }, (log?.path ?? []).map(bytes)) ?? ''), Buffer.from(head))
        for (const text of texts) if (text.salt !== undefined) t.is(fits(text), text.commitment ?? '')
      }
      return events
    }
    await sleep(50)
  }
  throw new Error('they were never signed')
}

const shownIn = (events: readonly TextEvent[]): readonly (readonly [string, string | undefined])[] =>
  events.flatMap(({ type, texts }) => texts.map(({ name, text }) => [`${type}.${name}`, text] as const))

/** The proof of an entry, once a head covers it. */
const proofOf = async (reader: Caller, entry: unknown): Promise<Proof> => {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await reader.get(`/history/proof/${entry}`)
    if (answer.status === 200 && answer.at('log') && answer.at('subsite')) return answer.body as Proof
    if (answer.status !== 200 && answer.status !== 404) throw new Error(answer.text)
    await sleep(50)
  }
  throw new Error('it was never signed')
}

const linesOf = async (reader: Caller, subsite: string, from = 0): Promise<readonly Line[]> =>
  (await reader.get(`/history/s/${subsite}/entries?from=${from}`)).text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('anybody verifies an entry, from its fields up to the signed heads', async (t) => {
  await foundSubsite(ann, 'proved')
  const link = await submit(bob, 'proved', { title: 'On water' })
  for (const path of ['/api/lock', '/api/unlock', '/api/lock']) await postForm(ann, path, { id: link })
  const entries = await logEntries(site, 'proved')
  const proof = await proofOf(site, entries[0]?.id)
  await verify(t, proof)
  const [numbered] = await logEntries(site, 'proved')
  t.deepEqual(proof.entry, { ...numbered })
  t.like(numbered, { k: proof.k, n: proof.n, id: entries[0]?.id })
  t.is(fieldOf(proof, 'data.subsite').value, `"t4_${entries[0]?.sr_id36}"`)
  t.is(fieldOf(proof, 'meta.by').value, `{"account":"${ann.id}","as":"moderator"}`)
  for (const hidden of ['meta.seen', 'meta.commandId', 'stream']) t.deepEqual(Object.keys(fieldOf(proof, hidden)), ['name', 'commitment'])
  const full = await proofOf(root, entries[0]?.id)
  await verify(t, full)
  t.true(full.event.fields.every(({ salt }) => salt !== undefined))
  // entry by entry, whole and in order, as the tree of the subsite has it
  const [head, ...lines] = await linesOf(site, 'proved')
  const acts = lines.slice(0, -1)
  t.deepEqual(lines.at(-1), { kind: 'end', next: null })
  const { size } = await headOf(t, head?.checkpoint ?? '', /\/s\/t4_/)
  t.is(acts.length, size)
  t.deepEqual(
    acts.map(({ k }) => k),
    acts.map((_, at) => at),
  )
  const tile = await fetch(`${site.url}/history/s/proved/tile/0/000.p/${size}`)
  t.is(tile.headers.get('cache-control'), 'public, max-age=31536000, immutable')
  const hashes = Buffer.from(await tile.arrayBuffer())
  const tree = frontier()
  for (const [at, { k, n, event }] of acts.entries()) {
    const leaf = leafHash(canonicalize({ k, n, event: bytes(event?.leaf ?? '').toString('hex') }) ?? '')
    t.deepEqual(hashes.subarray(at * 32, (at + 1) * 32), leaf)
    tree.push(leaf)
    if (at === proof.k) t.is(Buffer.from(tree.root()).toString('base64'), proof.binds?.root ?? '')
  }
  t.is((await site.get('/history')).at('binding_from'), 0)
  const positions = acts.map(({ n }) => Number(n))
  t.deepEqual(
    positions,
    positions.toSorted((a, b) => a - b),
  )
  t.deepEqual(
    acts.map(({ entry }) => entry?.id),
    (await logEntries(site, 'proved')).map(({ id }) => id).toReversed(),
  )
  t.deepEqual((await linesOf(site, 'proved', 1))[1]?.k, 1)
  t.is((await site.get('/history/s/proved/entries?from=-1')).status, 400)
})

test('an entry is proved in each of the two trees by a C2SP tlog-proof, whose head says when it was signed', async (t) => {
  await foundSubsite(ann, 'filed')
  for (const path of ['/api/lock', '/api/unlock']) await postForm(ann, path, { id: await submit(bob, 'filed') })
  const entry = (await logEntries(site, 'filed'))[0]?.id
  const proof = await proofOf(site, entry)
  for (const [tree, index] of [
    ['log', proof.n],
    ['subsite', proof.k],
  ] as const) {
    const answer = await site.get(`/history/proof/${entry}/${tree}`)
    t.is(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    const end = answer.text.indexOf('\n\n')
    const [form, extra = '', place, ...path] = answer.text.slice(0, end).split('\n')
    t.deepEqual([form, place], ['c2sp.org/tlog-proof@v1', `index ${index}`])
    const record = bytes(extra.replace('extra ', '')).toString()
    const checkpoint = answer.text.slice(end + 2)
    const head = await headOf(t, checkpoint, tree === 'log' ? /\/log$/ : /\/s\/t4_\w+$/)
    t.deepEqual(Buffer.from(rootFromPath(leafHash(record), { index, size: head.size }, path.map(bytes)) ?? ''), Buffer.from(head.root))
    t.is(JSON.parse(record).event, bytes(proof.event.leaf).toString('hex'))
    const keys = (await site.get('/history')).at('keys') as readonly { readonly key: string }[]
    const signedAt = readCosignTime(textOfNote(checkpoint), checkpoint, { name: head.origin, key: bytes(keys.at(-1)?.key ?? '') })
    if (tree === 'subsite') t.true(Math.abs((signedAt ?? 0) - Date.now() / 1000) < 600, checkpoint)
  }
  for (const other of ['site', 'LOG', 'log.txt', '0']) t.is((await site.get(`/history/proof/${entry}/${other}`)).status, 404, other)
  t.is((await site.get('/history/proof/ModAction_00000000-0000-5000-8000-000000000000/log')).status, 404)
})

test('an entry stands in the lines of the log with the texts that it shows, each with its salt', async (t) => {
  await foundSubsite(ann, 'lines')
  const link = await submit(bob, 'lines', { title: 'Soft & hard' })
  await postForm(ann, '/api/lock', { id: link })
  const [entry] = await logEntries(site, 'lines')
  await proofOf(site, entry?.id)
  const lineOf = async () =>
    (await linesOf(site, 'lines')).find((line) => line.kind === 'entry') as Line & { readonly texts: readonly Text[] }
  const { texts } = await lineOf()
  t.deepEqual(
    texts.map(({ name, text }) => [name, text]),
    [['data.target.title', 'Soft & hard']],
  )
  for (const text of texts) t.is(fits(text), text.commitment ?? '')
  await postForm(bob, '/api/del', { id: link })
  t.deepEqual((await lineOf()).texts, [], 'what is not shown any more is not opened')
})

test('the tree of the log is served in tiles, of which the root can be made', async (t) => {
  await foundSubsite(ann, 'tiled')
  await postForm(ann, '/api/lock', { id: await submit(bob, 'tiled') })
  const { log } = await proofOf(site, (await logEntries(site, 'tiled'))[0]?.id)
  const head = await headOf(t, (await site.get('/history/log/checkpoint')).text, /\/log$/)
  t.true(head.size > (log?.index ?? 0) && head.size < 256)
  const tileOf = async (width: number) => Buffer.from(await (await fetch(`${site.url}/history/log/tile/0/000.p/${width}`)).arrayBuffer())
  const tile = await tileOf(head.size)
  t.is(tile.length, 32 * head.size)
  t.deepEqual(await tileOf(3), tile.subarray(0, 96))
  const growing = frontier()
  for (let at = 0; at < head.size; at++) growing.push(tile.subarray(at * 32, (at + 1) * 32))
  t.deepEqual(Buffer.from(growing.root()), Buffer.from(head.root))
  for (const path of [
    '0/000.p/256',
    '0/000.p/0',
    '0/999',
    '0/x000/000',
    '0/00',
    '0/000.p/1000',
    '1/000.p/200',
    '0/000/entries',
    '00/000.p/3',
    '6/000',
    '-0/000.p/3',
    'x/000',
  ])
    t.is((await site.get(`/history/log/tile/${path}`)).status, 404, path)
})

test('trees are served below the name of their origin, with bundles of entries, and below no other', async (t) => {
  await foundSubsite(ann, 'mirrored')
  const link = await submit(bob, 'mirrored')
  for (const path of ['/api/lock', '/api/unlock']) await postForm(ann, path, { id: link })
  await proofOf(site, (await logEntries(site, 'mirrored'))[0]?.id)
  const { checkpoint = '' } = (await linesOf(site, 'mirrored'))[0] ?? {}
  const line = checkpoint.slice(0, checkpoint.indexOf('\n'))
  const [, id = '', fullname = ''] = /\/history\/([0-9a-f]{16})\/s\/(t4_\w+)$/.exec(line) ?? []
  const own = (await site.get(`/history/${id}/s/${fullname}/checkpoint`)).text
  const { size } = await headOf(t, own, /\/s\/t4_/)
  const bytesAt = async (path: string) => Buffer.from(await (await fetch(`${site.url}${path}`)).arrayBuffer())
  const hashes = await bytesAt(`/history/${id}/s/${fullname}/tile/0/000.p/${size}`)
  t.deepEqual(hashes, await bytesAt(`/history/s/mirrored/tile/0/000.p/${size}`))
  const bundle = await bytesAt(`/history/${id}/s/${fullname}/tile/entries/000.p/${size}`)
  t.deepEqual(bundle, await bytesAt(`/history/s/mirrored/tile/entries/000.p/${size}`))
  let at = 0
  for (let k = 0; k < size; k++) {
    const length = bundle.readUInt16BE(at)
    const record = bundle.toString('utf8', at + 2, at + 2 + length)
    t.is(JSON.parse(record).k, k)
    t.deepEqual(leafHash(record), hashes.subarray(32 * k, 32 * (k + 1)))
    at += 2 + length
  }
  t.is(at, bundle.length)
  const { origin } = await headOf(t, (await site.get(`/history/${id}/log/checkpoint`)).text, /\/log$/)
  t.true(origin.endsWith(`/history/${id}/log`))
  t.is((await bytesAt(`/history/${id}/log/tile/0/000.p/1`)).length, 32)
  const other = '0123456789abcdef'
  for (const path of [
    `/history/${other}/s/${fullname}/checkpoint`,
    `/history/${other}/s/${fullname}/tile/0/000.p/1`,
    `/history/${other}/log/checkpoint`,
    `/history/${id}/log/tile/entries/000.p/1`,
    '/history/log/tile/entries/000.p/1',
    `/history/${id}/s/${fullname}/tile/entries/000.p/${size + 1}`,
    `/history/${id}/s/t4_nowhere/checkpoint`,
  ])
    t.is((await site.get(path)).status, 404, path)
  await foundSubsite(ann, 'log')
  await postForm(ann, '/api/lock', { id: await submit(bob, 'log') })
  await proofOf(site, (await logEntries(site, 'log'))[0]?.id)
  t.is((await site.get('/history/s/log/checkpoint')).status, 200, 'a subsite whose name is that of a tree')
})

test('of an act on a private subsite a stranger is told nothing, and notes stay with moderators', async (t) => {
  await foundSubsite(ann, 'closedlog', { type: 'private' })
  await postForm(ann, '/s/closedlog/api/friend', { type: 'banned', name: 'bob', note: 'a secret note', api_type: 'json' })
  const [ban] = await logEntries(ann, 'closedlog')
  const proof = await proofOf(ann, ban?.id)
  await verify(t, proof)
  t.true('salt' in fieldOf(proof, 'data.note'))
  for (const reader of [site, bob])
    for (const path of [
      `/history/proof/${ban?.id}`,
      `/history/proof/${ban?.id}/log`,
      `/history/proof/${ban?.id}/subsite`,
      '/history/s/closedlog/checkpoint',
      '/history/s/closedlog/tile/0/000.p/1',
      '/history/s/closedlog/entries',
    ])
      t.is((await reader.get(path)).status, 403, path)
  const checkpoint = await ann.get('/history/s/closedlog/checkpoint')
  t.is(checkpoint.headers.get('cache-control'), 'private, no-cache')
  const tile = await ann.get('/history/s/closedlog/tile/0/000.p/1')
  t.is(tile.headers.get('cache-control'), 'private, max-age=31536000, immutable')
  for (const path of [
    '/history/proof/ModAction_00000000-0000-5000-8000-000000000000',
    '/history/s/nowhere/checkpoint',
    '/history/s/nowhere/entries',
  ])
    t.is((await site.get(path)).status, 404, path)

  await foundSubsite(ann, 'openlog')
  await postForm(ann, '/s/openlog/api/friend', { type: 'banned', name: 'bob', note: 'a secret note', api_type: 'json' })
  const guessed = String((await logEntries(site, 'openlog'))[0]?.details)
  await postForm(ann, '/s/openlog/api/friend', { type: 'banned', name: 'carol', note: guessed, api_type: 'json' })
  const [same] = await logEntries(site, 'openlog')
  t.is(same?.details, guessed)
  t.deepEqual((await proofOf(site, same?.id)).texts, [], 'not even of a note that repeats what is public')
  t.deepEqual(
    (await proofOf(ann, same?.id)).texts.map(({ name, text }) => [name, text]),
    [['data.note', guessed]],
  )
  const [, open] = await logEntries(site, 'openlog')
  const read = await proofOf(site, open?.id)
  await verify(t, read)
  t.deepEqual(Object.keys(fieldOf(read, 'data.note')), ['name', 'commitment'])
  t.is(fieldOf(read, 'data.account').value, `"${bob.id}"`)
  t.notRegex(fieldOf(await proofOf(ann, open?.id), 'data.note').value ?? 'secret', /secret/, 'texts are as they are stored')
})

test('whoever reads the values of a setting or a rule in an entry is given what opens them', async (t) => {
  const subsite = await foundSubsite(ann, 'settled')
  await settle(ann, subsite, { title: 'Tea & <cake>', allow_top: 'false' })
  await postForm(ann, '/s/settled/api/add_subsite_rule', { short_name: 'Be kind', description: 'Or be quiet & <calm>', kind: 'all' })
  const opened = async (reader: Caller, details: string) => {
    const entry = (await logEntries(reader, 'settled')).find((one) => one.details === details)
    const proof = await proofOf(reader, `${entry?.id}?raw_json=1`)
    await verify(t, proof)
    return ['before', 'after', 'name', 'description'].map((name) => fieldOf(proof, `data.${name}`).value)
  }
  for (const reader of [site, bob, ann]) {
    t.deepEqual(await opened(reader, 'title'), ['"settled"', '"Tea & <cake>"', undefined, undefined])
    t.deepEqual(await opened(reader, 'Be kind'), [undefined, undefined, '"Be kind"', '"Or be quiet & <calm>"'])
    const isModerator = reader === ann
    t.deepEqual((await opened(reader, 'allow_top')).slice(0, 2), isModerator ? ['true', 'false'] : [undefined, undefined])
  }
})

test('whoever sees a text proves that it is the one that was written; deleted, removed and erased ones keep their commitment alone', async (t) => {
  await foundSubsite(ann, 'texts')
  const link = await submit(bob, 'texts', { title: 'Tea & <cake>', text: 'Soft & <b>hard</b> 😀' })
  const [submitted] = await textsOf(t, site, link)
  t.deepEqual(shownIn(submitted ? [submitted] : []), [
    ['LinkSubmitted.text', 'Soft & <b>hard</b> 😀'],
    ['LinkSubmitted.title', 'Tea & <cake>'],
  ])
  t.is(submitted?.stream, `link-${link}`)

  const comment = await say(bob, link, 'first words')
  t.deepEqual(shownIn(await textsOf(t, site, comment)), [['CommentPosted.body', 'first words']])
  await postForm(bob, '/api/editusertext', { thing_id: comment, text: 'later words' })
  t.deepEqual(shownIn(await textsOf(t, site, comment)), [
    ['CommentPosted.body', undefined],
    ['CommentEdited.body', 'later words'],
  ])
  await postForm(bob, '/api/editusertext', { thing_id: comment, text: 'first words' })
  t.deepEqual(
    shownIn(await textsOf(t, bob, comment)).map(([, text]) => text),
    [undefined, 'first words'],
    'of a former text nothing is said, not even that it was the same',
  )
  await postForm(bob, '/api/editusertext', { thing_id: comment, text: 'later words' })
  await postForm(ann, '/api/remove', { id: comment })
  for (const [reader, text] of [
    [site, undefined],
    [bob, 'later words'],
    [ann, 'later words'],
  ] as const)
    t.is(shownIn(await textsOf(t, reader, comment)).at(-1)?.[1], text)
  const [entry] = await logEntries(site, 'texts')
  t.deepEqual((await proofOf(site, entry?.id)).texts, [], 'the text of a target is for moderators')
  const quoted = await proofOf(ann, entry?.id)
  await verify(t, quoted)
  const excerpt = quoted.texts.find(({ name }) => name === 'data.target.excerpt')
  t.is(excerpt?.text, 'later words')
  t.is(excerpt && fits(excerpt), excerpt?.commitment ?? '')
  const target = JSON.parse(fieldOf(quoted, 'data.target').value ?? '{}') as { readonly excerpt: string }
  t.is(commitmentIn(target.excerpt), excerpt?.commitment ?? '', 'the leaf has it')

  const before = await textsOf(t, bob, comment)
  await postForm(root, '/api/erase_thing', { id: comment, reason: 'ordered' })
  for (const reader of [site, bob, ann, root]) {
    const after = await textsOf(t, reader, comment)
    t.deepEqual(
      after.map(({ leaf, n }) => [leaf, n]),
      before.map(({ leaf, n }) => [leaf, n]),
    )
    t.true(
      after.every(({ texts }) =>
        texts.every(({ commitment, salt, text }) => commitment !== null && salt === undefined && text === undefined),
      ),
    )
  }
  const blank = await proofOf(ann, entry?.id)
  await verify(t, blank)
  t.deepEqual([blank.event.leaf, blank.texts], [quoted.event.leaf, []])

  await postForm(bob, '/api/del', { id: link })
  t.deepEqual(
    shownIn(await textsOf(t, bob, link)).filter(([, text]) => text !== undefined),
    [['LinkSubmitted.title', 'Tea & <cake>']],
    'as the link itself',
  )
  await foundSubsite(ann, 'closedtexts', { type: 'private' })
  const hidden = await submit(ann, 'closedtexts')
  t.is((await textsOf(t, ann, hidden)).length, 1)
  for (const reader of [site, bob]) t.is((await reader.get(`/history/text/${hidden}`)).status, 403)
  for (const unknown of ['t1_zzzz', 't5_zzzz', 't2_1', 'tea']) t.is((await site.get(`/history/text/${unknown}`)).status, 404)
})

test('everybody reads what events mean: an index, and a schema for each version, with addresses of this site', async (t) => {
  const index = await site.get('/history/schemas')
  t.is(index.headers.get('cache-control'), 'public, max-age=3600')
  const rows = index.at('schemas') as readonly {
    readonly type: string
    readonly version: number
    readonly current: boolean
    readonly schema: string
  }[]
  t.deepEqual(
    rows.filter(({ type }) => type === 'ThingSaved').map(({ version, current }) => [version, current]),
    [
      [1, false],
      [2, true],
    ],
  )
  for (const { type, version, schema } of rows) {
    const { pathname } = new URL(schema)
    t.is(pathname, `/history/schemas/${type}/${version}`)
  }
  const answer = await site.get('/history/schemas/VoteCast/1')
  t.is(answer.at('$id'), rows.find(({ type }) => type === 'VoteCast')?.schema)
  t.like(answer.at('properties.data.properties.voter'), { description: 'Who voted.', 'x-readers': 'party', 'x-party': true })
  t.regex(String((await site.get('/history/schemas/ThingSaved/1')).at('description')), /in the form of version 2/)
  for (const none of ['VoteCast/2', 'VoteCast/0', 'TeaBrewed/1', 'constructor/1']) {
    const { status } = await site.get(`/history/schemas/${none}`)
    t.true(status === 404 || status === 400, none)
  }
})

test.serial('the lines of a log end before an entry whose event cannot be read, and name it', async (t) => {
  const subsite = await foundSubsite(ann, 'gap')
  const link = await submit(ann, 'gap')
  for (const path of ['/api/lock', '/api/unlock', '/api/lock']) await postForm(ann, path, { id: link })
  await proofOf(site, (await logEntries(site, 'gap'))[0]?.id)
  await misplaceEntry(site.running, `1/s/${subsite}`, 2)
  const lines = await linesOf(site, 'gap')
  t.deepEqual(
    lines.slice(1).map(({ kind, k }) => [kind, k]),
    [
      ['entry', 0],
      ['entry', 1],
      ['unreadable', 2],
    ],
  )
})
