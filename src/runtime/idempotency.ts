import { createHash, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import { refuse } from '../domain/decision.ts'
import type { Refusal } from '../domain/refusal.ts'
import { DAY, HOUR } from '../domain/time.ts'
import type { ExpectedRevision } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { queues } from '../ports/queues.ts'
import type { Vault } from '../ports/vault.ts'
import { type Seed, seedOf } from './command.ts'

/** The time for which responses are stored. */
export const RESPONSE_STORAGE_MS = DAY
/**
 * The age of the oldest comments whose responses are stored. The address of a comment contains the words of its link's title, so these
 * responses are deleted with the link's text. They must be found among the newest comments on it.
 */
export const MAX_STORED_COMMENT_AGE_MS = HOUR
/** The interval in which a process that handles a request renews its record. After SILENCE_MS without renewal another may take over. */
const RENEWAL_INTERVAL_MS = 2_000
const SILENCE_MS = 6_000
const FIRST_ATTEMPT_WAIT_MS = 10_000

/** The identity of a repeated request. `body` is a digest or canonical form of all its parameters. */
export type Repeatable = {
  readonly account: string
  readonly route: string
  readonly key: string
  readonly body: string
  /** The time for which its response is repeated; absent: as long as it is stored. After it the request is another one. */
  readonly replayMs?: number
}

type Begun = {
  readonly body: string
  readonly command: { readonly id: string; readonly at: number; readonly mint: number }
  /** Maps each stream to its revision before the first try on it. */
  readonly starts: Readonly<Record<string, ExpectedRevision>>
  /** The attempt that handles it. */
  readonly holder: string
  /** The time until which the holder is assumed to be alive. */
  readonly busyUntil: number
  readonly answer?: unknown
  /** True if the response contains user text. It is in a separate record then, which is deleted with the text. */
  readonly isApart?: boolean
  /** True if nothing was done and the client was asked to retry later. The retry is a new command with its own time. */
  readonly putOff?: boolean
}

/** Returns the id of a response's separate record. It belongs to the thing whose text the response contains. */
const apartId = (id: string): string => `${id}.answer`

/** Deletes the stored responses that contain the text of a thing that its author deleted. Repeated requests are executed again. */
export const forgetAnswers =
  (vault: Pick<Vault, 'deleteAll'>) =>
  (thing: string): Promise<void> =>
    vault.deleteAll('idempotency', thing)

/** Tells whether a response is final, not final, or asks the client to retry later. */
export type ResponseStanding = 'final' | 'unfinished' | 'put-off'

export type Idempotency = {
  /**
   * Does the work once per key and day, or per key and `replayMs`, in all processes. Repetitions get the first final response. After an unfinished request, or a
   * thrown fault, the next repetition finishes the same command. Another body under the same key is `UNPROCESSABLE`. `shownIn` lists the
   * things whose text a response contains. A response with the text of one thing is deleted with that text; with texts of several, it is
   * not stored. Then a repetition runs the same command, changes nothing, and answers from the present state.
   */
  readonly once: <Answer>(
    request: Repeatable,
    work: (seed: Seed) => Promise<Answer>,
    standingOf: (answer: Answer) => ResponseStanding,
    shownIn?: (answer: Answer) => readonly string[],
  ) => Promise<E.Either<Refusal, { readonly answer: Answer; readonly replayed: boolean }>>
}

type RepeatableRequest<Answer> = {
  readonly work: (seed: Seed) => Promise<Answer>
  readonly standingOf: (answer: Answer) => ResponseStanding
  readonly shownIn?: (answer: Answer) => readonly string[]
}

type Ports = {
  readonly vault: Vault
  readonly mint: () => number
  readonly clock: () => number
  /**
   * True if no other process uses this vault. A request that another process began was interrupted when that one ended, and need not be
   * waited for.
   */
  readonly alone: boolean
}

const recordId = ({ account, route, key }: Repeatable) =>
  createHash('sha256')
    .update(JSON.stringify([account, route, key]))
    .digest('hex')

const digest = (body: string) => createHash('sha256').update(body).digest('base64url')

export const idempotency = ({ vault, mint, clock, alone }: Ports): Idempotency => {
  /**
   * Returns a function that changes a record for as long as it is ours, one change after the other. It returns false once another attempt
   * has taken the record over.
   */
  const keeper = (id: string, owner: string, holder: string) => {
    const write = async (change: (begun: Begun) => Partial<Begun>): Promise<boolean> => {
      const record = await vault.get('idempotency', id)
      const begun = record?.value as Begun | undefined
      if (!record || begun?.holder !== holder) return false
      const value: Begun = { ...begun, ...change(begun) }
      return vault.putIf('idempotency', id, record.version, { value, owner, expires: clock() + RESPONSE_STORAGE_MS })
    }
    const inTurn = queues()
    return (change: (begun: Begun) => Partial<Begun>) => inTurn('', () => write(change))
  }

  /** Decides how a final response is kept: with the request's record, or apart with the thing whose text it holds. */
  const keepResponse = async (id: string, answer: unknown, shown: readonly string[]): Promise<Partial<Begun>> => {
    const [thing, ...others] = shown
    if (thing === undefined) return { answer }
    if (others.length > 0) return {}
    await vault.put('idempotency', apartId(id), { value: answer, owner: thing, expires: clock() + RESPONSE_STORAGE_MS })
    return { isApart: true }
  }

  /** Does the work under a record that is ours, and stores its progress. */
  const perform = async <Answer>(
    id: string,
    keep: ReturnType<typeof keeper>,
    begun: Begun,
    firstTry: boolean,
    { work, standingOf, shownIn = () => [] }: RepeatableRequest<Answer>,
  ) => {
    const noteStart = async (stream: string, revision: ExpectedRevision) => {
      const noted = await keep(({ starts }) => ({ starts: { [stream]: revision, ...starts }, busyUntil: clock() + SILENCE_MS }))
      if (!noted) throw new StoreFault('unavailable', 'another process is handling this request')
    }
    // ignores a heartbeat that cannot be written: the response, or its fault, is reported
    const alive = setInterval(() => keep(() => ({ busyUntil: clock() + SILENCE_MS })).catch(() => false), RENEWAL_INTERVAL_MS).unref()
    try {
      const isStarted = Object.keys(begun.starts).length > 0
      const journal = { isStarted, startedAt: (stream: string) => begun.starts[stream], noteStart }
      const answer = await work({ ...begun.command, retried: !firstTry, journal })
      const standing = standingOf(answer)
      const storedResponse = standing === 'final' ? await keepResponse(id, answer, shownIn(answer)) : {}
      await keep(({ starts }) => ({
        busyUntil: 0,
        ...storedResponse,
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

  const tryOnce = async <Answer>(request: Repeatable, id: string, work: RepeatableRequest<Answer>) => {
    const record = await vault.get('idempotency', id)
    const known = record?.value as Begun | undefined
    const body = digest(request.body)
    if (known && known.body !== body) return refuse('UNPROCESSABLE')
    const answer = known?.isApart ? (await vault.get('idempotency', apartId(id)))?.value : known?.answer
    const { replayMs = Number.POSITIVE_INFINITY } = request
    const isOver = known !== undefined && known.busyUntil <= clock() && known.command.at + replayMs < clock()
    if (answer !== undefined && !isOver) return E.right({ answer: answer as Answer, replayed: true })
    if (known && known.busyUntil > clock() && !alone) return 'busy'
    const before = known?.putOff || isOver ? undefined : known
    const { id: commandId, at, mint: minted } = before?.command ?? seedOf(mint())
    const command = { id: commandId, at, mint: minted }
    const holder = randomUUID()
    const begun: Begun = { body, command, starts: before?.starts ?? {}, holder, busyUntil: clock() + SILENCE_MS }
    const { account: owner } = request
    const ours = await vault.putIf('idempotency', id, record?.version ?? 0, { value: begun, owner, expires: clock() + RESPONSE_STORAGE_MS })
    if (!ours) return 'busy'
    return E.right({ answer: await perform(id, keeper(id, owner, holder), begun, before === undefined, work), replayed: false })
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
