import { Account, isSuspendedForGood } from '../../../src/domain/account.ts'
import { invitationOf, Moderators, moderatorOf } from '../../../src/domain/moderators.ts'
import { isBanned, isMuted, isWikiContributor, Relation } from '../../../src/domain/relation.ts'
import { newcomer } from '../cast.ts'
import { postForm } from '../community.ts'
import type { Answer, User } from '../site.ts'
import type { Pair, Scene, Stage } from './pair.ts'

// Rights of an account in a subsite, and what takes them away.

const form = { api_type: 'json' }
const friend = (by: User, type: string, whom: User) => () => by.post('/s/arena/api/friend', { type, name: whom.name, ...form })

/** Returns the standing of an account, in arena and everywhere, in the log. */
const readStanding = async ({ site, subsite }: Stage, { id }: User): Promise<string> => {
  const { load, clock } = site.running.app
  const [account, moderators, relation] = [
    await load(Account, id),
    await load(Moderators, subsite),
    await load(Relation, `${subsite}.${id}`),
  ]
  const states = {
    deleted: account?.deleted === true,
    suspended: isSuspendedForGood(account),
    banned: isBanned(relation, clock()),
    muted: isMuted(relation, clock()),
    contributor: relation?.contributor === true,
    wikicontributor: isWikiContributor(relation),
    invited: invitationOf(moderators, id) !== undefined,
    moderator: moderatorOf(moderators, id) !== undefined,
  }
  return Object.entries(states)
    .filter(([, is]) => is)
    .map(([what]) => what)
    .join(' ')
}

export type Taking = { readonly by: (stage: Stage, whom: User) => Promise<() => Promise<Answer>>; readonly on: string }

const bans: Taking = { by: async ({ ann }, whom) => friend(ann, 'banned', whom), on: 'relation' }
const mutes: Taking = { by: async ({ ann }, whom) => friend(ann, 'muted', whom), on: 'relation' }
const suspends: Taking = {
  by:
    async ({ root }, { name }) =>
    () =>
      root.post('/api/suspend_user', { name, ...form }),
  on: 'account',
}
/** The session is opened first, so that only the deletion itself races. */
export const deletes: Taking = {
  by: async (_, whom) => {
    const session = await whom.session()
    return () => session.post('/api/delete_user', { passwd: whom.password, ...form })
  },
  on: 'account',
}
export const erases: Taking = {
  by: async (_, whom) => {
    const session = await whom.session()
    return () => session.post('/api/erase_user', { passwd: whom.password, ...form })
  },
  on: 'account',
}

type Giving = {
  readonly prepare?: (stage: Stage, whom: User) => Promise<unknown>
  readonly by: (stage: Stage, whom: User) => () => Promise<Answer>
  readonly on: string
}

const invites: Giving = { by: ({ ann }, whom) => friend(ann, 'moderator_invite', whom), on: 'moderators' }
const accepts: Giving = {
  prepare: ({ ann }, { name }) => postForm(ann, '/s/arena/api/friend', { type: 'moderator_invite', name, ...form }),
  by: (_, whom) => () => whom.post('/s/arena/api/accept_moderator_invite', form),
  on: 'moderators',
}
const appoints: Giving = { by: ({ root }, whom) => friend(root, 'moderator', whom), on: 'moderators' }
const approves: Giving = { by: ({ ann }, whom) => friend(ann, 'contributor', whom), on: 'relation' }
const approvesForWiki: Giving = { by: ({ ann }, whom) => friend(ann, 'wikicontributor', whom), on: 'relation' }

/** The last invited account: few invitations may be pending at a time. */
let invitedBefore: User | undefined

const between =
  (taking: Taking, giving: Giving): Pair['open'] =>
  async (stage): Promise<Scene> => {
    const whom = await newcomer(stage.site)
    if (invitedBefore) await stage.ann.post('/s/arena/api/unfriend', { type: 'moderator_invite', name: invitedBefore.name })
    invitedBefore = whom
    await giving.prepare?.(stage, whom)
    return {
      one: { ask: await taking.by(stage, whom), on: taking.on },
      other: { ask: giving.by(stage, whom), on: giving.on },
      state: () => readStanding(stage, whom),
    }
  }

