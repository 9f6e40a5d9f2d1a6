// Decision 8.

import * as array from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { hasChosen, takeDefaults } from '../../../commands/default-subscriptions.ts'
import { type Decide, noEvents } from '../../../domain/decision.ts'
import { type AccountId, SubsiteId } from '../../../domain/ids.ts'
import { bareSubsite, isReserved } from '../../../domain/names.ts'
import {
  MAX_SUBSCRIPTIONS_PER_ACCOUNT,
  Subscription,
  type SubscriptionEvent,
  subscribe,
  unsubscribe,
} from '../../../domain/subscription.ts'
import { makeReserved } from '../../../limits/reservations.ts'
import type { DocumentStore } from '../../../ports/documents.ts'
import type { Position } from '../../../ports/event-store.ts'
import { countSubscribed, subscriptionsOf } from '../../../queries/subscriptions.ts'
import { defaultSubsites } from '../../../queries/subsites.ts'
import type { CommandResult } from '../../../runtime/run.ts'
import { type Context, type Need, section } from '../../contract/endpoint.ts'
import { addAliases, describeParam, documentRequired, oneOf, rawText, replaceRefusal } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { subsiteCalled } from '../../needs/facts.ts'
import { loadSubsiteAccess, mayView } from '../../things/access.ts'

const MAX_NAMES_PER_REQUEST = 100

type SubscribeParams = { readonly action: 'sub' | 'unsub'; readonly sr: string }

/** Returns the named subsites, by fullname or by name. All must exist and, to subscribe, be viewable. */
const subsitesMeant: Need<readonly SubsiteId[], SubscribeParams> = async (context) => {
  const { action, sr } = context.params
  const words = sr
    .toLowerCase()
    .split(/[\s,]+/)
    .map(bareSubsite)
    .filter((word) => word !== '')
  if (words.length === 0) return refuseRule('NOT_FOUND', 'sr')
  if (words.length > MAX_NAMES_PER_REQUEST) return refuseRule('BAD_REQUEST', 'sr')
  const targets = new Set<SubsiteId>()
  for (const word of words) {
    if (action === 'sub' && isReserved(word)) return refuseRule('FORBIDDEN', 'sr')
    const id = SubsiteId.is(word) ? E.right(word) : await subsiteCalled(context, word, 'sr')
    const place = E.isLeft(id) ? undefined : await loadSubsiteAccess(context, id.right)
    if (!place) return refuseRule('NOT_FOUND', 'sr')
    if (action === 'sub' && !(await mayView(context, place))) return refuseRule('FORBIDDEN')
    targets.add(place.id)
  }
  return E.right([...targets])
}

/** Tells whether the account would be subscribed to too many. `pending` are subscriptions that may not be shown yet. */
const areTooMany = async (documents: DocumentStore, account: AccountId, added: readonly SubsiteId[], pending: readonly SubsiteId[]) => {
  const subscribed = await countSubscribed(documents, account, MAX_SUBSCRIPTIONS_PER_ACCOUNT)
  if (subscribed + pending.length + added.length <= MAX_SUBSCRIPTIONS_PER_ACCOUNT) return false
  const shown = (await subscriptionsOf(documents, account)).map(({ subsite }) => subsite)
  return new Set([...shown, ...pending, ...added]).size > MAX_SUBSCRIPTIONS_PER_ACCOUNT
}

type SubscriptionOutcome = E.Either<Refusal, CommandResult>

const isUnknown = (outcome: SubscriptionOutcome): boolean => E.isLeft(outcome) && outcome.left.code === 'OUTCOME_UNKNOWN'

/** Returns the position of the last one that was recorded. */
const lastOf = (outcomes: readonly SubscriptionOutcome[]): Position | undefined =>
  outcomes
    .flatMap((outcome) => (E.isRight(outcome) ? (outcome.right.position ?? []) : []))
    .toSorted()
    .at(-1)

/** Decides nothing: the subscription exists. A request for it that finds this out later counts as if it had come before. */
const decideNothing: Decide<Subscription, SubscriptionEvent> = () => noEvents

