// Decision 49.

import type { Actor, Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import { audienceCauses } from './audiences.ts'
import { dueAfter, dueAt, dueOf, expectDue, multiOf, system } from './due.ts'
import { membershipCauses } from './membership-causes.ts'
import type { LedgerRules } from './rule.ts'
import { expectAccountEnd } from './seats.ts'
import { toShortText, toShortTexts } from './short.ts'
import { stickyCauses } from './sticky-causes.ts'

// The consequences of each event, as of that event.

const asUser = (account: string): Actor => ({ account, as: 'user' })

/** Types of subsite that contributors do not get into. */
const closed: ReadonlySet<string> = new Set(['employees_only', 'gold_only'])

/** Expects texts to be erased. The recount of the read models checks that they are, since it has no key either. */
const expectErasure = (cause: Envelope & Logged, account: string, thing?: string, required = true): LedgerEntry =>
  expectDue(cause, `AccountTextsErased ${thing ?? account}`, { by: system, required, data: { account } })

const expectSuspension = (cause: Logged<'AccountSuspended'>): readonly LedgerEntry[] => {
  const { account, until } = cause.data
  const key = `AccountSuspensionExpired ${account}`
  const excusedBy = [key, `AccountUnsuspended ${account}`, `AccountSuspended ${account}`]
  return until === null ? [] : [dueAt(cause, key, until, excusedBy)]
}

/** Expects gold for an account, which a message of the service announces, without an author. */
const expectGold = (cause: Logged<'ThingGilded' | 'GoldGiven'>, account: string, days: number): readonly LedgerEntry[] => {
  const data = { author: null, to: account, subsite: null, fromSubsite: false, modmail: false, parent: null, distinguished: 'gold-auto' }
  return [
    expectDue(cause, `GoldExtended ${account}`, { by: system, data: { account, days }, excusedBy: [] }),
    expectDue(cause, `MessageSent ${account}`, { by: system, data, excusedBy: [] }),
  ]
}

const otherCauses: LedgerRules = {
  AccountSuspended: expectSuspension,
  ThingGilded: (cause) => expectGold(cause, cause.data.author, 31),
  GoldGiven: (cause) => expectGold(cause, cause.data.to, 31 * cause.data.months),
  GoldExtended: (cause) => {
    const { account, until } = cause.data
    return [dueAt(cause, `GoldExpired ${account}`, until, [`GoldExtended ${account}`, `GoldExpired ${account}`])]
  },
  AccountErased: (cause) => [expectAccountEnd(cause), expectErasure(cause, cause.data.account)],
  LinkErased: (cause) => [expectErasure(cause, cause.data.target.author, cause.data.target.id)],
  CommentErased: (cause) => [expectErasure(cause, cause.data.target.author, cause.data.target.id)],
  MessageErased: (cause) => [expectErasure(cause, cause.data.author, cause.data.message)],
  WikiRevisionErased: (cause) => [expectErasure(cause, cause.data.author, cause.data.revision)],
  AccountTextsErased: (cause) => [expectErasure(cause, cause.data.account, cause.data.thing, cause.data.next !== null)],
  // in the other subsites that show it
  ImageErased: (cause) => {
    const { hash, reason } = cause.data
    return [
      expectDue(cause, `ImageErased ${hash}`, {
        required: false,
        repeats: true,
        data: { hash: toShortText(hash), reason: toShortText(reason) },
      }),
    ]
  },
  UsernameClaimed: (claim) => {
    const { account, name } = claim.data
    return [
      expectDue(claim, `AccountRegistered ${account}`, { by: asUser(account), data: { account, name } }),
      expectDue(claim, `AdminGranted ${account}`, { by: system, required: false }), // only the configuration knows
    ]
  },
  SubsiteNameClaimed: (claim) => {
    const { subsite, name, creator, settings } = claim.data
    const by = asUser(creator)
    const pair = `${subsite}.${creator}`
    return [
      expectDue(claim, `SubsiteCreated ${subsite}`, { by, data: { name, creator, settings: toShortTexts(settings) } }),
      expectDue(claim, `ModeratorAdded ${pair}`, { by, data: { permissions: '+all', founder: true } }),
      ...(closed.has(settings.type) ? [] : [expectDue(claim, `ContributorAdded ${pair}`, { by, data: { founder: true } })]),
      expectDue(claim, `Subscribed ${pair}`, { by }),
    ]
  },
  InboxCleared: (cause) => {
    const { account, things } = cause.data
    return things.flatMap((thing) => {
      const marks = [`InboxEntryRead ${account}.${thing}`, `InboxEntryUnread ${account}.${thing}`]
      const due = dueOf(cause, `InboxEntryRead ${account}.${thing}`, { by: asUser(account), excusedBy: marks })
      return dueAfter<{ readonly new: boolean }>(
        ['inbox', `${account}.${thing}`],
        (row) => ({ ...due, required: row?.new === true }),
        due.id,
      )
    })
  },
  MultiCreated: (cause) => {
    const { account, kind, renamed } = cause.data
    if (renamed === undefined) return []
    const former = multiOf({ account, kind, name: renamed.from })
    const ends = ['MultiEdited', 'MultiDeleted'].map((type) => `${type} ${former}`)
    const due = dueOf(cause, `MultiDeleted ${former}`, { excusedBy: ends })
    return dueAfter<{ readonly revision: number }>(
      ['audit_tips', `multi-${former}`],
      (tip) => ({ ...due, required: tip?.revision === renamed.revision }),
      due.id,
    )
  },
}

/** All tables of causes. An event in several of them causes the consequences of each. */
export const allCauses: readonly LedgerRules[] = [membershipCauses, stickyCauses, audienceCauses, otherCauses]
