import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../../src/domain/decision.ts'
import { Link } from '../../src/domain/link.ts'
import { removeLink } from '../../src/domain/thing-moderation.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { commandOf, type Seed } from '../../src/runtime/command.ts'
import { forgetAnswers, idempotency } from '../../src/runtime/idempotency.ts'
import { runner } from '../../src/runtime/run.ts'
import { type WriteSide, writeSide } from '../support/commanding.ts'
import { streamOf } from '../support/stream-of.ts'
import { teaSubmitted } from '../support/submitted-link.ts'

const request = { account: 't2_ann', route: 'POST /api/submit', key: 'k', body: 'title=tea' }
const final = ({ status }: { readonly status: number }) => (status >= 500 ? 'unfinished' : status === 429 ? 'put-off' : 'final')

const onceOn = ({ vault, mint }: WriteSide, alone = false) => idempotency({ vault, mint, clock: Date.now, alone }).once

test('a repeated key gets the first response, and the work is done once', async (t) => {
  const once = onceOn(await writeSide(t))
  let done = 0
  const work = async () => ({ status: 200, body: `done ${++done} times` })
  t.deepEqual(await once(request, work, final), E.right({ answer: { status: 200, body: 'done 1 times' }, replayed: false }))
  t.deepEqual(await once(request, work, final), E.right({ answer: { status: 200, body: 'done 1 times' }, replayed: true }))
})

test('a response that shows a thing is deleted with the thing’s text; the same command then makes a new response', async (t) => {
  const side = await writeSide(t)
  const once = onceOn(side)
  const seeds: Seed[] = []
  const work = async (seed: Seed) => {
    seeds.push(seed)
    return { status: 200, body: `answer ${seeds.length}` }
  }
  const again = () => once(request, work, final, () => ['t1_x'])
  t.deepEqual(await again(), E.right({ answer: { status: 200, body: 'answer 1' }, replayed: false }))
  t.deepEqual(await again(), E.right({ answer: { status: 200, body: 'answer 1' }, replayed: true }))
  await forgetAnswers(side.vault)('t1_y')
  t.deepEqual(await again(), E.right({ answer: { status: 200, body: 'answer 1' }, replayed: true }))
  await forgetAnswers(side.vault)('t1_x')
  t.notRegex(JSON.stringify(await side.vault.list('idempotency', 't2_ann')), /answer 1/)
  t.deepEqual(await again(), E.right({ answer: { status: 200, body: 'answer 2' }, replayed: false }))
  t.deepEqual(await again(), E.right({ answer: { status: 200, body: 'answer 2' }, replayed: true }))
  const [first, second] = seeds
  t.like(second, { id: first?.id, at: first?.at, mint: first?.mint, retried: true })
})

test('a response that shows several things is not stored', async (t) => {
  const side = await writeSide(t)
  const once = onceOn(side)
  let done = 0
  const again = () =>
    once(
      request,
      async () => ({ status: 200, n: ++done }),
      final,
      () => ['t1_x', 't1_y'],
    )
  await again()
  t.deepEqual(await again(), E.right({ answer: { status: 200, n: 2 }, replayed: false }))
})

test('another body under the same key is refused; another key, route or account is another request', async (t) => {
  const once = onceOn(await writeSide(t))
  let done = 0
  const work = async () => ({ status: 200, n: ++done })
  await once(request, work, final)
  t.deepEqual(await once({ ...request, body: 'title=coffee' }, work, final), refuse('UNPROCESSABLE'))
  for (const change of [{ key: 'l' }, { route: 'POST /api/comment' }, { account: 't2_bob' }])
    await once({ ...request, ...change }, work, final)
  t.is(done, 4)
})

test('of concurrent requests with one key, also in another process, one works and all get its response', async (t) => {
  const side = await writeSide(t)
  const here = onceOn(side)
  const there = onceOn(side)
  let done = 0
  const work = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return { status: 200, n: ++done }
  }
  const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? here : there)(request, work, final)))
  t.is(done, 1)
  t.true(answers.every((answer) => E.isRight(answer) && answer.right.answer.n === 1))
  t.is(answers.filter((answer) => E.isRight(answer) && !answer.right.replayed).length, 1)
})

test('after a fault or a response that is not final, the next try is the same command', async (t) => {
  const once = onceOn(await writeSide(t))
  const seeds: Seed[] = []
  const failing = async (seed: Seed): Promise<{ status: number }> => {
    seeds.push(seed)
    throw new StoreFault('unavailable', 'later')
  }
  await t.throwsAsync(once(request, failing, final), { message: 'later' })
  const answering = (status: number) => async (seed: Seed) => {
    seeds.push(seed)
    return { status }
  }
  t.like(await once(request, answering(503), final), { right: { answer: { status: 503 }, replayed: false } })
  t.like(await once(request, answering(200), final), { right: { answer: { status: 200 }, replayed: false } })
  t.like(await once(request, answering(500), final), { right: { answer: { status: 200 }, replayed: true } })
  t.is(new Set(seeds.map(({ id, at, mint }) => `${id} ${at} ${mint}`)).size, 1)
  t.deepEqual(
    seeds.map(({ retried }) => retried),
    [false, true, true],
  )
})

