import * as E from 'fp-ts/lib/Either.js'
import { Account, deleteAccount, UsernameClaimed } from '../../src/domain/account.ts'
import { ADMINS_ID, Admins, grantAdmin } from '../../src/domain/admins.ts'
import { type Decide, decideEvents } from '../../src/domain/decision.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { InboxCleared, InboxClearing } from '../../src/domain/inbox-clearing.ts'
import { InboxEntry, markRead, markUnread } from '../../src/domain/inbox-entry.ts'
import { deleteLink, editLink, Link, LinkSubmitted } from '../../src/domain/link.ts'
import { acceptInvitation, inviteModerator, withdrawInvitation } from '../../src/domain/moderator-invitations.ts'
import { addModerator, leaveModeration, Moderators, permissionsOf, removeModerator } from '../../src/domain/moderators.ts'
import { addContributor, isBanned, leaveContributors, Relation } from '../../src/domain/relation.ts'
import { banUser, unbanUser } from '../../src/domain/restrictions.ts'
import { Stickies, stickyLink, unstickyLink } from '../../src/domain/stickies.ts'
import { Subscription, subscribe, unsubscribe } from '../../src/domain/subscription.ts'
import { SubsiteNameClaimed } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { approveLink, removeLink } from '../../src/domain/thing-moderation.ts'
import type { WriteSide } from './commanding.ts'

/** A decision whose facts have been read; called, it is recorded, perhaps long after. */
export type Held = () => Promise<unknown>
/** An act of an account: `who` is one of two accounts, `what` one of two links. */
type Act = (who: 0 | 1, what: 0 | 1) => Promise<Held>
export type Acts = Readonly<Record<string, Act>>

/** Acts that can affect each other. */
export const themeNames = ['stickies', 'seats', 'participation', 'inbox', 'founding'] as const
export type Theme = (typeof themeNames)[number]

