import test, { type ExecutionContext } from 'ava'
import { GOLD_MONTH_DAYS } from '../../src/domain/gold.ts'
import { joinSite } from '../support/cast.ts'
import { appoint, eventually, logOf, postForm } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { foundSubsite, refusalOf, submit } from '../support/posting.ts'
import { accountsIn } from '../support/scenes.ts'
import { clockAhead, loginSession, type ServiceProcess, startService } from '../support/service-process.ts'
import { callerAt, startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Milliseconds, more than the longest term here, which is that of gold. */
const AHEAD = (GOLD_MONTH_DAYS + 1) * 24 * 60 * 60 * 1000

/** Ann's subsite tea, where bob has a link and moe moderates; root is an admin. */
const prepare = async (directory: string) => {
  const site = await startSite({ directory })
  const { ann, bob, moe, root } = await joinSite(site, 'ann', 'bob', 'moe', 'root')
  const tea = await foundSubsite(ann, 'tea')
  await appoint(ann, 'tea', moe, '+posts')
  const link = await submit(bob, 'tea')
  const token = await site.tokenOf(root.id)
  await site.stop()
  return { bob: bob.id, moe: moe.id, tea, link, token }
}
type Scene = Awaited<ReturnType<typeof prepare>>

const openService = async (t: ExecutionContext, directory: string, environment = {}) => {
  const service = await startService(directory, { ADMINS: 'root', ...environment })
  t.teardown(() => service.end('SIGKILL'))
  const session = async (name: string) => callerAt(service.url, (await loginSession(service.caller, name)).headers)
  const [ann, bob, moe] = [await session('ann'), await session('bob'), await session('moe')]
  const submitting = async () => refusalOf(await bob.post('/api/submit', { sr: 'tea', kind: 'self', title: 'x', api_type: 'json' }))
  const writing = async () => refusalOf(await bob.post('/api/compose', { to: '#tea', subject: 's', text: 't', api_type: 'json' }))
  const hasGold = async () => (await bob.get('/api/me.json')).at('data.is_gold')
  return { service, ann, moe, submitting, writing, hasGold }
}
type Open = Awaited<ReturnType<typeof openService>>

/** Sets a term for everything that has one. */
const impose = async (t: ExecutionContext, { service, ann, moe, submitting, writing, hasGold }: Open, { link, token }: Scene) => {
  const relate = (more: Record<string, string | number>) => postForm(ann, '/s/tea/api/friend', { name: 'bob', ...more })
  await relate({ type: 'banned', duration: 1 })
  await relate({ type: 'wikibanned', duration: 2 })
  await relate({ type: 'muted' })
  const root = callerAt(service.url, { Authorization: `bearer ${token}` })
  await postForm(root, '/api/suspend_user', { name: 'moe', duration: 1 })
  await postForm(root, '/api/v1/gold/give/bob', { months: 1 })
  t.true(await eventually(async () => (await hasGold()) === true))
  t.not(await submitting(), '')
  t.not(await writing(), '')
  t.is((await moe.post('/api/lock', { id: link })).at('reason'), 'IN_TIMEOUT')
}

const ofService = async ({ ann }: Pick<Open, 'ann'>) => (await logOf(ann, 'tea')).filter((line) => line.startsWith('[service]'))

/** Everything has ended, and each end that the moderation log shows is in it once. */
const isOver = async (t: ExecutionContext, { ann, moe, submitting, writing, hasGold }: Open, { bob, link }: Scene) => {
  t.true(await eventually(async () => (await ofService({ ann })).length >= 3))
  for (const where of ['banned', 'wikibanned', 'muted']) t.deepEqual(await accountsIn(ann, `/s/tea/about/${where}`), [], where)
  t.is(await submitting(), '')
  t.is(await writing(), '')
  t.is((await moe.post('/api/lock', { id: link })).status, 200)
  t.true(await eventually(async () => (await hasGold()) === false))
  t.deepEqual(
    (await ofService({ ann })).toSorted(),
    ['unbanuser', 'unmuteuser', 'wikiunbanned'].map((action) => `[service] ${action} ${bob} - was temporary`),
  )
}

/** The log says of each effect once that it ended, at its end and by the service. */
const isRecordedOnce = async (t: ExecutionContext, directory: string, { tea, bob, moe }: Scene) => {
  const { site } = await startWithMovableClock({ directory }, AHEAD)
  t.teardown(site.stop)
  const expiries = async (stream: string) => {
    const events = []
    for await (const page of site.running.app.readStream(stream)) events.push(...page)
    const terms = events.flatMap(({ data }) => ('until' in data ? [data.until] : []))
    const ends = events.filter(({ type }) => type.endsWith('Expired'))
    return ends.map(({ type, at, by }) => `${type} as ${by.as}${terms.includes(at) ? '' : ' at another time'}`).toSorted()
  }
  t.deepEqual(
    await expiries(`relation-${tea}.${bob}`),
    ['BanExpired', 'MuteExpired', 'WikiBanExpired'].map((type) => `${type} as system`),
  )
  t.deepEqual(await expiries(`account-${moe}`), ['AccountSuspensionExpired as system'])
  t.deepEqual(await expiries(`gold-${bob}`), ['GoldExpired as system'])
}

const stop = async (t: ExecutionContext, service: ServiceProcess) => t.is((await service.end('SIGTERM')).code, 0)

test.serial(
  'an effect whose term ends while the service is stopped ends, and its expiry is recorded once, when it starts again',
  async (t) => {
    const directory = temporaryDirectory(t)
    const scene = await prepare(directory)
    const before = await openService(t, directory)
    await impose(t, before, scene)
    await stop(t, before.service)

    const after = await openService(t, directory, clockAhead(AHEAD))
    await isOver(t, after, scene)
    await stop(t, after.service)
    await isRecordedOnce(t, directory, scene)
  },
)

test.serial('an effect ends once also if the service is killed while it has its term, and while expiries are recorded', async (t) => {
  const directory = temporaryDirectory(t)
  const scene = await prepare(directory)
  const before = await openService(t, directory)
  await impose(t, before, scene)
  await before.service.end('SIGKILL')

  const ahead = clockAhead(AHEAD)
  const killed = await startService(directory, { ADMINS: 'root', ...ahead })
  t.true(await eventually(async () => (await ofService({ ann: killed.caller })).length > 0))
  await killed.end('SIGKILL')

  const after = await openService(t, directory, ahead)
  await isOver(t, after, scene)
  await stop(t, after.service)
  await isRecordedOnce(t, directory, scene)
})
