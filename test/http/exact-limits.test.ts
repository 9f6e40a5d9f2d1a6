import * as E from 'fp-ts/lib/Either.js'
import type { Aggregate, Decide } from '../../src/domain/decision.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { flairLimits } from '../../src/domain/flair.ts'
import { Images, MAX_IMAGES_PER_SUBSITE, uploadImage } from '../../src/domain/images.ts'
import { inviteModerator, MAX_PENDING_INVITATIONS } from '../../src/domain/moderator-invitations.ts'
import { Moderators } from '../../src/domain/moderators.ts'
import { addSubsiteTo, MAX_MULTIS_PER_ACCOUNT, MAX_SUBSITES_PER_MULTI, MultiStream, multiId, putMulti } from '../../src/domain/multi.ts'
import { createRule, MAX_RULES_PER_SUBSITE, SubsiteRules } from '../../src/domain/rules.ts'
import { STICKY_SLOTS, Stickies } from '../../src/domain/stickies.ts'
import { MAX_SUBSCRIPTIONS_PER_ACCOUNT, Subscribed, Subscription } from '../../src/domain/subscription.ts'
import { putTemplate, SubsiteFlair } from '../../src/domain/subsite-flair.ts'
import { MINUTE } from '../../src/domain/time.ts'
import { addWikiEditor, MAX_EDITORS_PER_PAGE, WikiPage, wikiPageId } from '../../src/domain/wiki-page.ts'
import { MAX_APPS_PER_ACCOUNT } from '../../src/http/endpoints/auth/apps.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { countSubscribed } from '../../src/queries/subscriptions.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { newcomer, startTea } from '../support/cast.ts'
import { eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { interpose } from '../support/interpose.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { modelOf, put, refusal } from '../support/multis.ts'
import { foundSubsite, submit } from '../support/posting.ts'
import { newSubsite } from '../support/scenes.ts'
import type { Answer, TestSite, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'
import { recordForMany, unknownFullname } from '../support/unknown-others.ts'

// Limits that decision 104 calls exact, each by more creations at once than it allows.

const test = testOn(() => startTea(['root']))

const succeeded = (answers: readonly Answer[]): number =>
  answers.filter(({ status, text }) => status < 300 && !text.includes('"errors":[[')).length

const eventsOf = <Event>(decision: E.Either<unknown, readonly Event[]>): readonly Event[] => (E.isRight(decision) ? decision.right : [])

const atOnce = <T>(many: number, work: (n: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: many }, (_, n) => work(n)))

test.serial('of 130 multis created at once exactly as many are as an account can have', async (t) => {
  const who = await newcomer(t.context.site)
  const answers = await atOnce(130, (n) => put(who, `user/${who.name}/m/no_${n}`, {}))
  t.is(succeeded(answers), MAX_MULTIS_PER_ACCOUNT)
  t.is(((await who.get('/api/multi/mine')).body as readonly unknown[]).length, MAX_MULTIS_PER_ACCOUNT)
})

test.serial('of 130 apps registered at once exactly as many are as an account can have', async (t) => {
  const who = await newcomer(t.context.site)
  const app = { name: 'one of many', app_type: 'script', redirect_uri: 'http://localhost/' }
  t.is(succeeded(await atOnce(130, () => who.post('/api/v1/apps', app))), MAX_APPS_PER_ACCOUNT)
  t.is(((await who.get('/api/v1/apps')).body as readonly unknown[]).length, MAX_APPS_PER_ACCOUNT)
})

test.serial('of subscriptions made at once exactly as many are as an account can have', async (t) => {
  const { site, ann } = t.context
  const who = await newcomer(site)
  const names = Array.from({ length: 12 }, (_, n) => `crowded_${n}`)
  for (const name of names) await foundSubsite(ann, name)
  await postForm(who, '/api/subscribe', { action: 'sub', sr: 'tea' })
  await recordForMany(site, who, Subscription, 'subsite', MAX_SUBSCRIPTIONS_PER_ACCOUNT - 6, (sr) =>
    Subscribed({ account: who.id, subsite: sr }),
  )
  const answers = await atOnce(names.length, (n) => who.post('/api/subscribe', { action: 'sub', sr: names[n] ?? '' }))
  t.is(succeeded(answers), 5)
  t.deepEqual([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 400])
})

/** Somebody who is subscribed to so many subsites, and the names of others. */
const subscriber = async (site: TestSite, founder: User, many: number, ...others: readonly string[]): Promise<User> => {
  const who = await newcomer(site)
  for (const name of others) await foundSubsite(founder, name)
  await recordForMany(site, who, Subscription, 'subsite', many, (sr) => Subscribed({ account: who.id, subsite: sr }))
  return who
}

const subscriptionsOf = ({ running }: TestSite, { id }: User) =>
  countSubscribed(running.app.documents, id, 2 * MAX_SUBSCRIPTIONS_PER_ACCOUNT)

test.serial('a subscription that is asked for while it ends does not pass the limit', async (t) => {
  const { site, ann } = t.context
  const who = await subscriber(site, ann, MAX_SUBSCRIPTIONS_PER_ACCOUNT - 1, 'left_once', 'instead')
  const turn = (action: 'sub' | 'unsub', sr: string) => postForm(who, '/api/subscribe', { action, sr })
  await turn('sub', 'left_once')
  interpose(site, 'before', 'subscription', async () => {
    await turn('unsub', 'left_once')
    await turn('sub', 'instead')
  })
  await who.post('/api/subscribe', { action: 'sub', sr: 'left_once' })
  await waitUntilSettled(site)
  t.is(await subscriptionsOf(site, who), MAX_SUBSCRIPTIONS_PER_ACCOUNT)
})

test.serial('a multi that is changed while it is deleted does not pass the limit', async (t) => {
  const { site } = t.context
  const who = await newcomer(site)
  const path = (name: string) => `user/${who.name}/m/${name}`
  for (let n = 0; n < MAX_MULTIS_PER_ACCOUNT; n += 1) t.is((await put(who, path(`no_${n}`), {})).status, 201, String(n))
  interpose(site, 'before', 'multi', async () => {
    t.is((await who.request('DELETE', `/api/multi/${path('no_0')}`)).status, 200)
    t.is((await put(who, path('instead'), {})).status, 201)
  })
  t.is(refusal(await put(who, path('no_0'), modelOf('tea'))), '409 TOO_MANY_MULTIS multipath')
  t.is(((await who.get('/api/multi/mine')).body as readonly unknown[]).length, MAX_MULTIS_PER_ACCOUNT)
})

test.serial('what a request reserved and did not make is refused to it later, if others have taken the place', async (t) => {
  const { site, forward } = await startWithMovableClock()
  t.teardown(site.stop)
  const ann = await site.register('ann')
  const who = await subscriber(site, ann, MAX_SUBSCRIPTIONS_PER_ACCOUNT - 1, 'first', 'second')
  const { app } = site.running
  const { run } = app
  const keyed = () => who.post('/api/subscribe', { action: 'sub', sr: 'first' }, { 'Idempotency-Key': 'once' })
  Object.assign(app, { run: () => Promise.reject(new StoreFault('unavailable', 'not now')) })
  t.is((await keyed()).status, 503)
  Object.assign(app, { run })
  const other = () => who.post('/api/subscribe', { action: 'sub', sr: 'second' })
  t.is((await other()).status, 400, 'the place is reserved')
  forward(8 * MINUTE)
  t.true(await eventually(async () => (await other()).status === 200), 'but not for ever')
  t.is((await keyed()).status, 400)
  await waitUntilSettled(site)
  t.is(await subscriptionsOf(site, who), MAX_SUBSCRIPTIONS_PER_ACCOUNT)
})

test.serial('of gildings at once exactly as many are paid as there are credits', async (t) => {
  const { site, bob, root } = t.context
  const who = await newcomer(site)
  await postForm(root, `/api/v1/gold/grant/${who.name}`, { csites: 5 })
  const link = await submit(bob, 'tea')
  t.is(succeeded(await atOnce(20, () => who.post(`/api/v1/gold/gild/${link}`))), 5)
  t.is((await who.get('/api/v1/me')).at('gold_csites'), 0)
})

test.serial('of links stickied at once as many are as there are slots', async (t) => {
  const { site, ann } = t.context
  const { name, subsite } = await newSubsite(t.context)
  const links = await atOnce(8, () => submit(ann, name))
  await atOnce(links.length, (n) => ann.post('/api/set_subsite_sticky', { id: links[n] ?? '', state: true }))
  t.is((await site.running.app.load(Stickies, subsite))?.length, STICKY_SLOTS)
})

test.serial('limits within one stream are exact, since each decision follows on the one before', async (t) => {
  const { site, ann } = t.context
  const { app } = site.running
  const { subsite } = await newSubsite(t.context)
  const multi = { account: ann.id, kind: 'm', name: 'crowded' } as const
  const page = { subsite, page: 'leaves' }
  const others = { count: 0, described: 0 }
  const image = { hash: 'x', format: 'png', width: 8, height: 8 } as const
  const made = async <State, Event extends AnyEvent>(
    aggregate: Aggregate<State, Event>,
    id: string,
    most: number,
    decide: (n: number) => Decide<State, Event>,
    begun: Decide<State, Event> = () => E.right(Array.from({ length: most - 5 }, (_, n) => eventsOf(decide(n)(undefined))).flat()),
  ): Promise<void> => {
    const run = (one: Decide<State, Event>) =>
      app.run(aggregate, id, one, commandOf(seedOf(app.mint()), { account: ann.id, as: 'moderator' }))
    await run(begun)
    const outcomes = await atOnce(15, (n) => run(decide(most + n)))
    t.is(outcomes.filter((outcome) => E.isRight(outcome) && outcome.right.events.length > 0).length, 5, aggregate.category)
  }
  const byAnn = { actor: ann.id, admin: true }
  const free = { banned: false, muted: false }
  await made(Moderators, subsite, MAX_PENDING_INVITATIONS, (n) =>
    inviteModerator({ subsite, account: unknownFullname('account', n) }, byAnn, free, '+mail'),
  )
  await made(SubsiteRules, subsite, MAX_RULES_PER_SUBSITE, (n) => createRule(subsite, { name: `rule ${n}`, description: '', kind: 'all' }))
  await made(SubsiteFlair, subsite, flairLimits.templates, (n) =>
    putTemplate(subsite, 'user', { id: undefined, text: `no. ${n}`, css: '', editable: false }, `template ${n}`),
  )
  await made(Images, subsite, MAX_IMAGES_PER_SUBSITE, (n) =>
    uploadImage(subsite, { admin: false }, { use: 'img', name: `no-${n}`, image, bytes: 1 }),
  )
  await made(WikiPage, wikiPageId(page), MAX_EDITORS_PER_PAGE, (n) => addWikiEditor(page, unknownFullname('account', n)))
  const subsites = Array.from({ length: MAX_SUBSITES_PER_MULTI - 5 }, (_, n) => unknownFullname('subsite', n))
  const add = (n: number) => addSubsiteTo(multi, unknownFullname('subsite', n), app.clock(), others)
  await made(MultiStream, multiId(multi), MAX_SUBSITES_PER_MULTI, add, putMulti(multi, { subsites }, app.clock(), others))
})
