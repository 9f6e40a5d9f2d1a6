import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { refuse } from '../domain/decision.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Expected } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Vault } from '../ports/vault.ts'
import { type Seed, seedOf } from './command.ts'
import { queues } from './queues.ts'

const KEPT = 24 * 60 * 60 * 1000
/** A process that handles a request renews its record this often; after SILENCE without renewal another may take over. */
const SIGN_OF_LIFE = 2_000
const SILENCE = 6_000
const FIRST_ATTEMPT_WAIT_MS = 10_000

/** What a client repeats when it repeats a request. `body` is a digest or canonical form of everything the request asks for. */
export type Repeatable = { readonly account: string; readonly route: string; readonly key: string; readonly body: string }

type Begun = {
  readonly body: string
  readonly command: { readonly id: string; readonly at: number; readonly mint: number }
  /** Stream → revision before the first try on it. */
  readonly starts: Readonly<Record<string, Expected>>
  /** The attempt that handles it. */
  readonly holder: string
  /** Until when the holder is taken to be alive. */
  readonly busyUntil: number
  readonly answer?: unknown
  /** The answer contains user text: it is in a separate record, which is deleted with the text. */
  readonly isApart?: boolean
  /** Nothing was done, and it was said to come back later: what comes then is a command of its own time. */
  readonly putOff?: boolean
}

/** The record of an answer that is kept apart: it belongs to the thing whose text is in it. */
const apartId = (id: string): string => `${id}.answer`

/** Forget the answers that hold the text of a thing, which its author deleted. Repeated requests are executed again. */
export const forgetAnswers =
  (vault: Pick<Vault, 'deleteAll'>) =>
  (thing: string): Promise<void> =>
    vault.deleteAll('idempotency', thing)

/** What an answer settles: everything, nothing yet, or that the client has to retry later. */
export type Standing = 'final' | 'unfinished' | 'put-off'

export type Idempotency = {
  /**
   * Do the work once, whoever asks again within a day and wherever: repetitions get the first final answer. An unfinished one, or a
   * thrown fault, leaves the next repetition to finish the same command. Another body under the same key is `UNPROCESSABLE`.
   * `shownIn`: the things whose text an answer holds. It is forgotten with the text of one; of several it is not kept at all. Then a
   * repetition of the same command does nothing anew, and answers what there is.
   */
  readonly once: <Answer>(
    request: Repeatable,
    work: (seed: Seed) => Promise<Answer>,
    standingOf: (answer: Answer) => Standing,
    shownIn?: (answer: Answer) => readonly string[],
  ) => Promise<Either<Refusal, { readonly answer: Answer; readonly replayed: boolean }>>
}

type Asked<Answer> = {
  readonly work: (seed: Seed) => Promise<Answer>
  readonly standingOf: (answer: Answer) => Standing
  readonly shownIn?: (answer: Answer) => readonly string[]
}

type Ports = {
  readonly vault: Vault
  readonly mint: () => number
  readonly clock: () => number
  /** No other process works on this vault: what another began, it left behind when it ended, and it need not be waited for. */
  readonly alone: boolean
}

const recordId = ({ account, route, key }: Repeatable) =>
  createHash('sha256')
    .update(JSON.stringify([account, route, key]))
    .digest('hex')

const digest = (body: string) => createHash('sha256').update(body).digest('base64url')

