import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import type { Command } from '../../commands/command.ts'
import { defaultSubsites, hasChosen, takeDefaults } from '../../commands/default-subscriptions.ts'
import { refuse } from '../../domain/decision.ts'
import { type AccountId, kindOf, type SubsiteId } from '../../domain/ids.ts'
import { bareSubsite, claimOf, isReserved, mayBeSubsiteName } from '../../domain/names.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { Subscription, subscribe, unsubscribe } from '../../domain/subscription.ts'
import { SubsiteName } from '../../domain/subsite.ts'
import { mayView, placeOf } from '../access.ts'
import { endpoint, type Viewer } from '../endpoint.ts'
import { aliased, described, oneOf, raw, refusing } from '../params.ts'

const MOST = 100

/** A subsite by its fullname or its name. */
const resolve = async ({ load }: App, word: string, command: Command): Promise<SubsiteId | undefined> => {
  if (kindOf(word) === 'subsite') return word
  return mayBeSubsiteName(word) ? (await load(SubsiteName, claimOf(word), command))?.subsite : undefined
}

/** The subsites named, all of which exist and, to subscribe, may be viewed. */
const targetsOf = async (
  app: App,
  viewer: Viewer,
  names: string,
  action: 'sub' | 'unsub',
  command: Command,
): Promise<Either<Refusal, readonly SubsiteId[]>> => {
  const words = names
    .toLowerCase()
    .split(/[\s,]+/)
    .map(bareSubsite)
    .filter((word) => word !== '')
  if (words.length === 0) return refuse('NOT_FOUND')
  if (words.length > MOST) return refuse('BAD_REQUEST')
  const targets = new Set<SubsiteId>()
  for (const word of words) {
    if (action === 'sub' && isReserved(word)) return refuse('FORBIDDEN')
    const id = await resolve(app, word, command)
    const place = id === undefined ? undefined : await placeOf(app, id, command)
    if (!place) return refuse('NOT_FOUND')
    if (action === 'sub' && !(await mayView(app, viewer, place, command))) return refuse('FORBIDDEN')
    targets.add(place.id)
  }
  return E.right([...targets])
}

/** Who never chose is as good as subscribed to the defaults. */
const areSubscribed = async (app: App, account: AccountId, targets: readonly SubsiteId[], chosen: boolean, command: Command) => {
  if (!chosen) {
    const defaults = new Set((await defaultSubsites(app)).map(({ id }) => id))
    return targets.every((id) => defaults.has(id))
  }
  const states = await Promise.all(targets.map((id) => app.load(Subscription, `${account}.${id}`, command)))
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
  handle: async ({ params: { action, sr }, viewer, command }, app) => {
    const { account } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    const targets = await targetsOf(app, viewer, sr, action, command)
    if (E.isLeft(targets)) return targets
    const chosen = await hasChosen(app, account)
    // a repeated command may have left them already
    if (action === 'unsub' && !command.retried && !(await areSubscribed(app, account, targets.right, chosen, command)))
      return refuse('NOT_FOUND')
    if (!chosen) await takeDefaults(app, account, command)
    const decide = action === 'sub' ? subscribe : unsubscribe
    const outcomes = await Promise.all(targets.right.map((id) => app.run(Subscription, `${account}.${id}`, decide(account, id), command)))
    const refused = outcomes.find(E.isLeft)
    return refused ?? E.right({ kind: 'json', body: {} })
  },
})
