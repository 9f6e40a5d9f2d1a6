import { hash } from 'node:crypto'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import canonicalize from 'canonicalize'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { CommentPosted } from '../../src/domain/comment.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { eventDefinitions, type Stored } from '../../src/domain/events.ts'
import { Friended } from '../../src/domain/friends-and-blocks.ts'
import { LinkRemoved } from '../../src/domain/link.ts'
import { MessageSent } from '../../src/domain/message.ts'
import { BanNoteChanged, UserBanned } from '../../src/domain/relation.ts'
import { Vote, VoteCast } from '../../src/domain/vote.ts'
import { type Codec, codec, eventOpener, isIntact, type StampedEvent } from '../../src/log/codec.ts'
import { type Keyring, openKeyring } from '../../src/log/keys.ts'
import { openText, sealText } from '../../src/log/sealed-text.ts'
import { canonicalJson } from '../../src/ports/canonical-json.ts'
import type { AppendedEvent, ProposedEvent, RecordedEvent } from '../../src/ports/event-store.ts'
import { commitmentIn, forgedText, rehash } from '../support/commitments.ts'
import { fixedKey, fixedKeys } from '../support/fixed-keys.ts'
import { formerGolden, goldenData, readGolden, stampedFrom } from '../support/golden.ts'
import fc from '../support/properties.ts'
import { comment, fixed, id, stamp, toRecorded } from '../support/sealing.ts'
import { teaSubmitted } from '../support/submitted-link.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Reads bytes alone: it remembers nothing that was sealed. */
const readBytes = eventOpener(fixedKeys)

const roundTrip = async ({ seal }: Pick<Codec, 'seal'>, stamped: StampedEvent, open = readBytes) => {
  const [proposed] = await seal([stamped])
  if (!proposed) throw new Error('nothing was sealed')
  const [opened] = await open([toRecorded(proposed)])
  return { proposed, opened }
}

const realLog = async (tt: ExecutionContext) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(tt), 'log.db') })
  tt.teardown(stores.close)
  return { stores, keys: openKeyring(stores.vault) }
}

test('an opened event equals the sealed one, with its metadata', async (tt) => {
  const stamped = stamp(comment('tea 😀'), {
    by: { account: 't2_ann', as: 'user' },
    seen: { 'link-t5_1': 3, 'relation-t4_1.t2_ann': 'none' },
  })
  const { opened } = await roundTrip(fixed, stamped)
  const { event: _, ...meta } = stamped
  tt.deepEqual(opened?.data, stamped.event.data as never)
  tt.deepEqual(opened?.meta, { commandId: id, correlationId: id, causationId: id, schema: 1, seen: stamped.seen })
  tt.like(opened, { id: meta.id, at: meta.at, by: meta.by, stream: 'a-stream', revision: 7, position: '00000000000000000042' })
})

test('any text can be sealed and opened, and is not readable in the stored event', async (tt) => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 4 }), async (text) => {
      const { proposed, opened } = await roundTrip(fixed, stamp(comment(text)))
      return (
        opened?.type === 'CommentPosted' && opened.data.body === text && !proposed.data.includes(text.slice(0, 4)) && isIntact(proposed)
      )
    }),
    { numRuns: 50 },
  )
  tt.pass()
})

test('sealing is deterministic; another text, field or event gives other bytes', async (tt) => {
  const [first] = await fixed.seal([stamp(comment('tea'))])
  tt.deepEqual(await fixed.seal([stamp(comment('tea'))]), first ? [first] : [])
  const key = fixedKey('t2_ann')
  const place = { event: id, path: ['body'], thing: 't1_1' }
  const others = [
    sealText(key, place, 'teas').sealed,
    sealText(key, { ...place, path: ['title'] }, 'tea').sealed,
    sealText(key, { ...place, event: `${id}x` }, 'tea').sealed,
    sealText(key, { ...place, thing: 't1_2' }, 'tea').sealed,
    sealText(fixedKey('t2_bob'), place, 'tea').sealed,
  ]
  tt.is(new Set([sealText(key, place, 'tea').sealed, ...others]).size, 6)
})

