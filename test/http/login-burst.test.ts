import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { FULL } from '../support/full.ts'
import { foundSubsite, submit } from '../support/posting.ts'
import { registerSession, type Session, startService } from '../support/service-process.ts'
import { callerAt } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Each hash takes a quarter of a second of a processor: only a full run fills the queue, of which test/auth/password-lane.test.ts tests the rest. */
const CROWD = FULL ? 300 : 24
/** Milliseconds, fewer than a login waits for its turn: a login refused sooner did not wait at all. */
const AT_ONCE = 9_000
/** Milliseconds until the last is answered, by the time of one alone: none begins after ten seconds, and what is left then are the last hashes. */
const slowestLogin = (alone: number): number => 10_000 + 20 * alone
/** Logins one after the other, by which the time of one is measured on the machine as it is. */
const ALONE = 4
/** Milliseconds that it takes. */
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const voting = async (url: string, voter: Session, link: string) => {
  const caller = callerAt(url, voter.headers)
  const votes: { readonly status: number; readonly took: number }[] = []
  let going = true
  const loop = async () => {
    for (let dir = 1; going; dir = 12 - dir) {
      const began = performance.now()
      const { status } = await caller.post('/api/vote', { id: link, dir })
      votes.push({ status, took: performance.now() - began })
      await sleep(20)
    }
  }
  const ended = loop()
  return async () => {
    going = false
    await ended
    return votes
  }
}

test('many concurrent logins delay no vote, and each gets its response in time', async (t) => {
  const service = await startService(await temporaryDirectory(t), { TRUST_PROXY: '1', CAPTCHA: 'off', RATE_LIMITS: 'off' })
  t.teardown(() => service.end('SIGTERM'))
  const { url } = service
  const from = (n: number) => callerAt(url, { 'X-Forwarded-For': `198.51.${n >> 8}.${n & 255}` })
  const ann = await registerSession(service.caller, 'ann')
  const bob = await registerSession(service.caller, 'bob')
  const annHere = callerAt(url, ann.headers)
  await foundSubsite(annHere, 'tea')
  const logIn = (n: number, user: string) => from(n).post('/api/login', { user, passwd: 'correct horse', api_type: 'json' })
  const alone =
    (await timed(async () => {
      for (let n = 0; n < ALONE; n++) t.is((await logIn(n, 'ann')).status, 200)
    })) / ALONE
  const stopVoting = await voting(url, bob, await submit(annHere, 'tea'))
  await sleep(200)

  const began = performance.now()
  const logins = await Promise.all(
    Array.from({ length: CROWD }, async (_, n) => {
      const user = n % 2 === 0 ? 'ann' : `nobody${n}`
      const answer = await logIn(n, user)
      return { user, answer, at: performance.now() - began }
    }),
  )
  const votes = await stopVoting()

  const refused = logins.filter(({ answer }) => answer.status === 503)
  const served = logins.filter(({ answer }) => answer.status === 200)
  t.is(refused.length + served.length, CROWD)
  t.true(served.length > 0)
  for (const { user, answer } of served)
    t.is(answer.at('json.errors.0.0'), user === 'ann' ? undefined : 'INCORRECT_USERNAME_OR_PASSWORD', answer.text)
  for (const { answer } of refused) t.regex(answer.headers.get('retry-after') ?? '', /^\d+$/)
  const slowest = Math.max(...logins.map(({ at }) => at))
  t.true(slowest < slowestLogin(alone), `a login was answered after ${slowest} ms, and one alone after ${alone} ms`)
  const turnedAwayAtOnce = refused.filter(({ at }) => at < AT_ONCE)
  if (FULL) t.true(turnedAwayAtOnce.length >= CROWD - 150, `only ${turnedAwayAtOnce.length} of ${refused.length} were refused at once`)

  t.deepEqual(
    votes.filter(({ status }) => status !== 200),
    [],
  )
  const slowestVote = Math.max(...votes.map(({ took }) => took))
  t.true(slowestVote < slowest / 2, `a vote took ${slowestVote} ms, all logins ${slowest} ms`)
  t.log(
    `${served.length} logins served, ${refused.length} refused, the last after ${Math.round(slowest)} ms;`,
    `${votes.length} votes, the slowest ${Math.round(slowestVote)} ms`,
  )

  const { text } = await service.caller.get('/metrics')
  t.regex(text, /^rostra_password_hashes_waiting 0$/m)
  t.is(/^rostra_password_hashes_refused_total (\d+)$/m.exec(text)?.[1], String(refused.length))
  t.is((await logIn(1, 'ann')).status, 200)
})

const PUPILS = FULL ? 30 : 10
/** The hashes of one address are made one at a time; the rest is waiting that callers were told. Half a minute where a hash takes a quarter of a second. */
const millisecondsFor = (login: number): number => 10_000 + 2.5 * PUPILS * login

test('a class that logs in at once from one address is through in the time of its hashes', async (t) => {
  const service = await startService(temporaryDirectory(t))
  t.teardown(() => service.end('SIGTERM'))
  await registerSession(service.caller, 'ann')
  const logIn = async (n: number): Promise<number> => {
    for (let tries = 1; ; tries++) {
      const answer = await service.caller.post('/api/login', {
        user: n % 3 === 0 ? 'ann' : `pupil${n}`,
        passwd: 'correct horse',
        api_type: 'json',
      })
      if (answer.status === 200) return tries
      t.is(answer.status, 503, answer.text)
      await sleep(Number(answer.headers.get('retry-after')) * 1_000)
    }
  }
  const alone = await timed(async () => {
    for (let n = 0; n < ALONE; n++) await logIn(n)
  })
  const most = millisecondsFor(alone / ALONE)
  let tries: readonly number[] = []
  const took = await timed(async () => {
    tries = await Promise.all(Array.from({ length: PUPILS }, (_, n) => logIn(n)))
  })
  t.log(`${took.toFixed()} ms of ${most.toFixed()}, at most ${Math.max(...tries)} tries`)
  t.true(took < most, `${took} ms`)
})
