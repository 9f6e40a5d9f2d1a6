import type { EventName } from '../../../src/domain/events.ts'
import { appoint, postForm } from '../community.ts'
import type { User } from '../site.ts'
import { type Account, accountsOf, anyUser, holders, moderators, users } from './roles.ts'
import { type Fields, id, type Row, type Rows } from './row.ts'
import { houseOf, makeAllowed, registerSomebody } from './stage.ts'
import { type Make, mailFrom, newName } from './things.ts'

const full = holders()

/** Somebody new in some relationship to tea. */
const makeRelated =
  (type: string): Make =>
  async (stage) => {
    const { name } = await registerSomebody(stage)
    await postForm(stage.founder, '/s/tea/api/friend', { type, name })
    return name
  }
const relate = (type: string, by: readonly Account[], records: EventName): Row => ({
  what: type,
  by,
  as: 'staff',
  records,
  on: newName,
  form: (name) => ({ type, name }),
})
const unrelate = (type: string, by: readonly Account[], records: EventName): Row => ({
  ...relate(type, by, records),
  on: makeRelated(type),
})

/** Changes the relationship of somebody new who is already in it. */
const change = (type: string, what: string, by: readonly Account[], records: EventName, more: Fields): Row => ({
  ...unrelate(type, by, records),
  what: `${type}, ${what}`,
  form: (name) => ({ type, name, ...more }),
})

/** Somebody new who moderates tea. */
const makeModerator: Make = async (stage) => {
  const whom = await registerSomebody(stage)
  await appoint(stage.founder, 'tea', whom, '+wiki')
  return whom.name
}
/** The name of a subsite that the account that will act is invited to moderate. */
const makeInvitation =
  (house: string, accepted = false): Make =>
  (stage, self) =>
    makeAllowed(stage, self, async () => {
      await houseOf(stage, house)
      await postForm(stage.host, `/s/${house}/api/unfriend`, { type: 'moderator', name: self.name })
      await postForm(stage.host, `/s/${house}/api/friend`, { type: 'moderator_invite', name: self.name, permissions: '+wiki' })
      if (accepted) await postForm(self, `/s/${house}/api/accept_moderator_invite`)
      return house
    })
/** One that they moderate: its name; and its fullname. */
const moderating = makeInvitation('hall', true)
const moderatingIt: Make = async (stage, self) => houseOf(stage, await moderating(stage, self))

/** A new account that the account that will act has befriended, or blocked. */
const makeFriend: Make = async (stage, self) => {
  const name = await newName(stage, self)
  await self.request('PUT', `/api/v1/me/friends/${name}`, { json: {} })
  return name
}
const makeBlocked: Make = async (stage, self) => {
  const whom = await registerSomebody(stage)
  await postForm(self, '/api/block', { id: await mailFrom(whom, self) })
  return whom.name
}
const relationForm = (type: string) => (name: string) => ({ type, name })
/** Makes the form that names the account whose relationship it is. */
const ownRelationForm = (type: string) => (name: string, self: User) => ({ type, name, container: self.id })
const sub = (name: string) => ({ sub: name })

