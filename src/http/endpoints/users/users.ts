import * as E from 'fp-ts/lib/Either.js'
import type { AccountDocument } from '../../../../projections/accounts.ts'
import { claimNamed } from '../../../commands/username-lookup.ts'
import { checkUsername } from '../../../domain/names.ts'
import type { Preferences } from '../../../domain/preferences.ts'
import type { Place } from '../../../history/places.ts'
import { accountNamed, preferencesOf } from '../../../queries/accounts.ts'
import { accountAsOf } from '../../../queries/as-of.ts'
import { friendOf } from '../../../queries/friends.ts'
import { karmaOf } from '../../../queries/karma.ts'
import { moderatesAnything } from '../../../queries/relations.ts'
import { type AnyEndpoint, type Context, type HandlerOutcome, type Need, section, type Uses } from '../../contract/endpoint.ts'
import { username } from '../../contract/name-params.ts'
import { describeParam, documentRequired, rawText, replaceRefusal } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { thingShape } from '../../contract/schemas/things.ts'
import { andThen, userMeant } from '../../needs/facts.ts'
import { at, lookBack, placeAt } from '../../needs/past.ts'
import {
  accountShape,
  accountThing,
  fieldsOfSession,
  pastAccount,
  pastAccountShape,
  publicAccount,
  sessionAccountShape,
  suspendedAccount,
  suspendedAccountShape,
} from '../../present/account.ts'
import { seesOnlyName } from '../../things/kinds/account.ts'
import { ownRecord } from '../../things/own-account.ts'

const { get } = section('Users', { scope: 'read', login: 'anyone', errors: 'plain' })

/** Returns the account asked for; `me` redirects to the viewer. */
const accountAsked: Need<AccountDocument, { readonly username: string }, Viewer> = andThen(userMeant, async (name, context) => {
  const { params, extension, documents } = context
  if (name !== params.username) return E.left({ kind: 'redirect', location: `/user/${name}/about${extension ? `.${extension}` : ''}` })
  const account = await accountNamed(documents, name)
  return account ? E.right(account) : refuseRule('NOT_FOUND', 'username')
})

/** Returns the header fields that ask search engines to keep away from an account, if it prefers that. */
const robotsHeaders = ({ hide_from_robots }: Preferences) => (hide_from_robots ? { 'X-Robots-Tag': 'noindex, nofollow' } : {})

/** Returns the account as it was at a place in the log. */
const accountThen = async (
  context: Context & Uses<'readUntil'> & { readonly account: AccountDocument },
  place: Place,
): Promise<HandlerOutcome> => {
  const { account, viewer, documents } = context
  const found = await lookBack(context, place, (back) => accountAsOf(back, account.id))
  if (E.isLeft(found)) return found
  if (found.right === undefined) return refuseRule('NOT_FOUND', 'at')
  const isTold = viewer.admin || viewer.account === account.id
  const headers = robotsHeaders(await preferencesOf(documents, account.id))
  return { kind: 'json', body: accountThing(pastAccount({ account: found.right, isTold })), headers, fleeting: true }
}

const userAbout = get('/user/{username}/about', {
  aliases: ['/u/{username}/about'],
  answers: {
    200: shape.union(
      thingShape('t2', accountShape),
      thingShape('t2', sessionAccountShape),
      thingShape('t2', suspendedAccountShape),
      thingShape('t2', pastAccountShape),
    ),
    302: noBody,
  },
  summary: 'An account: its name, age and karma.',
  notes:
    'Your own account has the fields of `/api/v1/me`; `/user/me/about` redirects to it. With `at`: as it was then, without what other events than its own made of it.',
  cache: 'public',
  params: { username: replaceRefusal(username(), 'NOT_FOUND'), at },
  uses: ['places', 'readUntil'],
  needs: { account: accountAsked, place: placeAt },
  handle: async (context) => {
    const { account, viewer, documents, clock, place } = context
    if (seesOnlyName(viewer, account)) return { kind: 'json', body: accountThing(suspendedAccount(account)) }
    if (place) return accountThen(context, place)
    const [preferences, isMod, karma, friend] = await Promise.all([
      preferencesOf(documents, account.id),
      moderatesAnything(documents, account.id),
      karmaOf(documents, account.id),
      viewer.account === undefined ? undefined : friendOf(documents, viewer.account, account.id),
    ])
    const isFriend = friend !== undefined
    const common = publicAccount({ account, karma, isMod, clock, preferences, toAdmin: viewer.admin, isFriend })
    const headers = robotsHeaders(preferences)
    if (account.id !== viewer.account) return { kind: 'json', body: accountThing(common), headers }
    const modhash = viewer.via === 'session' ? viewer.modhash : undefined
    const view = { ...common, ...(await ownRecord(context)), ...fieldsOfSession({ isFriend, modhash }) }
    return { kind: 'json', body: accountThing(view), headers }
  },
})

const usernameAvailable = get('/api/username_available', {
  scope: 'any',
  errors: 'form',
  json: false,
  answers: { 200: shape.flag },
  summary: 'Whether a username is available.',
  notes: 'Returns a bare `true` or `false`; `BAD_USERNAME` for an invalid username.',
  params: { user: describeParam(documentRequired(rawText()), 'the name') },
  handle: async (context) => {
    const { user } = context.params
    return checkUsername(user)
      ? refuseRule('BAD_USERNAME', 'user')
      : { kind: 'json', body: (await claimNamed(context, user)) === undefined }
  },
})

export const profileEndpoints: readonly AnyEndpoint[] = [userAbout, usernameAvailable]