test('the length of a sealed text tells in which step of 64 bytes its text ends, and no more', (tt) => {
  const key = fixedKey('t2_ann')
  const place = { event: id, path: ['body'], thing: 't1_1' }
  const lengthOf = (text: string) => Buffer.from(sealText(key, place, text).sealed, 'base64url').length
  for (const character of ['a', '\u0000', '\u00ff', '\ud800'])
    for (let length = 0; length <= 130; length++) {
      const text = character.repeat(length)
      const stored = Buffer.from(text)
      tt.is(openText(key, place, sealText(key, place, text).sealed).text, stored.toString(), `${length} of ${character}`)
      const steps = Math.floor(stored.length / 64) + 1
      tt.is(lengthOf(text), lengthOf('') + 64 * (steps - 1))
    }
})

test('a sealed text cannot be opened in another event', (tt) => {
  const key = fixedKey('t2_ann')
  const place = { event: id, path: ['body'], thing: 't1_1' }
  const text = sealText(key, place, 'tea').sealed
  tt.is(openText(key, place, text).text, 'tea')
  tt.throws(() => openText(key, { ...place, event: `${id}x` }, text))
  tt.throws(() => openText(key, place, `${text.slice(0, -4)}AAAA`))
  tt.throws(() => openText(key, place, 'tea'))
})

test('a commitment to the text stands beside it, checked with its salt alone, and stays without it when the key is gone', (tt) => {
  const key = fixedKey('t2_ann')
  const place = { event: id, path: ['body'], thing: 't1_1' }
  const sealed = sealText(key, place, 'tea 😀').sealed
  const { text, salt, commitment } = openText(key, place, sealed)
  if (!salt || !commitment) return tt.fail()
  tt.is(commitment.toString('hex'), commitmentIn(sealed))
  tt.is(hash('sha256', Buffer.concat([salt, Buffer.from(text)])), commitmentIn(sealed))
  const again = { ...place, event: `${id}x` }
  tt.not(commitmentIn(sealText(key, again, 'tea 😀').sealed), commitmentIn(sealed), 'the same text says nothing of where else it stands')
  tt.deepEqual(openText(undefined, place, sealed), { text: '[erased]', commitment })
})

test('a text that is not the one committed to is told of where texts are compared, and an older one without commitment is not', async (tt) => {
  const [tea, coffee] = await fixed.seal([stamp(comment('tea')), stamp(comment('coffee'))])
  if (!tea || !coffee) return tt.fail()
  const bodyOf = ({ data }: ProposedEvent): string => (JSON.parse(data) as { readonly body: string }).body
  const forged = rehash(tea, { ...JSON.parse(tea.data), body: forgedText(bodyOf(tea), bodyOf(coffee)) })
  tt.true(isIntact(forged))
  const older = formerGolden.filter(({ opened: { type } }) => type === 'CommentPosted').map(({ stored }) => stored)
  tt.is(older.length, 3)
  const events = [tea, forged, ...older].map((event, revision) => toRecorded(event, { revision }))
  const told: number[] = []
  const opened = await fixed.open(events, ({ revision }) => told.push(revision))
  tt.deepEqual(told, [1])
  tt.like(opened, [{ data: { body: 'tea' } }, { data: { body: 'coffee' } }])
  tt.deepEqual(await fixed.open(events), opened)
  tt.deepEqual(await readBytes(events), opened)
})

