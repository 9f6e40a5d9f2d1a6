import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { AccountId } from '../../../domain/ids.ts'
import { checkLength, hasControl, limits } from '../../../domain/text-limits.ts'
import { DELETED_PLACEHOLDER, namesOf } from '../../../queries/accounts.ts'
import { listBlocked } from '../../../queries/blocked-accounts.ts'
import { friendOf, friendsOf } from '../../../queries/friends.ts'
import { type AnyEndpoint, type Context, type Need, section } from '../../contract/endpoint.ts'
import { username } from '../../contract/name-params.ts'
import { json, oneOf, replaceRefusal } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { accountBy, accountCalled } from '../../needs/facts.ts'
import { blockedRow, contributorRowShape, friendRow, friendRowShape, userList, userListShape } from '../../present/relationship.ts'
import { epoch } from '../../present/thing.ts'
import { relations } from '../../things/relations.ts'

const { delete: del, get, put } = section('Users', { scope: 'subscribe', login: 'token', errors: 'coded' })

const ofFriend = {
  whileSuspended: true,
  params: { username: replaceRefusal(username(), 'USER_DOESNT_EXIST') },
  needs: { other: accountBy('username') },
} as const

const rowOf = async ({ documents, viewer }: Context<unknown, SignedIn>, other: AccountId) => {
  const friend = await friendOf(documents, viewer.account, other)
  return friend && friendRow(friend, await namesOf(documents, [other]))
}

const showFriend = get('/api/v1/me/friends/{username}', {
  ...ofFriend,
  scope: 'mysubsites',
  answers: { 200: friendRowShape },
  summary: 'One friend, with your note.',
  handle: async (context) => {
    const row = await rowOf(context, context.other)
    return row ? { kind: 'json', body: row } : refuseRule('NOT_FRIEND', 'username')
  },
})

const text = t.union([t.string, t.null])
/** Clients send further members, which are ignored. */
const Friend = t.partial({ name: text, note: text })

type FriendBody = { readonly friend: t.TypeOf<typeof Friend> }

/** Returns the note, if it is short enough and `name`, if given, names the same user. */
const noteSaid: Need<string | undefined, FriendBody, SignedIn, { readonly other: AccountId }> = async (context) => {
  const { other, params } = context
  const { friend } = params
  if (friend.name) {
    const named = await accountCalled(context, friend.name, 'name')
    if (E.isLeft(named)) return named
    if (named.right !== other) return refuseRule('BAD_USERNAME', 'name')
  }
  const note = friend.note ?? ''
  if (hasControl(note)) return refuseRule('BAD_STRING', 'note')
  const refused = checkLength(note, limits.note, 'note')
  return refused ? E.left(refused) : E.right(friend.note === undefined ? undefined : (friend.note ?? ''))
}

const putFriend = put('/api/v1/me/friends/{username}', {
  ...ofFriend,
  answers: { 200: friendRowShape, 201: friendRowShape },
  summary: 'Add a friend, or change the note on one.',
  notes:
    'A JSON object: `name`, if given, names the same user; `note` of up to 300 characters, empty or null to clear it. 201 for a new friend. One-sided; the other account is not notified.',
  jsonBody: 'friend',
  params: {
    ...ofFriend.params,
    friend: json(Friend, {
      type: 'object',
      properties: { name: shape.text('bob'), note: { ...shape.text('from the tea house'), maxLength: limits.note } },
    }),
  },
  needs: { ...ofFriend.needs, note: noteSaid },
  handle: async (context) => {
    const { other, note, params, command } = context
    const recorded = await relations.friend.make(context, other, { note })
    if (E.isLeft(recorded)) return recorded
    const isNew = recorded.right.events.some(({ type }) => type === 'Friended')
    const late = { date: epoch(command.at), id: other, name: params.username, note: note ?? '' }
    return { kind: 'json', status: isNew ? 201 : 200, body: (await rowOf(context, other)) ?? late }
  },
})

const deleteFriend = del('/api/v1/me/friends/{username}', {
  ...ofFriend,
  answers: { 204: noBody },
  summary: 'End a friendship.',
  handle: (context) => relations.friend.end(context, context.other),
})

const lists = ['friends', 'blocked'] as const

const prefsLists = section('Account').get('/prefs/{where}', {
  otherPaths: ['/api/v1/me/{where}'],
  values: { where: lists },
  scope: 'read',
  login: 'user',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  answers: {
    200: shape.union(userListShape(shape.union(friendRowShape, contributorRowShape)), shape.listOf(userListShape(friendRowShape))),
  },
  summary: 'Your friends, or the accounts that you block, the oldest relationship first.',
  notes:
    '`/prefs` returns two lists of friends, the second always empty, for older clients; `/api/v1/me` returns one. Paging parameters are ignored: the whole list is returned, without deleted accounts.',
  params: { where: oneOf(...lists) },
  handle: async ({ viewer: { account }, path, params, documents }) => {
    const isOfFriends = params.where === 'friends'
    const contacts = await (isOfFriends ? friendsOf : listBlocked)(documents, account)
    const names = await namesOf(
      documents,
      contacts.map(({ other }) => other),
    )
    const existing = contacts.filter(({ other }) => names(other) !== DELETED_PLACEHOLDER)
    const list = userList(existing.map((contact) => (isOfFriends ? friendRow : blockedRow)(contact, names)))
    return { kind: 'json', body: isOfFriends && path.startsWith('/prefs/') ? [list, userList([])] : list }
  },
})

export const friendEndpoints: readonly AnyEndpoint[] = [showFriend, putFriend, deleteFriend, prefsLists]
