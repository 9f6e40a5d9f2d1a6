import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { accounts } from '../../projections/accounts.ts'
import { karma, karmaId } from '../../projections/karma.ts'
import type { AccountId } from '../domain/ids.ts'
import type { Refusal } from '../domain/refusal.ts'
import { isModerator, type Standing } from '../domain/standing.ts'
import { MINUTE } from '../domain/time.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import type { Vault } from '../ports/vault.ts'
import type { Command } from '../runtime/command.ts'
import { queues } from '../runtime/queues.ts'

type What = 'submit' | 'comment'
/** Creating subsites has a waiting time for everybody except admins, whatever their karma. */
type Waiting = What | 'found'

/** Milliseconds that a newcomer waits between two successes of one kind, counted by account and by address. */
const WAIT_MS = 10 * MINUTE
/** Shorter waits are not worth a refusal. */
const IGNORED_MS = 3000
/** Karma in the subsite from which there is no waiting time. */
const enough: Readonly<Record<What, number>> = { submit: 10, comment: 1 }

type PostingContext = {
  readonly viewer: { readonly account: AccountId | undefined; readonly admin: boolean }
  readonly ip: string
  readonly documents: DocumentStore
  readonly vault: Vault
  readonly clock: () => number
  readonly config: { readonly rateLimits: boolean }
  readonly command: Pick<Command, 'id'>
}
type Place = { readonly subsite: string; readonly standing: Standing }

const namesOf = (what: Waiting, { viewer, ip }: PostingContext): readonly string[] => [
  `${what}.account.${viewer.account}`,
  `${what}.address.${ip}`,
]

/** Karma of the kind in the subsite; if it is zero but positive elsewhere, 1. */
const karmaIn = async ({ documents }: PostingContext, account: string, subsite: string, what: What): Promise<number> => {
  const [local, total] = await Promise.all([getOne(documents, karma, karmaId(account, subsite)), getOne(documents, accounts, account)])
  const of = (link: number, comment: number) => (what === 'submit' ? link : comment)
  const held = local ? of(local.link, local.comment) : 0
  return held !== 0 || !total ? held : Math.min(1, of(total.linkKarma, total.commentKarma))
}

/** Whether the wait between posts applies to the viewer in a subsite. */
const isLimited = async (context: PostingContext, { subsite, standing }: Place, what: What): Promise<boolean> => {
  const { viewer, config } = context
  if (!config.rateLimits || viewer.account === undefined) return false
  if (standing.admin || standing.contributor || isModerator(standing)) return false
  return (await karmaIn(context, viewer.account, subsite, what)) < enough[what]
}

const inWords = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  const [count, unit] = seconds < 60 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']
  return `you are doing that too much. try again in ${count} ${unit}${count === 1 ? '' : 's'}.`
}

/** Its text names the remaining time, which clients parse. */
const refusalFor = (left: number): Refusal => ({
  code: 'RATELIMIT',
  field: 'ratelimit',
  text: inWords(left),
  extra: { ratelimit: left / 1000 },
})

const endWait = async (context: PostingContext, what: Waiting): Promise<void> => {
  await Promise.all(namesOf(what, context).map((name) => context.vault.delete('limit', name)))
}

/**
 * Begins the waiting time before the work, which ends it if it fails; the refusal if it runs already. Of several processes that begin it at once
 * one succeeds, since each writes only over what it has read.
 */
const beginWait = async (context: PostingContext, what: Waiting): Promise<Refusal | undefined> => {
  const { vault, clock, command } = context
  const names = namesOf(what, context)
  const records = await vault.getMany('limit', names)
  // an earlier try of the same command may have begun it
  const others = [...records.values()].filter(({ value }) => value !== command.id)
  const left = Math.max(0, ...others.map(({ expires = 0 }) => expires - clock()))
  if (left >= IGNORED_MS) return refusalFor(left)
  const begun: string[] = []
  for (const name of names) {
    const isFirst = await vault.putIf('limit', name, records.get(name)?.version ?? 0, { value: command.id, expires: clock() + WAIT_MS })
    if (isFirst) begun.push(name)
    else {
      await Promise.all(begun.map((one) => vault.delete('limit', one)))
      return refusalFor(WAIT_MS)
    }
  }
  return undefined
}

const ofOne = queues()

/** In turn with all that waits together with the viewer: of simultaneous requests, one that fails leaves its turn to the next. */
const inTurn = <T>(names: readonly string[], work: () => Promise<T>): Promise<T> =>
  names.reduceRight<() => Promise<T>>((next, name) => () => ofOne(name, next), work)()

const isUnknown = (refused: unknown): boolean =>
  typeof refused === 'object' && refused !== null && 'code' in refused && refused.code === 'OUTCOME_UNKNOWN'

const inTime = <Refused, T>(
  context: PostingContext,
  limited: boolean,
  what: Waiting,
  work: (wait: () => Promise<Refusal | undefined>) => Promise<Either<Refused, T>>,
): Promise<Either<Refused | Refusal, T>> => {
  if (!limited) return work(async () => undefined)
  return inTurn(namesOf(what, context), async () => {
    let isBegun = false
    const done = await work(async () => {
      const refused = await beginWait(context, what)
      isBegun = refused === undefined
      return refused
    }).catch(async (fault) => {
      if (isBegun) await endWait(context, what)
      throw fault
    })
    if (isBegun && E.isLeft(done) && !isUnknown(done.left)) await endWait(context, what)
    return done
  })
}

/** Runs work with a waiting time, which begins where the work asks for it; the work returns the refusal when it is due. */
export const postInTime = async <Refused, T>(
  context: PostingContext,
  place: Place,
  what: What,
  work: Parameters<typeof inTime<Refused, T>>[3],
): Promise<Either<Refused | Refusal, T>> => inTime(context, await isLimited(context, place, what), what, work)

/** The same for creating subsites. */
export const foundInTime = <Refused, T>(
  context: PostingContext,
  work: Parameters<typeof inTime<Refused, T>>[3],
): Promise<Either<Refused | Refusal, T>> => inTime(context, context.config.rateLimits && !context.viewer.admin, 'found', work)