test('a text is sealed with the key of its author, also in a target or as the former one, or else of the acting account', async (tt) => {
  const erasedFor = async (account: string, decided: AnyEvent) => {
    const [proposed] = await fixed.seal([stamp(decided)])
    const without = {
      ...fixedKeys,
      fetch: async (accounts: Iterable<string>) => fixedKeys.fetch([...accounts].filter((a) => a !== account)),
    }
    const [opened] = await codec(without).open(proposed ? [toRecorded(proposed)] : [])
    return JSON.stringify(opened?.data).split('[erased]').length - 1
  }
  const target = { id: 't5_1', author: 't2_ann', title: 'tea', excerpt: 'leaves' }
  const removal = LinkRemoved({ subsite: 't4_1', target, spam: true, before: false })
  tt.is(await erasedFor('t2_ann', removal), 2)
  tt.is(await erasedFor('t2_mod', removal), 0)
  const ban = UserBanned({ subsite: 't4_1', account: 't2_ann', until: null, days: null, note: 'why' })
  tt.is(await erasedFor('t2_mod', ban), 1)
  tt.is(await erasedFor('t2_ann', ban), 0)
  tt.is(await erasedFor('t2_ann', Friended({ account: 't2_ann', other: 't2_bob', note: 'tea' })), 1)
  const before = { until: null, by: 't2_mod', note: 'why', noteBy: 't2_lou' }
  const renoted = BanNoteChanged({ subsite: 't4_1', account: 't2_ann', note: 'because', before })
  for (const [account, texts] of Object.entries({ t2_mod: 1, t2_lou: 1, t2_ann: 0 })) tt.is(await erasedFor(account, renoted), texts)
})

test('texts of the service itself are not sealed', async (tt) => {
  const { proposed, opened } = await roundTrip(fixed, stamp(MessageSent({ ...goldenData('MessageSent'), author: null, body: 'a notice' })))
  tt.true(proposed.data.includes('a notice'))
  tt.is(opened?.type === 'MessageSent' ? opened.data.body : '', 'a notice')
})

test('absent optional fields stay absent, and unknown fields are not stored', async (tt) => {
  const extra = { ...comment('tea').data, secret: 'x' }
  const { proposed } = await roundTrip(fixed, stamp(CommentPosted(extra)))
  tt.false(proposed.data.includes('secret'))
  const { opened } = await roundTrip(fixed, stamp(teaSubmitted('t5_1')))
  tt.false('url' in (opened?.data ?? {}))
})

test('without the key of an account its texts read [erased], also those sealed later, and nothing else changes', async (tt) => {
  const { keys } = await realLog(tt)
  const log = codec(keys)
  const { proposed, opened } = await roundTrip(log, stamp(comment('tea')), log.open)
  tt.is(opened?.type === 'CommentPosted' ? opened.data.body : '', 'tea')
  await keys.eraseAccount('t2_ann')
  const reopen = async () => (await log.open([toRecorded(proposed)]))[0]?.data
  tt.deepEqual(await reopen(), { ...comment('[erased]').data })
  const later = await roundTrip(log, stamp(comment('coffee')), log.open)
  tt.is(later.opened?.type === 'CommentPosted' ? later.opened.data.body : '', '[erased]', 'nothing is sealed for it any more')
  tt.deepEqual(await reopen(), { ...comment('[erased]').data })
  tt.true(isIntact(proposed))
})

const place = { stream: 'a-stream', revision: 7, positionAtMost: '00000000000000000042' }

/** An event that was appended alone, as a reader of the log has it. */
const placed = (appended: Stored | undefined): object =>
  Object.fromEntries(Object.entries(appended ?? {}).map(([name, value]) => [name === 'positionAtMost' ? 'position' : name, value]))

test('an event that was sealed here opens as from its bytes, whatever its type', async (tt) => {
  for (const [type, { upcasts }] of eventDefinitions) {
    const golden = readGolden(type, upcasts.length + 1)
    if (!golden) return tt.fail(`there is no golden file of ${type}`)
    const [proposed] = await fixed.seal([stampedFrom(golden)])
    if (!proposed) return tt.fail()
    const [here, read] = await fixed.open([fixed.toAppended(proposed, place), toRecorded(proposed)])
    const [decrypted] = await readBytes([toRecorded(proposed)])
    for (const opened of [placed(here), read]) {
      tt.is(JSON.stringify(opened), JSON.stringify(decrypted), type)
      tt.deepEqual(opened, decrypted, type)
    }
  }
})