const ENDS_SEAT = 'the service ends the seat, because of the ban'
const ENDS_BOTH = 'the seat or the invitation ends, because of the deletion'
const MUTED = 'none: a muted account keeps what it has (decision 76), and an invited one may accept'
const GIVEN = 'none: a suspended account keeps what it was given (decision 78)'
const UNLISTED = 'none: no list shows a deleted account'

export const seatPairs: readonly Pair[] = [
  {
    acts: ['ban', 'acceptance of an invitation to moderate'],
    rule: 'no banned account moderates',
    repair: [ENDS_SEAT, ENDS_SEAT],
    ends: ['banned', 'moderator'],
    open: between(bans, accepts),
  },
  {
    acts: ['ban', 'appointment as moderator'],
    rule: 'no banned account moderates',
    repair: [ENDS_SEAT, ENDS_SEAT],
    ends: ['banned', 'moderator'],
    open: between(bans, appoints),
  },
  {
    acts: ['ban', 'invitation to moderate'],
    rule: 'no banned account is invited',
    repair: ['the ban withdraws it, as every pending one', 'the invitation is withdrawn, because of the ban'],
    ends: ['banned'],
    open: between(bans, invites),
  },
  {
    acts: ['mute', 'appointment as moderator'],
    rule: 'neither is done to who is the other',
    repair: [MUTED, MUTED],
    ends: ['muted', 'moderator', 'muted moderator'],
    open: between(mutes, appoints),
  },
  {
    acts: ['mute', 'invitation to moderate'],
    rule: 'no muted account is invited',
    repair: [MUTED, MUTED],
    ends: ['muted', 'muted invited'],
    open: between(mutes, invites),
  },
  {
    acts: ['suspension for good', 'acceptance of an invitation to moderate'],
    rule: 'an account that is suspended for good is given nothing',
    repair: [GIVEN, GIVEN],
    ends: ['suspended moderator', 'suspended invited'],
    open: between(suspends, accepts),
  },
  {
    acts: ['suspension for good', 'appointment as moderator'],
    rule: 'an account that is suspended for good is given nothing',
    repair: [GIVEN, GIVEN],
    ends: ['suspended', 'suspended moderator'],
    open: between(suspends, appoints),
  },
  {
    acts: ['suspension for good', 'invitation to moderate'],
    rule: 'an account that is suspended for good is given nothing',
    repair: [GIVEN, GIVEN],
    ends: ['suspended', 'suspended invited'],
    open: between(suspends, invites),
  },
  {
    acts: ['suspension for good', 'approval as contributor'],
    rule: 'an account that is suspended for good is given nothing',
    repair: [GIVEN, GIVEN],
    ends: ['suspended', 'suspended contributor'],
    open: between(suspends, approves),
  },
  {
    acts: ['suspension for good', 'approval as contributor of the wiki'],
    rule: 'an account that is suspended for good is given nothing',
    repair: [GIVEN, GIVEN],
    ends: ['suspended', 'suspended wikicontributor'],
    open: between(suspends, approvesForWiki),
  },
  {
    acts: ['deletion of an account', 'acceptance of an invitation to moderate'],
    rule: 'no deleted account moderates',
    repair: [ENDS_BOTH, ENDS_BOTH],
    ends: ['deleted'],
    open: between(deletes, accepts),
  },
  {
    acts: ['deletion of an account', 'appointment as moderator'],
    rule: 'no deleted account moderates',
    repair: [ENDS_BOTH, ENDS_BOTH],
    ends: ['deleted'],
    open: between(deletes, appoints),
  },
  {
    acts: ['erasure of an account', 'invitation to moderate'],
    rule: 'no deleted account is invited',
    repair: [ENDS_BOTH, ENDS_BOTH],
    ends: ['deleted'],
    open: between(erases, invites),
  },
  {
    acts: ['deletion of an account', 'approval as contributor'],
    rule: 'a deleted account is found by no name',
    repair: [UNLISTED, UNLISTED],
    ends: ['deleted', 'deleted contributor'],
    open: between(deletes, approves),
  },
  {
    acts: ['deletion of an account', 'approval as contributor of the wiki'],
    rule: 'a deleted account is found by no name',
    repair: [UNLISTED, UNLISTED],
    ends: ['deleted', 'deleted wikicontributor'],
    open: between(deletes, approvesForWiki),
  },
]
