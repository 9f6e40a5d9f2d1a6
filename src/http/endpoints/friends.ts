import { either as E } from 'fp-ts'
import * as t from 'io-ts'
import { befriend, Contact, unfriend } from '../../domain/contact.ts'
import { refuse } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import { checkLength } from '../../domain/text.ts'
import { namesOf } from '../../queries/accounts.ts'
import { friendOf, friendsOf } from '../../queries/contacts.ts'
import { type AnyEndpoint, type Context, endpoint, type Need, type SignedIn } from '../endpoint.ts'
import { accountCalled } from '../needs.ts'
import { json, oneOf, refusing, username } from '../params.ts'
import { epoch } from '../present/epoch.ts'
import { friendRow, userList } from '../present/relationship.ts'
import { noBody } from '../schemas/answers.ts'
import * as shape from '../schemas/schema.ts'
import { friendRowShape, userListShape } from '../schemas/subsites.ts'

const MAX_NOTE = 300

const other: Need<AccountId, { readonly username: string }> = (context) => accountCalled(context, context.params.username, 'username')

const ofFriend = {
  path: '/api/v1/me/friends/{username}',
  login: 'token',
  errors: 'coded',
  section: 'Users',
  params: { username: refusing(username(), 'USER_DOESNT_EXIST', 'username') },
  needs: { other },
} as const

const rowOf = async ({ documents, viewer }: Context<unknown, SignedIn>, other: AccountId) => {
  const friend = await friendOf(documents, viewer.account, other)
  return friend && friendRow(friend, await namesOf(documents, [other]))
}

const showFriend = endpoint({
  ...ofFriend,
  method: 'GET',
  scope: 'mysubsites',
  answers: { 200: friendRowShape },
  summary: 'One friend, with the note on them.',
  handle: async (context) => {
    const row = await rowOf(context, context.other)
    return row ? { kind: 'json', body: row } : refuse('NOT_FRIEND', 'username')
  },
})

const text = t.union([t.string, t.null])
/** Clients send further members, which mean nothing here. */
const Friend = t.partial({ name: text, note: text })

/** `name`, if given, names the same user; the note is short enough. */
const noteSaid: Need<string | undefined, { readonly username: string; readonly friend: t.TypeOf<typeof Friend> }> = async (context) => {
  const { username, friend } = context.params
  if (friend.name) {
    const [meant, same] = await Promise.all([accountCalled(context, username, 'username'), accountCalled(context, friend.name, 'name')])
    if (E.isLeft(same)) return same
    if (E.isRight(meant) && same.right !== meant.right) return refuse('BAD_USERNAME', 'name')
  }
  const refused = checkLength(friend.note ?? '', MAX_NOTE, 'note')
  return refused ? E.left(refused) : E.right(friend.note === undefined ? undefined : (friend.note ?? ''))
}

const putFriend = endpoint({
  ...ofFriend,
  method: 'PUT',
  scope: 'subscribe',
  answers: { 200: friendRowShape, 201: friendRowShape },
  summary: 'Make a friend, or change the note on one.',
  notes:
    'A JSON object: `name`, if given, names the same user; `note` of up to 300 characters, empty or null to clear it. 201 for a new friend. One-sided; the other account is not notified.',
  jsonBody: 'friend',
  params: {
    ...ofFriend.params,
    friend: json(Friend, { type: 'object', properties: { name: { type: 'string' }, note: { type: 'string', maxLength: MAX_NOTE } } }),
  },
  needs: { other, note: noteSaid },
  handle: async (context) => {
    const { other, note, params, viewer, command, run } = context
    const { account } = viewer
    const recorded = await run(Contact, `${account}.${other}`, befriend({ account, other }, note))
    if (E.isLeft(recorded)) return recorded
    const isNew = recorded.right.events.some(({ type }) => type === 'Friended')
    const late = { date: epoch(command.at), id: other, name: params.username, note: note ?? '' }
    return { kind: 'json', status: isNew ? 201 : 200, body: (await rowOf(context, other)) ?? late }
  },
})

const deleteFriend = endpoint({
  ...ofFriend,
  method: 'DELETE',
  scope: 'subscribe',
  answers: { 204: noBody },
  summary: 'End a friendship.',
  handle: ({ other, viewer: { account }, run }) => run(Contact, `${account}.${other}`, unfriend({ account, other })),
})

const lists = ['friends'] as const

const prefsLists = endpoint({
  method: 'GET',
  path: '/prefs/{where}',
  aliases: ['/api/v1/me/{where}'],
  values: { where: lists },
  scope: 'read',
  login: 'user',
  errors: 'coded',
  section: 'Account',
  listing: { max: 100 },
  rss: true,
  answers: { 200: shape.either(userListShape(friendRowShape), shape.listOf(userListShape(friendRowShape))) },
  summary: 'Your friends, oldest friendship first.',
  notes:
    'Under `/prefs` two lists, the second always empty, for older clients; under `/api/v1/me` the single one. The whole list comes, whatever the paging parameters.',
  params: { where: oneOf(...lists) },
  handle: async ({ viewer: { account }, path, documents }) => {
    const friends = await friendsOf(documents, account)
    const names = await namesOf(
      documents,
      friends.map(({ other }) => other),
    )
    const list = userList(friends.map((friend) => friendRow(friend, names)))
    return { kind: 'json', body: path.startsWith('/prefs/') ? [list, userList([])] : list }
  },
})

export const friendEndpoints: readonly AnyEndpoint[] = [showFriend, putFriend, deleteFriend, prefsLists]
