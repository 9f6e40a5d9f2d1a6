import { array, either as E } from 'fp-ts'
import { defaultSubsites, hasChosen, takeDefaults } from '../../commands/default-subscriptions.ts'
import { refuse } from '../../domain/decision.ts'
import { kindOf, type SubsiteId } from '../../domain/ids.ts'
import { bareSubsite, isReserved } from '../../domain/names.ts'
import { Subscription, subscribe, unsubscribe } from '../../domain/subscription.ts'
import { mayView, placeOf } from '../access.ts'
import { type Context, endpoint, type Need, type SignedIn } from '../endpoint.ts'
import { subsiteCalled } from '../needs.ts'
import { aliased, described, oneOf, raw, refusing } from '../params.ts'

const MOST = 100

type Asked = { readonly action: 'sub' | 'unsub'; readonly sr: string }

/** The subsites named, by fullname or by name, all of which exist and, to subscribe, may be viewed. */
const subsitesMeant: Need<readonly SubsiteId[], Asked> = async (context) => {
  const { action, sr } = context.params
  const words = sr
    .toLowerCase()
    .split(/[\s,]+/)
    .map(bareSubsite)
    .filter((word) => word !== '')
  if (words.length === 0) return refuse('NOT_FOUND')
  if (words.length > MOST) return refuse('BAD_REQUEST')
  const targets = new Set<SubsiteId>()
  for (const word of words) {
    if (action === 'sub' && isReserved(word)) return refuse('FORBIDDEN')
    const id = kindOf(word) === 'subsite' ? E.right(word) : await subsiteCalled(context, word, 'sr')
    const place = E.isLeft(id) ? undefined : await placeOf(context, id.right)
    if (!place) return refuse('NOT_FOUND')
    if (action === 'sub' && !(await mayView(context, place))) return refuse('FORBIDDEN')
    targets.add(place.id)
  }
  return E.right([...targets])
}

/** Who never chose is as good as subscribed to the defaults. */
const areSubscribed = async (context: Context<unknown, SignedIn>, targets: readonly SubsiteId[], chosen: boolean) => {
  if (!chosen) {
    const defaults = new Set((await defaultSubsites(context)).map(({ id }) => id))
    return targets.every((id) => defaults.has(id))
  }
  const { load, viewer } = context
  const states = await Promise.all(targets.map((id) => load(Subscription, `${viewer.account}.${id}`)))
  return states.every((state) => state?.subscribed ?? false)
}

export const subscribeTo = endpoint({
  method: 'POST',
  path: '/api/subscribe',
  scope: 'subscribe',
  login: 'user',
  errors: 'silent',
  section: 'Subsites',
  summary: 'Subscribe to subsites, or leave them.',
  notes:
    'An unknown subsite is 404, one that may not be viewed and what is none (`all`, `mod`) 403, leaving one you are not subscribed to 404. The first time, you are subscribed to everything that people without subscriptions see.',
  params: {
    action: refusing(oneOf('sub', 'unsub'), 'BAD_REQUEST'),
    sr: described(aliased(raw(), 'sr_name'), 'names or fullnames of subsites, separated by commas'),
  },
  needs: { subsites: subsitesMeant },
  handle: async (context) => {
    const { params, subsites, viewer, command, run } = context
    const { account } = viewer
    const chosen = await hasChosen(context, account)
    // a repeated command may have left them already
    if (params.action === 'unsub' && !command.retried && !(await areSubscribed(context, subsites, chosen))) return refuse('NOT_FOUND')
    if (!chosen) await takeDefaults(context, account, command)
    const decide = params.action === 'sub' ? subscribe : unsubscribe
    const outcomes = await Promise.all(subsites.map((id) => run(Subscription, `${account}.${id}`, decide(account, id))))
    return array.sequence(E.Applicative)(outcomes)
  },
})