test('a response is repeated for as long as it is stored, however late its request was finished', async (t) => {
  const { vault, mint } = await writeSide(t)
  const HOUR = 3_600_000
  let now = Date.now()
  const { once } = idempotency({ vault, mint, clock: () => now, alone: false })
  const send = (status: number) => once(request, async () => ({ status }), final)
  await send(503)
  now += 20 * HOUR
  await send(200)
  now += 20 * HOUR
  t.deepEqual(await send(201), E.right({ answer: { status: 200 }, replayed: true }))
})

test('a response that asks to retry is not stored, and the retry is a new command', async (t) => {
  const once = onceOn(await writeSide(t))
  const seeds: Seed[] = []
  const answering = (status: number) => async (seed: Seed) => {
    seeds.push(seed)
    return { status }
  }
  t.like(await once(request, answering(429), final), { right: { answer: { status: 429 }, replayed: false } })
  t.like(await once(request, answering(200), final), { right: { answer: { status: 200 }, replayed: false } })
  t.like(await once(request, answering(500), final), { right: { answer: { status: 200 }, replayed: true } })
  t.is(new Set(seeds.map(({ id }) => id)).size, 2)
  t.deepEqual(
    seeds.map(({ retried }) => retried),
    [false, false],
  )
})

test('the retry of a request that wrote and was then told to retry is the same command', async (t) => {
  const once = onceOn(await writeSide(t))
  const seeds: Seed[] = []
  const answering = (status: number) => async (seed: Seed) => {
    seeds.push(seed)
    await seed.journal?.noteStart('link-t5_1', 'none')
    return { status }
  }
  await once(request, answering(429), final)
  await once(request, answering(200), final)
  t.is(new Set(seeds.map(({ id }) => id)).size, 1)
  t.true(seeds[1]?.retried)
})

test('a retry finds what a try that died wrote, and nothing is written twice', async (t) => {
  const side = await writeSide(t)
  const { run, by, events } = side
  const submitted = teaSubmitted('t5_1')
  await run(Link, 't5_1', () => E.right([submitted]), by('t2_ann'))
  const remove = async (seed: Seed) => {
    const result = await run(Link, 't5_1', removeLink(true), commandOf(seed, { account: 't2_mod', as: 'moderator' }))
    return E.isRight(result) ? result.right.position : undefined
  }
  const dying = async (seed: Seed): Promise<{ status: number; position: string | undefined }> => {
    await remove(seed)
    throw new Error('killed')
  }
  await t.throwsAsync(onceOn(side)(request, dying, final), { message: 'killed' })
  const head = await events.head()
  await run(Link, 't5_1', removeLink(false), by('t2_other', 'moderator'))
  const again = await onceOn(side)(request, async (seed) => ({ status: 200, position: await remove(seed) }), final)
  t.like(again, { right: { answer: { position: head } } })
  t.is((await streamOf(events, 'link-t5_1', 0)).length, 3)
})

test('a retry reads the log back to the position of the first try only', async (t) => {
  const side = await writeSide(t)
  const { run, by } = side
  const reads: number[] = []
  const seen = {
    read: (stream: string, from: number) => {
      reads.push(from)
      return side.events.read(stream, from)
    },
    readBackwards: side.events.readBackwards,
    append: side.events.append,
    head: side.events.head,
  }
  await run(Link, 't5_1', () => E.right([teaSubmitted('t5_1')]), by('t2_ann'))
  for (let i = 0; i < 20; i++) await run(Link, 't5_1', removeLink(true), by('t2_mod'))
  const retrying = runner({ events: seen, codec: side.log })
  const work = (fails: boolean) => async (seed: Seed) => {
    await retrying.run(Link, 't5_1', removeLink(true), commandOf(seed, { account: 't2_mod', as: 'moderator' }))
    if (fails) throw new Error('killed')
    return { status: 200 }
  }
  await t.throwsAsync(onceOn(side)(request, work(true), final))
  reads.length = 0
  await onceOn(side)(request, work(false), final)
  t.deepEqual(reads, [21])
})

test('a retry waits for an unfinished try only if its process may still be alive', async (t) => {
  const side = await writeSide(t)
  const never = new Promise<{ readonly status: number }>(() => {})
  void onceOn(side)(request, () => never, final)
  const begun = async () => {
    const [record] = await side.vault.list('idempotency', request.account)
    return record !== undefined
  }
  while (!(await begun())) await new Promise((resolve) => setTimeout(resolve, 5))
  const answered = await onceOn(side, true)(request, async ({ retried }) => ({ status: retried ? 200 : 500 }), final)
  t.like(answered, { right: { answer: { status: 200 }, replayed: false } })
})
