import { array, either as E } from 'fp-ts'
import { hasChosen, takeDefaults } from '../../../commands/default-subscriptions.ts'
import { SubsiteId } from '../../../domain/ids.ts'
import { bareSubsite, isReserved } from '../../../domain/names.ts'
import { MOST_SUBSCRIBED, Subscription, subscribe, unsubscribe } from '../../../domain/subscription.ts'
import { countSubscribed } from '../../../queries/subscriptions.ts'
import { defaultSubsites } from '../../../queries/subsites.ts'
import { mayView, placeOf } from '../../access.ts'
import { type Context, type Need, section } from '../../endpoint.ts'
import { subsiteCalled } from '../../needs.ts'
import { aliased, described, oneOf, raw, refusing, required } from '../../params.ts'
import { refuse } from '../../refusals.ts'
import type { SignedIn } from '../../request.ts'

const MOST = 100

type Asked = { readonly action: 'sub' | 'unsub'; readonly sr: string }

/** The subsites named, by fullname or by name; all must exist and, to subscribe, be viewable. */
const subsitesMeant: Need<readonly SubsiteId[], Asked> = async (context) => {
  const { action, sr } = context.params
  const words = sr
    .toLowerCase()
    .split(/[\s,]+/)
    .map(bareSubsite)
    .filter((word) => word !== '')
  if (words.length === 0) return refuse('NOT_FOUND', 'sr')
  if (words.length > MOST) return refuse('BAD_REQUEST', 'sr')
  const targets = new Set<SubsiteId>()
  for (const word of words) {
    if (action === 'sub' && isReserved(word)) return refuse('FORBIDDEN', 'sr')
    const id = SubsiteId.is(word) ? E.right(word) : await subsiteCalled(context, word, 'sr')
    const place = E.isLeft(id) ? undefined : await placeOf(context, id.right)
    if (!place) return refuse('NOT_FOUND', 'sr')
    if (action === 'sub' && !(await mayView(context, place))) return refuse('FORBIDDEN')
    targets.add(place.id)
  }
  return E.right([...targets])
}

/** Whether the account would be subscribed to more than it may be; what it is subscribed to already stays so. */
const areTooMany = async ({ documents, load, viewer }: Context<unknown, SignedIn>, targets: readonly SubsiteId[]) => {
  const held = await countSubscribed(documents, viewer.account, MOST_SUBSCRIBED)
  if (held + targets.length <= MOST_SUBSCRIBED) return false
  const states = await Promise.all(targets.map((id) => load(Subscription, `${viewer.account}.${id}`)))
  return held + states.filter((state) => !state?.subscribed).length > MOST_SUBSCRIBED
}

/** An account that never chose counts as subscribed to the defaults. */
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
  notes: `An unknown subsite is 404; one that you may not view, or a name such as \`all\` or \`mod\`, is 403; unsubscribing from a subsite that you are not subscribed to is 404. Your first call also subscribes you to the subsites that viewers without subscriptions see. More than ${MOST_SUBSCRIBED} subscriptions are 400.`,
  params: {
    action: refusing(oneOf('sub', 'unsub'), 'BAD_REQUEST'),
    sr: described(required(aliased(raw(), 'sr_name')), 'names or fullnames of subsites, separated by commas'),
  },
  needs: { subsites: subsitesMeant },
  handle: async (context) => {
    const { params, subsites, viewer, command, run } = context
    const { account } = viewer
    const chosen = await hasChosen(context, account)
    // a repeated command may have left them already
    if (params.action === 'unsub' && !command.retried && !(await areSubscribed(context, subsites, chosen))) return refuse('NOT_FOUND', 'sr')
    if (params.action === 'sub' && !command.retried && (await areTooMany(context, subsites))) return refuse('TOO_MANY_SUBSCRIBED')
    if (!chosen) await takeDefaults(context, account, command)
    const decide = params.action === 'sub' ? subscribe : unsubscribe
    const outcomes = await Promise.all(subsites.map((id) => run(Subscription, `${account}.${id}`, decide(account, id))))
    return array.sequence(E.Applicative)(outcomes)
  },
})