/**
 * Subscribes within the limit. Existing subscriptions stay, and are not counted again. `work` subscribes to the fresh ones: one that ends
 * meanwhile has lost its place.
 */
const subscribeWithin = async (
  context: Context<unknown, SignedIn>,
  subsites: readonly SubsiteId[],
  work: (fresh: ReadonlySet<SubsiteId>) => Promise<readonly SubscriptionOutcome[]>,
): Promise<readonly SubscriptionOutcome[]> => {
  const { documents, load, viewer, command } = context
  const { account } = viewer
  const states = await Promise.all(subsites.map((id) => load(Subscription, `${account}.${id}`)))
  const fresh = subsites.filter((_, n) => !states[n]?.subscribed)
  if (fresh.length === 0) return work(new Set())
  // all of them, since an earlier try may have made some that are not shown yet
  const reservation = { name: `subscriptions.${account}`, items: subsites, by: command.id }
  let outcomes: readonly SubscriptionOutcome[] = []
  const outcome = await makeReserved(
    context,
    reservation,
    async (pending): Promise<E.Either<Refusal, { readonly position: Position | undefined }>> => {
      if (await areTooMany(documents, account, subsites, pending)) return refuseRule('TOO_MANY_SUBSCRIBED')
      outcomes = await work(new Set(fresh))
      return outcomes.some(isUnknown) ? refuseRule('OUTCOME_UNKNOWN') : E.right({ position: lastOf(outcomes) })
    },
  )
  return E.isLeft(outcome) ? [outcome] : outcomes
}

/** Tells whether an account is subscribed. One that never chose counts as subscribed to the defaults. */
const areSubscribed = async (context: Context<unknown, SignedIn>, targets: readonly SubsiteId[], chosen: boolean) => {
  if (!chosen) {
    const defaults = new Set((await defaultSubsites(context)).map(({ id }) => id))
    return targets.every((id) => defaults.has(id))
  }
  const { load, viewer } = context
  const states = await Promise.all(targets.map((id) => load(Subscription, `${viewer.account}.${id}`)))
  return states.every((state) => state?.subscribed ?? false)
}

export const subscribeTo = section('Subsites').post('/api/subscribe', {
  scope: 'subscribe',
  login: 'user',
  whileSuspended: true,
  errors: 'silent',
  summary: 'Subscribe to subsites, or unsubscribe.',
  notes: `An unknown subsite is 404; one that you may not view, or a name such as \`all\` or \`mod\`, is 403; unsubscribing from a subsite that you are not subscribed to is 404. Your first call also subscribes you to the subsites that viewers without subscriptions see. More than ${MAX_SUBSCRIPTIONS_PER_ACCOUNT} subscriptions are 400.`,
  params: {
    action: replaceRefusal(oneOf('sub', 'unsub'), 'BAD_REQUEST'),
    sr: describeParam(documentRequired(addAliases(rawText(), 'sr_name')), 'names or fullnames of subsites, separated by commas'),
  },
  needs: { subsites: subsitesMeant },
  handle: async (context) => {
    const { params, subsites, viewer, command, run } = context
    const { account } = viewer
    const chosen = await hasChosen(context, account)
    // a repeated command may have left them already
    if (params.action === 'unsub' && !command.retried && !(await areSubscribed(context, subsites, chosen)))
      return refuseRule('NOT_FOUND', 'sr')
    const work = async (decide: (id: SubsiteId) => Decide<Subscription, SubscriptionEvent>) => {
      if (!chosen) await takeDefaults(context, account, command)
      return Promise.all(subsites.map((id) => run(Subscription, `${account}.${id}`, decide(id))))
    }
    const outcomes: readonly SubscriptionOutcome[] =
      params.action === 'sub'
        ? await subscribeWithin(context, subsites, (fresh) => work((id) => (fresh.has(id) ? subscribe(account, id) : decideNothing)))
        : await work((id) => unsubscribe(account, id))
    return array.sequence(E.Applicative)([...outcomes])
  },
})
