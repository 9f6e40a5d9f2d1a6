import type { Either } from 'fp-ts/lib/Either.js'
import type { AccountId } from '../domain/ids.ts'
import { isModerator, type Standing } from '../domain/standing.ts'
import { MINUTE } from '../domain/time.ts'
import { queues } from '../ports/queues.ts'
import { type BeginningWork, beginWait, type WaitParts } from './begun-wait.ts'

type PostingKind = 'submit' | 'comment'

/** The time that a newcomer waits between two successes of one kind, counted by account and by address. */
export const POSTING_WAIT_MS = 10 * MINUTE
/** Shorter waits are not worth a refusal. */
const IGNORED_WAIT_MS = 3000
/** The karma in the subsite from which there is no waiting time. */
export const ENOUGH_KARMA: Readonly<Record<PostingKind, number>> = { submit: 10, comment: 1 }

type PostingContext = WaitParts & {
  readonly viewer: { readonly account: AccountId; readonly admin: boolean }
  readonly ip: string
  readonly config: { readonly rateLimits: boolean }
}
/** `karma` returns the author's karma in the subsite, of the kind that counts there. */
type PostingPlace = { readonly standing: Standing; readonly karma: () => Promise<number> }

/** Tells whether the wait between posts applies to the viewer in a subsite. */
const isLimited = async ({ config }: PostingContext, { standing, karma }: PostingPlace, kind: PostingKind): Promise<boolean> => {
  if (!config.rateLimits || standing.admin || standing.contributor || isModerator(standing)) return false
  return (await karma()) < ENOUGH_KARMA[kind]
}

const ofOne = queues()

/**
 * Runs work in turn with everything that shares the viewer's wait. Of simultaneous requests, one that fails leaves its turn to the next.
 */
const inTurn = <T>(names: readonly string[], work: () => Promise<T>): Promise<T> =>
  names.reduceRight<() => Promise<T>>((next, name) => () => ofOne(name, next), work)()

const inTime = <Refused, Made>(
  context: PostingContext,
  limited: boolean,
  kind: PostingKind | 'found',
  work: BeginningWork<Refused, Made>,
): Promise<Either<Refused, Made>> => {
  if (!limited) return work(async () => undefined)
  const names = [`${kind}.account.${context.viewer.account}`, `${kind}.address.${context.ip}`]
  return inTurn(names, () => beginWait(context, { names, wait: POSTING_WAIT_MS, ignored: IGNORED_WAIT_MS }, work))
}

/** Runs work with a waiting time, which begins when the work calls `begin`. The work returns the refusal that this may give. */
export const postInTime = async <Refused, Made>(
  context: PostingContext,
  place: PostingPlace,
  kind: PostingKind,
  work: BeginningWork<Refused, Made>,
): Promise<Either<Refused, Made>> => inTime(context, await isLimited(context, place, kind), kind, work)

/** Runs the creation of a subsite, which has a waiting time for everybody except admins, whatever their karma. */
export const foundInTime = <Refused, Made>(context: PostingContext, work: BeginningWork<Refused, Made>): Promise<Either<Refused, Made>> =>
  inTime(context, context.config.rateLimits && !context.viewer.admin, 'found', work)