/** Ann's subsite, two other accounts, two links of theirs and her inbox: everything whose events cause reactions. */
export const openHistory = async (side: WriteSide, run: string) => {
  const subsite = `t4_${run}`
  const ann = `t2_${run}a`
  const people = [`t2_${run}b`, `t2_${run}c`] as const
  const links = [`t5_${run}1`, `t5_${run}2`] as const
  const mail = [`t6_${run}1`, `t6_${run}2`] as const
  const moderating = () => side.by(ann, 'moderator')
  const between = (who: 0 | 1) => ({ subsite, account: people[who] })
  const relationId = (who: 0 | 1) => `${subsite}.${people[who]}`

  const write = (category: string, id: string, event: AnyEvent, by = ann) =>
    side.run({ category, subsiteOf: null, on: {} }, id, () => E.right([event]) as never, side.by(by))

  const begin = async () => {
    for (const account of [ann, ...people])
      await write('username', account.slice(3), UsernameClaimed({ account, name: account.slice(3) }), account)
    for (const account of [ann, 't2_0']) await side.run(Admins, ADMINS_ID, grantAdmin(account), side.by(null, 'system'))
    const claim = SubsiteNameClaimed({ subsite, name: run, creator: ann, settings: defaultSettings })
    await write('subsitename', run, claim)
    const submitted = { subsite, author: ann, title: 'tea', text: '', over18: false, sendReplies: true, filtered: false }
    for (const link of links) await write('link', link, LinkSubmitted({ ...submitted, link }))
  }

  /** An act that depends only on its own stream. */
  const simply =
    (act: (who: 0 | 1, what: 0 | 1) => Promise<unknown>): Act =>
    async (who, what) =>
    () =>
      act(who, what)

  const onLink =
    (decide: (link: Link) => Decide<Stickies, never>): Act =>
    async (_, what) => {
      const command = moderating()
      const link = await side.load(Link, links[what], command)
      return async () => link && side.run(Stickies, subsite, decide(link), command)
    }

  const heedingBans =
    (
      as: 'self' | 'moderator' | 'admin',
      decide: (who: 0 | 1, ban: { banned: boolean; muted: boolean }) => Decide<Moderators, never>,
    ): Act =>
    async (who) => {
      const command = as === 'self' ? side.by(people[who]) : side.by(ann, as)
      const banned = isBanned(await side.load(Relation, relationId(who), command), command.at)
      return () => side.run(Moderators, subsite, decide(who, { banned, muted: false }), command)
    }

  const banning =
    (days: number | null): Act =>
    async (who) => {
      const command = moderating()
      const moderator = permissionsOf(await side.load(Moderators, subsite, command), people[who]) !== undefined
      const decide = banUser(between(who), { moderator, at: command.at }, { days, note: '', message: '' })
      return () => side.run(Relation, relationId(who), decide, command)
    }

  const byAnn = { actor: ann, admin: true }
  let posted = 0
  const bans: Acts = {
    ban: banning(null),
    banForDays: banning(3),
    unban: simply((who) => {
      const command = moderating()
      return side.run(Relation, relationId(who), unbanUser(between(who), command.at), command)
    }),
  }
  const themes: Readonly<Record<Theme, Acts>> = {
    stickies: {
      sticky: onLink((link) => stickyLink(link) as never),
      unsticky: onLink((link) => unstickyLink(link) as never),
      remove: simply((_, what) => side.run(Link, links[what], removeLink(true), moderating())),
      approve: simply((_, what) => side.run(Link, links[what], approveLink, moderating())),
      edit: simply((_, what) => side.run(Link, links[what], editLink({ account: ann, admin: false }, 'more'), side.by(ann))),
      delete: simply(() => side.run(Link, links[1], deleteLink(ann), side.by(ann))),
    },
    seats: {
      ...bans,
      invite: heedingBans('moderator', (who, ban) => inviteModerator(between(who), byAnn, ban, '+posts') as never),
      appoint: heedingBans('admin', (who, ban) => addModerator(between(who), byAnn, ban, '+posts') as never),
      accept: heedingBans('self', (who, ban) => acceptInvitation(between(who), ban) as never),
      withdraw: simply((who) => side.run(Moderators, subsite, withdrawInvitation(between(who), byAnn), moderating())),
      dismiss: simply((who) => side.run(Moderators, subsite, removeModerator(between(who), byAnn), moderating())),
      end: simply((who) => side.run(Account, people[who], deleteAccount([]), side.by(people[who]))),
      leave: simply((who) => side.run(Moderators, subsite, leaveModeration(between(who)), side.by(people[who], 'moderator'))),
    },
    participation: {
      ...bans,
      subscribe: simply((who) =>
        side.run(Subscription, `${people[who]}.${subsite}`, subscribe(people[who], subsite), side.by(people[who])),
      ),
      post: simply((who) => {
        posted += 1
        const link = `t5_${run}x${posted}`
        const more = { title: 'tea', text: '', over18: false, sendReplies: true, filtered: false }
        return write('link', link, LinkSubmitted({ link, subsite, author: people[who], ...more }), people[who])
      }),
      contributor: simply((who) => {
        const command = moderating()
        return side.run(Relation, relationId(who), addContributor(between(who), { founder: false, at: command.at }), command)
      }),
    },
    inbox: {
      clear: simply(() => side.run(InboxClearing, ann, () => decideEvents(InboxCleared({ account: ann, things: mail })), side.by(ann))),
      markRead: simply((_, what) => side.run(InboxEntry, `${ann}.${mail[what]}`, markRead(ann, mail[what]), side.by(ann))),
      markUnread: simply((_, what) => side.run(InboxEntry, `${ann}.${mail[what]}`, markUnread(ann, mail[what]), side.by(ann))),
    },
    founding: {
      approveFounder: simply(() =>
        side.run(
          Relation,
          `${subsite}.${ann}`,
          addContributor({ subsite, account: ann }, { founder: false, at: 0 }),
          side.by('t2_0', 'admin'),
        ),
      ),
      founderLeaves: simply(() => side.run(Relation, `${subsite}.${ann}`, leaveContributors({ subsite, account: ann }), side.by(ann))),
      founderSubscribes: simply(() => side.run(Subscription, `${ann}.${subsite}`, subscribe(ann, subsite), side.by(ann))),
      founderUnsubscribes: simply(() => side.run(Subscription, `${ann}.${subsite}`, unsubscribe(ann, subsite), side.by(ann))),
    },
  }
  return { begin, themes }
}
