import { type Actor, actors, openStaff, type StaffAct } from './staff-oracle.ts'

/*
 * Models the permissions of a history's accounts in a subsite, from the interface alone: by their seat, their relations to the subsite and
 * its type. It shares nothing with the service.
 */

/** root is an admin. */
export const people = [...actors, 'root'] as const
export type Person = (typeof people)[number]

/** An entry of the moderation log. */
export type Entry = {
  readonly by: Person
  readonly action: string
  readonly target?: string
  readonly details?: string
  readonly description?: string
}

/** An entry as one line; `-` where it has nothing. */
export const lineOf = ({ by, action, target, details, description }: Entry): string =>
  [by, action, target, details, description].map((part) => (part === undefined || part === '' ? '-' : part)).join(' | ')

/** Records the entries of one effect, or of several whose order the interface leaves open. */
export type Log = (...entries: readonly Entry[]) => void

/** The answer of the service to an act: nothing if it is done, else a refusal, as a form or an error code has it. */
export type Outcome = string
export const DONE: Outcome = ''

export const subsiteTypes = ['public', 'restricted', 'private', 'archived', 'gold_restricted', 'gold_only', 'employees_only'] as const
export type SubsiteType = (typeof subsiteTypes)[number]

export type SeatAct = StaffAct<Actor> | { readonly act: 'seat'; readonly whom: Actor; readonly permissions: string }
export type Standing = ReturnType<typeof openStanding>

/** ann founded the subsite, `type` is what it is now; nobody has gold. */
export const openStanding = (log: Log, type: () => SubsiteType) => {
  const staff = openStaff(
    (doer, _, action, target = '', details = '') => {
      const by = doer === 'chief' ? 'root' : doer // nobody is chief here
      const [tag = '', ...rest] = details.split(' ')
      log({ by, action, target, details: tag, description: rest.join(' ') })
    },
    () => undefined,
  )
  const isMember = (who: Person): boolean => who !== 'root' && (staff.moderates(who) || staff.is(who, 'contributor'))

  const views = (who: Person): boolean => {
    if (who === 'root') return true
    const invited = staff.moderates(who) || staff.isInvited(who)
    if (type() === 'private') return invited || isMember(who)
    return invited || (type() !== 'gold_only' && type() !== 'employees_only')
  }

  return {
    /** Gives the permissions of the interface: an admin has them all. */
    may: (who: Person, permission: string): boolean => who === 'root' || staff.may(who, permission),
    is: (who: Person, relation: Parameters<typeof staff.is>[1]): boolean => who !== 'root' && staff.is(who, relation),
    moderates: (who: Person): boolean => who !== 'root' && staff.moderates(who),
    isMember,
    views,
    submits: (who: Person): boolean => views(who) && who !== 'root' && !staff.is(who, 'banned') && (type() === 'public' || isMember(who)),
    comments: (who: Person): boolean =>
      views(who) && who !== 'root' && !staff.is(who, 'banned') && (type() === 'public' || type() === 'restricted' || isMember(who)),
    seats: staff.seats,
    perform: (who: Person, act: SeatAct): void => {
      if (act.act === 'seat') {
        if (who === 'root') staff.seat(act.whom, act.permissions)
      } else if (who !== 'root') staff.perform(who, act)
    },
  }
}
