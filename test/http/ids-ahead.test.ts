import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { Logged } from '../../src/domain/events.ts'
import type { AccountId, LinkId } from '../../src/domain/ids.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { startTea } from '../support/cast.ts'
import { submit } from '../support/posting.ts'
import { openRestricting } from '../support/restricting.ts'
import { startSite } from '../support/site.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A site whose ids are four minutes ahead of the clock, as after a start with a clock that was ahead. */
const directory = await mkdtemp(join(tmpdir(), 'rostra-'))
const before = await startSite({ directory })
await before.running.app.vault.put('lease', 'worker.0', { value: { holder: '', until: 0, upTo: Date.now() + 4 * MINUTE } })
await before.stop()
const { site, ann, bob } = await startTea([], { directory })
const link = await submit(ann, 'tea', { text: 'of tea' })

test.after.always(async () => {
  await site.stop()
  await rm(directory, { recursive: true, force: true })
})

/** The events of a stream. */
const told = async (stream: string): Promise<readonly Logged[]> => (await Array.fromAsync(site.running.app.readStream(stream))).flat()

test('the end of a ban is computed from the clock, not from the times in ids', async (t) => {
  const subsite = String((await ann.get('/s/tea/about')).at('data.name'))
  const form = { type: 'banned', name: 'bob', duration: 1, api_type: 'json' }
  const began = Date.now()
  t.is((await ann.post('/s/tea/api/friend', form)).status, 200)
  const stream = `relation-${subsite}.${bob.id}`
  const [banned] = (await told(stream)) as readonly Logged<'UserBanned'>[]
  t.true((banned?.at ?? 0) - began > 3 * MINUTE, 'the event is ahead')
  const until = (banned?.data.until ?? 0) - DAY
  t.true(until >= began && until <= Date.now())
})

test('a ban is in force until its end by the clock, not by the times in ids', async (t) => {
  const { app } = site.running
  const carol = await site.register('carol')
  const subsite = String((await ann.get('/s/tea/about')).at('data.name'))
  const pair = { subsite, account: carol.id }
  const command = commandOf(seedOf(app.mint()), { account: ann.id, as: 'moderator' })
  await openRestricting(app).ban(pair, command, { days: 1, at: app.clock() - DAY + 2 * MINUTE })
  const refused = await carol.post('/api/comment', { thing_id: link, text: 'me too', api_type: 'json' })
  t.is(refused.at('data.things.0') ?? refused.at('json.data.things.0'), undefined, refused.text)
  await ann.post('/s/tea/api/unfriend', { type: 'banned', name: 'carol' })
  const said = await carol.post('/api/comment', { thing_id: link, text: 'me too', api_type: 'json' })
  t.truthy(said.at('json.data.things.0'), said.text)
})

test('mutes and archiving are judged by the clock, not by the times in ids', async (t) => {
  const { app } = site.running
  const subsite = String((await ann.get('/s/tea/about')).at('data.name')) as `t4_${string}`
  const dora = await site.register('dora')
  const began = Date.now()
  t.is((await ann.post('/s/tea/api/friend', { type: 'muted', name: 'dora', api_type: 'json' })).status, 200)
  const [muted] = (await told(`relation-${subsite}.${dora.id}`)) as readonly Logged<'UserMuted'>[]
  const since = (muted?.data.until ?? 0) - 3 * DAY
  t.true(since >= began && since <= Date.now())
  const old: LinkId = `t5_${app.mint().toString(36)}`
  const byAnn = commandOf({ ...seedOf(app.mint()), at: Date.now() - 180 * DAY + 2 * MINUTE }, { account: ann.id, as: 'user' })
  const submitted = LinkSubmitted({
    link: old,
    subsite,
    author: ann.id as AccountId,
    title: 'old',
    text: 'tea',
    over18: false,
    sendReplies: true,
    filtered: false,
  })
  await app.run(Link, old, () => E.right([submitted]), byAnn)
  const said = await bob.post('/api/vote', { id: old, dir: '1' })
  t.is(said.status, 200, said.text)
  const commented = await dora.post('/api/comment', { thing_id: old, text: 'not archived for two minutes', api_type: 'json' })
  t.truthy(commented.at('json.data.things.0'), commented.text)
})

test('an event is never more than five minutes ahead of the clock', async (t) => {
  const [submitted] = await told(`link-${link}`)
  t.true((submitted?.at ?? Number.POSITIVE_INFINITY) <= Date.now() + 5 * MINUTE)
})
