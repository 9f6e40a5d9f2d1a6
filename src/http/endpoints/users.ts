import { Username } from '../../domain/account.ts'
import { refuse } from '../../domain/decision.ts'
import { checkUsername, claimOf } from '../../domain/names.ts'
import { accountNamed } from '../../queries/accounts.ts'
import { friendOf } from '../../queries/contacts.ts'
import { moderatesAnything } from '../../queries/relations.ts'
import { type AnyEndpoint, endpoint } from '../endpoint.ts'
import { described, raw, refusing, username } from '../params.ts'
import { accountThing, publicAccount } from '../present/account.ts'
import { noBody } from '../schemas/answers.ts'
import { accountShape, sessionAccountShape } from '../schemas/people.ts'
import * as shape from '../schemas/schema.ts'
import { thingShape } from '../schemas/things.ts'
import { ownRecord } from './account.ts'
import { friendEndpoints } from './friends.ts'
import { members } from './members.ts'
import { relationEndpoints } from './relate.ts'

const section = 'Users'

const userAbout = endpoint({
  method: 'GET',
  path: '/user/{username}/about',
  aliases: ['/u/{username}/about'],
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  section,
  answers: { 200: shape.either(thingShape('t2', accountShape), thingShape('t2', sessionAccountShape)), 302: noBody },
  summary: 'An account: its name, age and karma.',
  notes: 'Your own says more, as `/api/v1/me` does; `/user/me/about` leads there.',
  cache: 'public',
  params: { username: refusing(username(), 'NOT_FOUND') },
  handle: async (context) => {
    const { params, viewer, extension, documents } = context
    if (params.username.toLowerCase() === 'me') {
      if (viewer.name === undefined) return refuse('USER_REQUIRED')
      return { kind: 'redirect', location: `/user/${viewer.name}/about${extension ? `.${extension}` : ''}` }
    }
    const account = await accountNamed(documents, params.username)
    if (!account) return refuse('NOT_FOUND')
    const [isMod, friend] = await Promise.all([
      moderatesAnything(documents, account.id),
      viewer.account === undefined ? undefined : friendOf(documents, viewer.account, account.id),
    ])
    const common = publicAccount(account, { isMod, toAdmin: viewer.admin, isFriend: friend !== undefined })
    if (account.id !== viewer.account) return { kind: 'json', body: accountThing(common) }
    const own = { ...common, ...(await ownRecord(context)), ...(viewer.via === 'session' && { modhash: viewer.modhash }) }
    return { kind: 'json', body: accountThing(own) }
  },
})

const usernameAvailable = endpoint({
  method: 'GET',
  path: '/api/username_available',
  scope: 'any',
  login: 'anyone',
  errors: 'form',
  section,
  answers: { 200: shape.flag },
  summary: 'Whether a username is free.',
  notes: 'Answers a bare `true` or `false`; `BAD_USERNAME` for what cannot be a username.',
  params: { user: described(raw(), 'the name') },
  handle: async ({ params: { user }, load }) =>
    checkUsername(user) ? refuse('BAD_USERNAME', 'user') : { kind: 'json', body: (await load(Username, claimOf(user))) === undefined },
})

export const userEndpoints: readonly AnyEndpoint[] = [userAbout, usernameAvailable, members, ...relationEndpoints, ...friendEndpoints]