/** Relationships between accounts, and of accounts with subsites. */
export const relationRows: Rows = {
  'POST [/s/{sub}]/api/friend': [
    relate('moderator_invite', full, 'ModeratorInvited'),
    { ...relate('moderator', full, 'ModeratorInvited'), records: (role) => (role === 'root' ? 'ModeratorAdded' : 'ModeratorInvited') },
    relate('contributor', holders('access'), 'ContributorAdded'),
    relate('banned', holders('access'), 'UserBanned'),
    relate('muted', full, 'UserMuted'),
    relate('wikibanned', holders('wiki'), 'UserWikiBanned'),
    relate('wikicontributor', holders('wiki'), 'WikiContributorAdded'),
    change('banned', 'for some days', holders('access'), 'BanChanged', { duration: 3 }),
    change('banned', 'for another reason', holders('access'), 'BanNoteChanged', { note: 'rude' }),
    change('muted', 'for another reason', full, 'MuteNoteChanged', { note: 'rude' }),
    change('wikibanned', 'for some days', holders('wiki'), 'WikiBanChanged', { duration: 3 }),
    change('wikibanned', 'for another reason', holders('wiki'), 'WikiBanNoteChanged', { note: 'rude' }),
    { what: 'friend', by: anyUser, records: 'Friended', session: true, on: newName, form: ownRelationForm('friend') },
    { what: 'enemy', by: [], session: true, on: newName, form: ownRelationForm('enemy') },
    {
      what: 'friend of the author',
      by: accountsOf('author'),
      records: 'Friended',
      session: true,
      on: async (stage, self) => `${stage.author.id} ${await newName(stage, self)}`,
      form: (target) => ({ type: 'friend', container: target.split(' ')[0] ?? '', name: target.split(' ')[1] ?? '' }),
    },
  ],
  'POST [/s/{sub}]/api/unfriend': [
    { what: 'moderator', by: full, as: 'staff', records: 'ModeratorRemoved', on: makeModerator, form: relationForm('moderator') },
    unrelate('moderator_invite', holders('access'), 'ModeratorInvitationWithdrawn'),
    unrelate('contributor', holders('access'), 'ContributorRemoved'),
    unrelate('banned', holders('access'), 'UserUnbanned'),
    unrelate('muted', full, 'UserUnmuted'),
    unrelate('wikibanned', holders('wiki'), 'UserWikiUnbanned'),
    unrelate('wikicontributor', holders('wiki'), 'WikiContributorRemoved'),
    {
      what: 'moderator, of oneself',
      by: anyUser,
      as: 'moderator',
      records: 'ModeratorRemoved',
      on: moderating,
      path: sub,
      form: (_, self) => ({ type: 'moderator', name: self.name }),
    },
    { what: 'friend', by: anyUser, records: 'Unfriended', session: true, on: makeFriend, form: ownRelationForm('friend') },
    { what: 'enemy', by: anyUser, records: 'AccountUnblocked', on: makeBlocked, form: ownRelationForm('enemy') },
  ],
  'POST [/s/{sub}]/api/setpermissions': [
    {
      by: full,
      as: 'staff',
      records: 'ModeratorPermissionsChanged',
      on: makeModerator,
      form: (name) => ({ type: 'moderator', name, permissions: '+posts' }),
    },
    {
      what: 'of an invitation',
      by: full,
      as: 'staff',
      records: 'ModeratorPermissionsChanged',
      on: makeRelated('moderator_invite'),
      form: (name) => ({ type: 'moderator_invite', name, permissions: '+posts' }),
    },
  ],
  'POST [/s/{sub}]/api/accept_moderator_invite': [
    // the suspended accounts, which were invited before, are suspended permanently
    { by: users, isOwn: true, as: 'moderator', records: 'ModeratorInvitationAccepted', on: makeInvitation('kitchen'), path: sub },
    {
      what: 'an invitation of the author',
      by: accountsOf('author'),
      as: 'moderator',
      records: 'ModeratorInvitationAccepted',
      on: makeInvitation('parlour'),
      path: sub,
    },
  ],
  'POST /api/leavemoderator': [
    { by: anyUser, as: 'moderator', records: 'ModeratorRemoved', on: moderatingIt, form: id },
    {
      what: 'of tea',
      by: [...moderators, ...accountsOf('suspendedModerator')],
      as: 'moderator',
      records: 'ModeratorRemoved',
      needsFreshCaller: true,
      on: async ({ tea }) => tea,
      form: id,
    },
  ],
  'PUT /api/v1/me/friends/{username}': [
    { by: anyUser, records: 'Friended', on: newName, path: (username) => ({ username }), json: () => ({}) },
    {
      what: 'with a note',
      by: anyUser,
      records: 'FriendNoteChanged',
      on: makeFriend,
      path: (username) => ({ username }),
      json: () => ({ note: 'met at tea' }),
    },
  ],
  'DELETE /api/v1/me/friends/{username}': { by: anyUser, records: 'Unfriended', on: makeFriend, path: (username) => ({ username }) },
}