test('an event that was sealed here opens as from its bytes, whatever the order of what was seen and the sign of zero', async (tt) => {
  const seen = { 'link-t5_1': 3, 'account-t2_ann': 'none', 'comment-t1_1': -0 } as const
  const [proposed] = await fixed.seal([stamp(VoteCast({ ...goldenData('VoteCast'), rank: -0 }), { seen })])
  if (!proposed) return tt.fail()
  const [here, read] = await fixed.open([fixed.toAppended(proposed, place), toRecorded(proposed)])
  const [decrypted] = await readBytes([toRecorded(proposed)])
  for (const opened of [placed(here), read]) {
    tt.is(JSON.stringify(opened), JSON.stringify(decrypted))
    tt.deepEqual(opened, decrypted)
  }
})

test('an event that was sealed here and changed in the log opens as it stands there', async (tt) => {
  const [tea, coffee] = await fixed.seal([stamp(comment('tea')), stamp(comment('coffee'))])
  if (!tea || !coffee) return tt.fail()
  const changed = { ...coffee, id: tea.id, data: tea.data.replace('"link":"t5_1"', '"link":"t5_2"') }
  tt.not(changed.data, tea.data)
  const [opened] = await fixed.open([toRecorded(changed)])
  tt.is(opened?.type === 'CommentPosted' ? opened.data.link : '', 't5_2')
  const other = { ...tea, data: coffee.data }
  await tt.throwsAsync(async () => fixed.open([toRecorded({ ...other, id: 'another' })]))
})

for (const [what, erase] of [
  ['account', (keys: Keyring) => keys.eraseAccount('t2_ann')],
  ['thing', (keys: Keyring) => keys.eraseThing('t2_ann', 't1_1')],
] as const)
  test(`the text of an event that was sealed here is not opened once the key of its ${what} is destroyed, nor sealed in it later`, async (tt) => {
    const { keys } = await realLog(tt)
    const log = codec(keys)
    const sealed = async (text: string) => {
      const [proposed] = await log.seal([stamp(comment(text))])
      if (!proposed) throw new Error('nothing was sealed')
      return log.toAppended(proposed, place)
    }
    const body = async (event: AppendedEvent | RecordedEvent) => {
      const [opened] = await log.open([event])
      return opened?.type === 'CommentPosted' ? opened.data.body : undefined
    }
    const event = await sealed('tea')
    tt.is(await body(event), 'tea')
    await erase(keys)
    tt.is(await body(event), '[erased]')
    tt.is(await body(toRecorded(event)), '[erased]')
    tt.is(await body(await sealed('coffee')), '[erased]')
  })

test('a key that was looked up while it was destroyed is not used afterwards', async (tt) => {
  const { stores, keys } = await realLog(tt)
  await keys.ensure(['t2_ann', 't2_bob'])
  const { promise: erased, resolve: release } = Promise.withResolvers<void>()
  const slow = openKeyring({
    ...stores.vault,
    getMany: async (kind, ids) => {
      const found = await stores.vault.getMany(kind, ids)
      await erased
      return found
    },
  })
  const fetching = slow.fetch(['t2_ann', 't2_bob'])
  await slow.eraseAccount('t2_ann')
  await slow.eraseThing('t2_bob', 't1_1')
  release()
  await fetching
  const { tree } = (await slow.fetch(['t2_ann', 't2_bob'])).get('t2_bob') ?? {}
  tt.is(tree?.erased.size, 1)
  tt.deepEqual([...(await slow.fetch(['t2_ann'])).keys()], [])
})

test('a key is durable before a text is sealed with it, and concurrent creations agree on one', async (tt) => {
  const { stores, keys } = await realLog(tt)
  const another = openKeyring(stores.vault)
  const made = await Promise.all([keys.ensure(['t2_ann']), another.ensure(['t2_ann']), keys.ensure(['t2_ann'])])
  tt.is(new Set(made.map((ring) => ring.get('t2_ann')?.tree?.nodes[''])).size, 1)
  tt.is((await stores.vault.getMany('key', ['t2_ann'])).size, 1)
  tt.is((await keys.fetch(['t2_nobody'])).size, 0)
})

