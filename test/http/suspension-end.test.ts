import test, { type ExecutionContext } from 'ava'
import { StoreFault } from '../../src/ports/faults.ts'
import { joinSite } from '../support/cast.ts'
import { eventually, postForm } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { foundSubsite } from '../support/posting.ts'
import type { User } from '../support/site.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** A site whose clock can be put forward, with a subsite and some accounts that root suspends. */
const open = async <Name extends string>(t: ExecutionContext, ...names: readonly Name[]) => {
  const { site, forward } = await startWithMovableClock({ logLevel: 'silent' })
  t.teardown(site.stop)
  const { ann, root } = await joinSite(site, 'ann', 'root')
  await foundSubsite(ann, 'tea')
  // tokens of now, since an older one ends after an hour
  const asRoot = async (act: string, { name }: User, more = {}) =>
    postForm(await root.withScopes('account'), `/api/${act}`, { name, ...more })
  /** `''`, or why the account cannot submit. */
  const submitting = async (who: User) => {
    const answer = await (await who.withScopes('submit')).post('/api/submit', { sr: 'tea', kind: 'self', title: 'a title' })
    return answer.status === 200 ? '' : String(answer.at('reason'))
  }
  /** The first write after a leap of the clock may find that the lease of the worker number has run out. */
  const becomes = (who: User, state: string) => eventually(async () => (await submitting(who)) === state)
  const expiries = async ({ id }: User) => {
    const { events } = await site.running.stores.events.read(`account-${id}`, 0, 100)
    return events.filter(({ type }) => type === 'AccountSuspensionExpired').length
  }
  return { site, forward, asRoot, submitting, becomes, expiries, ...(await joinSite(site, ...names)) }
}

test.serial('a suspended account takes part again from the end of its term on, before and after the expiry is recorded', async (t) => {
  const { site, forward, asRoot, submitting, becomes, expiries, bob } = await open(t, 'bob')
  const { events } = site.running.stores
  const append: typeof events.append = events.append.bind(events)
  let refused = 0
  let isRecordable = false
  Object.assign(events, {
    append: async (...[stream, expected, proposed]: Parameters<typeof append>) => {
      if (isRecordable || proposed.every(({ type }) => type !== 'AccountSuspensionExpired')) return append(stream, expected, proposed)
      refused += 1
      throw new StoreFault('unavailable', 'not now')
    },
  })
  await asRoot('suspend_user', bob, { duration: 1 })
  t.is(await submitting(bob), 'IN_TIMEOUT')
  forward(DAY - MINUTE)
  t.true(await becomes(bob, 'IN_TIMEOUT'), 'a minute before its end')

  forward(2 * MINUTE)
  t.true(await becomes(bob, ''))
  t.true(await eventually(async () => refused > 0))
  t.is(await submitting(bob), '')
  t.is((await (await bob.withScopes('identity')).get('/api/v1/me')).at('is_suspended'), false)
  t.is(await expiries(bob), 0)

  isRecordable = true
  t.true(await eventually(async () => (await expiries(bob)) > 0))
  t.is(await submitting(bob), '')
  t.is(await expiries(bob), 1)
})

test.serial('a suspension that an admin ended before its term does not expire, nor does it end a later one', async (t) => {
  const { forward, asRoot, submitting, becomes, expiries, bob, carol, dave } = await open(t, 'bob', 'carol', 'dave')
  for (const who of [bob, carol, dave]) await asRoot('suspend_user', who, { duration: 1 })
  for (const who of [bob, carol]) {
    await asRoot('unsuspend_user', who)
    t.is(await submitting(who), '')
  }
  await asRoot('suspend_user', carol, { duration: 3 })
  for (const who of [carol, dave]) t.is(await submitting(who), 'IN_TIMEOUT')

  forward(DAY + MINUTE)
  t.true(await eventually(async () => (await expiries(dave)) === 1))
  for (const who of [bob, dave]) t.true(await becomes(who, ''))
  t.true(await becomes(carol, 'IN_TIMEOUT'))
  t.deepEqual([await expiries(bob), await expiries(carol)], [0, 0])

  forward(2 * DAY)
  t.true(await becomes(carol, ''))
  t.true(await eventually(async () => (await expiries(carol)) === 1))
  t.is(await expiries(bob), 0)
})
