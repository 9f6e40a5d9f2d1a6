import { either as E } from 'fp-ts'
import * as t from 'io-ts'
import type { App } from '../../app.ts'
import { befriend, Contact, unfriend } from '../../domain/contact.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import { checkLength } from '../../domain/text.ts'
import { namesOf } from '../../queries/accounts.ts'
import { friendOf, friendsOf } from '../../queries/contacts.ts'
import { type AnyEndpoint, endpoint } from '../endpoint.ts'
import { accountCalled } from '../needs.ts'
import { json, oneOf, refusing, username } from '../params.ts'
import { epoch } from '../present/epoch.ts'
import { friendRow, userList } from '../present/relationship.ts'

const MAX_NOTE = 300
const friendName = { username: refusing(username(), 'USER_DOESNT_EXIST', 'username') }
const ofFriend = '/api/v1/me/friends/{username}'

const rowOf = async ({ documents }: App, account: AccountId, other: AccountId) => {
  const friend = await friendOf(documents, account, other)
  return friend && friendRow(friend, await namesOf(documents, [other]))
}

export const showFriend = endpoint({
  method: 'GET',
  path: ofFriend,
  scope: 'mysubsites',
  login: 'token',
  errors: 'coded',
  section: 'Users',
  summary: 'One friend, with the note on them.',
  params: friendName,
  handle: async ({ params, viewer: { account } }, app) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const other = await accountCalled(app, params.username, 'username')
    if (E.isLeft(other)) return other
    const row = await rowOf(app, account, other.right)
    return row ? E.right({ kind: 'json', body: row }) : refuse('NOT_FRIEND', 'username')
  },
})

const text = t.union([t.string, t.null])
/** Clients send further members, which mean nothing here. */
const Friend = t.partial({ name: text, note: text })

export const putFriend = endpoint({
  method: 'PUT',
  path: ofFriend,
  scope: 'subscribe',
  login: 'token',
  errors: 'coded',
  section: 'Users',
  answers: [200, 201],
  summary: 'Make a friend, or change the note on one.',
  notes:
    'A JSON object: `name`, if given, names the same user; `note` of up to 300 characters, empty or null to clear it. 201 for a new friend. One-sided, and nobody is told.',
  jsonBody: 'friend',
  params: {
    ...friendName,
    friend: json(Friend, { type: 'object', properties: { name: { type: 'string' }, note: { type: 'string', maxLength: MAX_NOTE } } }),
  },
  handle: async ({ params: { username: name, friend }, viewer: { account }, command }, app) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const found = await accountCalled(app, name, 'username')
    if (E.isLeft(found)) return found
    const other = found.right
    if (friend.name) {
      const same = await accountCalled(app, friend.name, 'name')
      if (E.isLeft(same)) return same
      if (same.right !== other) return refuse('BAD_USERNAME', 'name')
    }
    const refused = checkLength(friend.note ?? '', MAX_NOTE, 'note')
    if (refused) return E.left(refused)
    const note = friend.note === undefined ? undefined : (friend.note ?? '')
    const recorded = await app.run(Contact, `${account}.${other}`, befriend({ account, other }, note), command)
    if (E.isLeft(recorded)) return recorded
    const isNew = recorded.right.events.some(({ type }) => type === 'Friended')
    const late = { date: epoch(command.at), id: other, name, note: note ?? '' }
    const body = (await rowOf(app, account, other)) ?? late
    return E.right({ kind: 'json', status: isNew ? 201 : 200, body })
  },
})

export const deleteFriend = endpoint({
  method: 'DELETE',
  path: ofFriend,
  scope: 'subscribe',
  login: 'token',
  errors: 'coded',
  section: 'Users',
  answers: [204],
  summary: 'End a friendship.',
  params: friendName,
  handle: async ({ params, viewer: { account }, command }, app) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const other = await accountCalled(app, params.username, 'username')
    if (E.isLeft(other)) return other
    const ended = await app.run(Contact, `${account}.${other.right}`, unfriend({ account, other: other.right }), command)
    return E.map(() => ({ kind: 'empty', status: 204 }) as const)(ended)
  },
})

const friendList = async ({ documents }: App, account: AccountId) => {
  const friends = await friendsOf(documents, account)
  const names = await namesOf(
    documents,
    friends.map(({ other }) => other),
  )
  return userList(friends.map((friend) => friendRow(friend, names)))
}

const lists = ['friends'] as const

export const prefsLists = endpoint({
  method: 'GET',
  path: '/prefs/{where}',
  aliases: ['/api/v1/me/{where}'],
  values: { where: lists },
  scope: 'read',
  login: 'user',
  errors: 'coded',
  section: 'Account',
  listing: { max: 100 },
  summary: 'Your friends, oldest friendship first.',
  notes:
    'Under `/prefs` two lists, the second always empty, for older clients; under `/api/v1/me` the single one. The whole list comes, whatever the paging parameters.',
  params: { where: oneOf(...lists) },
  handle: async ({ viewer: { account }, path }, app) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const friends = await friendList(app, account)
    return E.right({ kind: 'json', body: path.startsWith('/prefs/') ? [friends, userList([])] : friends })
  },
})

export const friendEndpoints: readonly AnyEndpoint[] = [showFriend, putFriend, deleteFriend, prefsLists]