export const idempotency = ({ vault, mint, clock, alone }: Ports): Idempotency => {
  /** Changes of a record for as long as it is ours, one after the other; false once another attempt has taken it over. */
  const keeper = (id: string, owner: string, holder: string) => {
    const write = async (change: (begun: Begun) => Partial<Begun>): Promise<boolean> => {
      const record = await vault.get('idempotency', id)
      const begun = record?.value as Begun | undefined
      if (!record || begun?.holder !== holder) return false
      const value: Begun = { ...begun, ...change(begun) }
      return vault.putIf('idempotency', id, record.version, { value, owner, expires: clock() + KEPT })
    }
    const inTurn = queues()
    return (change: (begun: Begun) => Partial<Begun>) => inTurn('', () => write(change))
  }

  /** How a final answer is kept: with the request's record, or apart with the thing whose text it holds. */
  const keeping = async (id: string, answer: unknown, shown: readonly string[]): Promise<Partial<Begun>> => {
    const [thing, ...others] = shown
    if (thing === undefined) return { answer }
    if (others.length > 0) return {}
    await vault.put('idempotency', apartId(id), { value: answer, owner: thing, expires: clock() + KEPT })
    return { isApart: true }
  }

  /** Work under a record that is ours, and write down how far it came. */
  const perform = async <Answer>(
    id: string,
    keep: ReturnType<typeof keeper>,
    begun: Begun,
    firstTry: boolean,
    { work, standingOf, shownIn = () => [] }: Asked<Answer>,
  ) => {
    const noteStart = async (stream: string, revision: Expected) => {
      const noted = await keep(({ starts }) => ({ starts: { [stream]: revision, ...starts }, busyUntil: clock() + SILENCE }))
      if (!noted) throw new StoreFault('unavailable', 'another process is handling this request')
    }
    // a heartbeat that cannot be written is only missing: the answer, or the fault, is what counts
    const alive = setInterval(() => keep(() => ({ busyUntil: clock() + SILENCE })).catch(() => false), SIGN_OF_LIFE).unref()
    try {
      const journal = { startedAt: (stream: string) => begun.starts[stream], noteStart }
      const answer = await work({ ...begun.command, retried: !firstTry, journal })
      const standing = standingOf(answer)
      const kept = standing === 'final' ? await keeping(id, answer, shownIn(answer)) : {}
      await keep(({ starts }) => ({
        busyUntil: 0,
        ...kept,
        ...(standing === 'put-off' && Object.keys(starts).length === 0 && { putOff: true }),
      }))
      return answer
    } catch (fault) {
      await keep(() => ({ busyUntil: 0 })).catch(() => false)
      throw fault
    } finally {
      clearInterval(alive)
    }
  }

  const tryOnce = async <Answer>(request: Repeatable, id: string, asked: Asked<Answer>) => {
    const record = await vault.get('idempotency', id)
    const known = record?.value as Begun | undefined
    const body = digest(request.body)
    if (known && known.body !== body) return refuse('UNPROCESSABLE')
    const answer = known?.isApart ? (await vault.get('idempotency', apartId(id)))?.value : known?.answer
    if (answer !== undefined) return E.right({ answer: answer as Answer, replayed: true })
    if (known && known.busyUntil > clock() && !alone) return 'busy'
    const before = known?.putOff ? undefined : known
    const { id: commandId, at, mint: minted } = before?.command ?? seedOf(mint())
    const command = { id: commandId, at, mint: minted }
    const holder = randomUUID()
    const begun: Begun = { body, command, starts: before?.starts ?? {}, holder, busyUntil: clock() + SILENCE }
    const { account: owner } = request
    const ours = await vault.putIf('idempotency', id, record?.version ?? 0, { value: begun, owner, expires: clock() + KEPT })
    if (!ours) return 'busy'
    return E.right({ answer: await perform(id, keeper(id, owner, holder), begun, before === undefined, asked), replayed: false })
  }

  const inTurn = queues()
  return {
    once: (request, work, standingOf, shownIn) => {
      const id = recordId(request)
      const deadline = performance.now() + FIRST_ATTEMPT_WAIT_MS
      return inTurn(id, async () => {
        while (performance.now() < deadline) {
          const result = await tryOnce(request, id, { work, standingOf, ...(shownIn && { shownIn }) })
          if (result !== 'busy') return result
          await sleep(25 + Math.random() * 50)
        }
        return refuse('OUTCOME_UNKNOWN')
      })
    },
  }
}
