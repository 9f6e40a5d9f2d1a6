import { Account, registerAccount } from '../domain/account.ts'
import { ADMINS_ID, Admins, grantAdmin } from '../domain/admins.ts'
import { type Decide, noEvents } from '../domain/decision.ts'
import { type AnyEvent, SERVICE } from '../domain/event.ts'
import type { AccountId } from '../domain/ids.ts'
import { foundModeration, Moderators } from '../domain/moderators.ts'
import { claimOf } from '../domain/names.ts'
import { addContributor, Relation } from '../domain/relation.ts'
import { Subscription, subscribe } from '../domain/subscription.ts'
import { createSubsite, Subsite } from '../domain/subsite.ts'
import { type Command, followUp } from '../runtime/command.ts'
import { type Consequence, command, type Reactions } from './reaction.ts'

/** Types of subsite whose access does not depend on being a contributor. */
const withoutContributors = new Set(['employees_only', 'gold_only'])

/** Begins a stream with the content of a claim. If the stream exists, this has been done, or newer events take precedence. */
const decideFirst =
  <State, Event extends AnyEvent>(decide: Decide<State, Event>): Decide<State, Event> =>
  (state) =>
    state === undefined ? decide(state) : noEvents

/** Records an account with the name of an admin as one. */
const grant =
  (name: string, account: AccountId, by: Command): Consequence =>
  async ({ run, admins }) =>
    admins.includes(claimOf(name)) ? run(Admins, ADMINS_ID, grantAdmin(account), by) : undefined

/** This reaction finishes a claim on a name, which contains all data of the creation. */
export const claims: Reactions = {
  UsernameClaimed: (claim) => {
    const { account, name } = claim.data
    const by = followUp(claim, 'register', { account, as: 'user' })
    const granting = followUp(claim, 'grant', SERVICE)
    return [command(Account, account, decideFirst(registerAccount(account, name)), by), grant(name, account, granting)]
  },
  SubsiteNameClaimed: (claim) => {
    const { subsite, name, creator, settings } = claim.data
    const membership = { subsite, account: creator }
    const by = followUp(claim, 'create', { account: creator, as: 'user' })
    const contributor = addContributor(membership, { founder: true, at: claim.at })
    return [
      command(Subsite, subsite, decideFirst(createSubsite({ subsite, name, creator, settings })), by),
      command(Moderators, subsite, decideFirst(foundModeration(membership)), by),
      ...(withoutContributors.has(settings.type) ? [] : [command(Relation, `${subsite}.${creator}`, decideFirst(contributor), by)]),
      command(Subscription, `${creator}.${subsite}`, decideFirst(subscribe(creator, subsite)), by),
    ]
  },
}