test('the hash of an event covers everything stored', async (tt) => {
  const [proposed] = await fixed.seal([stamp(comment('tea'))])
  if (!proposed) return tt.fail()
  const meta = JSON.parse(proposed.meta) as object
  tt.true(isIntact(proposed))
  const forged: readonly ProposedEvent[] = [
    { ...proposed, type: 'CommentEdited' },
    { ...proposed, id: id.replace('0', '1') },
    { ...proposed, data: proposed.data.replace('t5_1', 't5_2') },
    { ...proposed, data: ` ${proposed.data}` },
    { ...proposed, meta: JSON.stringify({ ...meta, at: 1 }) },
    { ...proposed, meta: JSON.stringify({ ...meta, hash: '' }) },
  ]
  for (const event of forged) tt.false(isIntact(event))
})

test('only integers and well-formed text are written', async (tt) => {
  const vote = { ...goldenData('VoteCast'), rank: 1.5 }
  await tt.throwsAsync(fixed.seal([stamp(VoteCast(vote))]), { message: /VoteCast\.rank is not an integer/ })
  await tt.throwsAsync(fixed.seal([stamp(comment('a\ud800'))]), { message: /CommentPosted\.body holds a lone surrogate/ })
  await tt.throwsAsync(fixed.seal([stamp({ type: 'CommentPosted', data: { comment: 't1_1' } })]), {
    message: /does not match its declaration/,
  })
  await tt.throwsAsync(fixed.seal([stamp({ type: 'TeaBrewed', data: {} })]), { message: /TeaBrewed is not declared/ })
})

// the bar of 100,000 a second is measured by the bench on a quiet machine; this catches an order of magnitude
test('decoding and folding a vote costs at most 15 times what parsing its JSON costs', async (tt) => {
  const votes = await fixed.seal(Array.from({ length: 1_000 }, (_, i) => stamp(VoteCast({ ...goldenData('VoteCast'), rank: i }))))
  const batch = votes.map((vote, revision) => toRecorded(vote, { revision }))
  const cost = async (work: () => unknown) => {
    const { user, system } = process.threadCpuUsage()
    for (let round = 0; round < 20; round++) await work()
    const spent = process.threadCpuUsage({ user, system })
    return spent.user + spent.system
  }
  const leastOf = async (work: () => unknown) => Math.min(await cost(work), await cost(work), await cost(work), await cost(work))
  const parsing = await leastOf(() => batch.map(({ data }) => JSON.parse(data)))
  const folding = await leastOf(async () => {
    for (const vote of await fixed.open(batch)) if (vote.type === 'VoteCast') Vote.on.VoteCast(undefined, vote.data, vote)
  })
  tt.log(`${(folding / parsing).toFixed(1)} times`)
  tt.true(folding < 15 * parsing, `${folding} and ${parsing} microseconds`)
})

test('canonical JSON is that of the library, whatever the names and texts', (t) => {
  const outcome = (write: () => string | undefined) => {
    try {
      return write()
    } catch {
      return 'refused'
    }
  }
  const name = fc.oneof(fc.string({ unit: 'binary' }), fc.nat().map(String), fc.constantFrom('__proto__', 'b', 'a', '\ud800', '"7":'))
  const { value } = fc.letrec<{ value: unknown; leaf: unknown }>((tie) => ({
    leaf: fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constantFrom(null, '\udfff', '\\ud', Number.POSITIVE_INFINITY),
    ),
    value: fc.oneof(
      { maxDepth: 3 },
      tie('leaf'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(name, tie('value'), { maxKeys: 5 }),
      fc.dictionary(fc.string({ unit: 'binary' }), tie('leaf'), { minKeys: 30, maxKeys: 40 }),
    ),
  }))
  const property = fc.property(fc.dictionary(name, value), (object) => {
    const parsed = JSON.parse(
      JSON.stringify(object, (_, member) => (member === Number.POSITIVE_INFINITY ? '1e999' : member)).replaceAll('"1e999"', '1e999'),
    ) as object
    t.is(
      outcome(() => canonicalJson(parsed)),
      outcome(() => canonicalize(parsed)),
    )
  })
  fc.assert(property, { numRuns: 500 })
})
