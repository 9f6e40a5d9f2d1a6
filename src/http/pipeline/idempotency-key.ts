import { createHash } from 'node:crypto'
import * as E from 'fp-ts/lib/Either.js'
import { CommentId, numberOf, toMintTime } from '../../domain/ids.ts'
import type { Position } from '../../ports/event-store.ts'
import type { Seed } from '../../runtime/command.ts'
import { type Idempotency, MAX_STORED_COMMENT_AGE_MS } from '../../runtime/idempotency.ts'
import { isPutOff } from '../contract/error-responses.ts'
import { type Fields, type OutgoingResponse, type Sources, splitTarget } from '../contract/incoming.ts'
import type { Exchange } from '../contract/request-state.ts'
import { UNDOABLE_FIELD } from '../pages/parts/forms.ts'
import { type Stop, stopWith } from './gates.ts'
import { type EndpointResult, respond } from './write-response.ts'

/** Milliseconds in which a form that is sent again counts as a double click. A later one is another act. */
const DOUBLE_CLICK_MS = 10_000

/** A response as the idempotency record stores it. */
type StoredResponse = Omit<OutgoingResponse, 'body'> & { readonly body: string; readonly written: Position | null }

/** Returns the content of a request: equal for equal requests, whatever their session and the order of their parameters. */
const contentOf = ({ body, query }: Sources): string => {
  const sortFields = (fields: Fields) =>
    Object.entries(fields)
      .filter(([name]) => name !== 'uh' && name !== 'raw_json')
      .sort(([a], [b]) => (a < b ? -1 : 1))
  const file = body.file ? [createHash('sha256').update(body.file).digest('base64url')] : []
  return JSON.stringify([sortFields(body.fields), sortFields(query), ...file])
}

/** Returns the links, comments and messages in a response, by their fullnames. Texts of users are escaped, so they cannot add any. */
const thingsIn = ({ body }: Pick<StoredResponse, 'body'>): readonly string[] => [
  ...new Set(Array.from(body.matchAll(/"name": ?"(t[156]_[0-9a-z]+)"/g), ([, name = '']) => name)),
]

/**
 * Matches members with texts of others: copies of their multis, the address of a link, which is made of its title, the page with which an
 * edit is in conflict, and the subject of the message replied to. The address of a comment is stored, so that a repeated comment gets the
 * same response.
 */
const ofOthers = /"(copied_from|redirect|newcontent|subject)": ?"|"LabeledMultiDescription"/

const isOldComment = (thing: string): boolean => CommentId.is(thing) && toMintTime(numberOf(thing)) < Date.now() - MAX_STORED_COMMENT_AGE_MS

const shownIn = (response: Pick<StoredResponse, 'body'>): readonly string[] => {
  const things = thingsIn(response)
  return ofOthers.test(response.body) || things.some(isOldComment) ? ['of the viewer', 'of others'] : things
}

/**
 * Returns the key of a form that is posted once however often its button is pressed. The form contains the position at which it was made,
 * and any typed text or other file makes another request of it.
 */
export const formKey = ({ fields, file }: Sources['body']): string | undefined => {
  if (fields.form_position === undefined) return undefined
  const content = createHash('sha256').update(JSON.stringify(fields))
  return `form-${(file ? content.update(file) : content).digest('base64url')}`
}

/**
 * Returns the first response to an `Idempotency-Key`, also after a crash and from another process. Refusals are stored, too, except those
 * of forms, and those that ask to wait or show texts of others.
 */
export const answerOnce = async (
  { once }: Idempotency,
  exchange: Exchange,
  key: string,
  sources: Sources,
  work: (seed: Seed) => Promise<EndpointResult>,
): Promise<E.Either<Stop, OutgoingResponse>> => {
  if (!/^[!-~]{1,255}$/.test(key))
    return stopWith({ code: 'BAD_REQUEST', field: null, text: 'an Idempotency-Key is 1 to 255 printable characters' })
  const { identity, incoming } = exchange
  const isForm = incoming.headers['idempotency-key'] === undefined
  const isUndoable = isForm && sources.body.fields[UNDOABLE_FIELD] !== undefined
  const repeatable = {
    account: identity.viewer.account ?? `${identity.viewer.client ?? ''} ${incoming.ip}`,
    route: `${incoming.method} ${splitTarget(incoming.target)?.path}`,
    key,
    body: contentOf(sources),
    ...(isUndoable && { replayMs: DOUBLE_CLICK_MS }),
  }
  // a refusal that asks to wait may have any status; a refused form may be sent again as it was, once the reason is gone
  let mayComeAgain = false
  const perform = async (seed: Seed): Promise<StoredResponse> => {
    const answered = await work(seed)
    mayComeAgain = E.isLeft(answered) && (isForm || isPutOff(answered.left.refusal))
    const { status, headers, body } = respond(exchange, answered)
    return { status, headers, body: String(body ?? ''), written: exchange.written ?? null }
  }
  const standingOf = ({ status }: StoredResponse) => (status >= 500 ? 'unfinished' : mayComeAgain ? 'put-off' : 'final')
  const result = await once(repeatable, perform, standingOf, shownIn)
  if (E.isLeft(result)) return stopWith(result.left)
  const { answer, replayed } = result.right
  exchange.written = answer.written ?? undefined
  const { status, headers, body } = answer
  return E.right({ status, headers: { ...headers, 'Idempotent-Replayed': String(replayed) }, body })
}
