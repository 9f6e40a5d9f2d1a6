import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { Refusal } from '../domain/refusal.ts'
import type { Position } from '../ports/event-store.ts'
import type { Seed } from '../runtime/command.ts'
import type { Idempotency } from '../runtime/idempotency.ts'
import type { Exchange } from './exchange.ts'
import { type Fields, type Outgoing, splitTarget } from './incoming.ts'
import type { Sources } from './raw-params.ts'

/** An answer as an idempotency record keeps it. */
type Kept = Omit<Outgoing, 'body'> & { readonly body: string; readonly written: Position | null }

/** What a request asks for, whatever session it comes from and however its parameters are ordered. */
const contentOf = ({ body, query }: Sources): string => {
  const sorted = (fields: Fields) =>
    Object.entries(fields)
      .filter(([name]) => name !== 'uh' && name !== 'raw_json')
      .sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([sorted(body.fields), sorted(query)])
}

/** The links, comments and messages that an answer shows, by the names they have in it; what users wrote is escaped and names none. */
const shownIn = ({ body }: Pick<Kept, 'body'>): readonly string[] => [
  ...new Set(Array.from(body.matchAll(/"name": ?"(t[156]_[0-9a-z]+)"/g), ([, name = '']) => name)),
]

/** What was done for a request, for once. */
export type Done = {
  readonly outgoing: Outgoing
  /** Refused for now, whatever the status says: the same request may come again. */
  readonly isPutOff: boolean
}

/**
 * The first answer to an `Idempotency-Key`, also after a crash and from another process. Refusals are answers too, except those that ask
 * to wait.
 */
export const answerOnce = async (
  { once }: Idempotency,
  exchange: Exchange,
  key: string,
  sources: Sources,
  work: (seed: Seed) => Promise<Done>,
): Promise<Either<Refusal, Outgoing>> => {
  if (!/^[!-~]{1,255}$/.test(key))
    return E.left({ code: 'BAD_REQUEST', field: null, text: 'an Idempotency-Key is 1 to 255 printable characters' })
  const { identity, incoming } = exchange
  const asked = {
    account: identity.viewer.account ?? `${identity.viewer.client ?? ''} ${incoming.ip}`,
    route: `${incoming.method} ${splitTarget(incoming.target)?.path}`,
    key,
    body: contentOf(sources),
  }
  let isPutOff = false
  const perform = async (seed: Seed): Promise<Kept> => {
    const done = await work(seed)
    isPutOff = done.isPutOff
    const { status, headers, body } = done.outgoing
    return { status, headers, body: String(body ?? ''), written: exchange.written ?? null }
  }
  const standingOf = ({ status }: Kept) => (status >= 500 ? 'unfinished' : isPutOff ? 'put-off' : 'final')
  const result = await once(asked, perform, standingOf, shownIn)
  if (E.isLeft(result)) return result
  const { answer, replayed } = result.right
  exchange.written = answer.written ?? undefined
  const { status, headers, body } = answer
  return E.right({ status, headers: { ...headers, 'Idempotent-Replayed': String(replayed) }, body })
}
