/*
 * Models the moderators of a subsite and the relations of accounts with it, a second time and from the interface alone. It shares nothing
 * with the service.
 */

export const actors = ['ann', 'mod', 'gate', 'alice', 'bob'] as const
export type Actor = (typeof actors)[number]
/** `chief` is an admin, who may also become a moderator. */
export type Doer = Actor | 'chief'
/** The capacity in which somebody acts: an admin acts as a moderator where their seat allows the act. */
export type Capacity = 'moderator' | 'admin'

export const relations = ['banned', 'muted', 'contributor', 'wikibanned', 'wikicontributor'] as const
export type Relation = (typeof relations)[number]

/** The length of a ban, null for ever, and the note of its moderator. Other relations use less of it, or nothing. */
type Term = { readonly days: number | null; readonly note: string }

/** `Who` may be made a moderator. */
export type StaffAct<Who extends Doer = Doer> =
  | ({ readonly act: 'relate'; readonly type: Relation; readonly whom: Actor } & Partial<Term>)
  | { readonly act: 'unrelate'; readonly type: Relation; readonly whom: Actor }
  | { readonly act: 'invite' | 'permit' | 'permit_invite'; readonly whom: Who; readonly permissions: string }
  | { readonly act: 'uninvite' | 'dismiss'; readonly whom: Who }
  | { readonly act: 'accept' | 'leavemoderator' | 'leavecontributor' }

const addActions = {
  banned: 'banuser',
  muted: 'muteuser',
  contributor: 'addcontributor',
  wikibanned: 'wikibanned',
  wikicontributor: 'wikicontributor',
}
const ended = {
  ...{ banned: 'unbanuser', muted: 'unmuteuser', contributor: 'removecontributor', wikibanned: 'wikiunbanned' },
  wikicontributor: 'removewikicontributor',
}
const needed = { banned: ['access'], muted: ['access', 'mail'], contributor: ['access'], wikibanned: ['wiki'], wikicontributor: ['wiki'] }

const plain: Term = { days: null, note: '' }
const spelt = ({ days }: Term): string => (days === null ? 'permanent' : `${days} days`)

type Seat = { readonly who: Doer; permissions: string }

/** A message of the service about an act: to an account in the name of the subsite, or to the moderators. */
export type Notice = { readonly to: Doer; readonly from: Doer } | { readonly toModerators: true; readonly from: Doer | null }

export type Staff = ReturnType<typeof openStaff>

type By = { readonly actor: Doer; readonly as: Capacity }

/** ann founded the subsite; `tell` is called with each notice. */
export const openStaff = (
  log: (actor: Doer | 'root', as: Capacity, action: string, target?: string, details?: string) => void,
  tell: (notice: Notice) => void,
) => {
  /** The most senior first. */
  const seats: Seat[] = [{ who: 'ann', permissions: '+all' }]
  const invitations = new Map<Doer, string>()
  const related = new Map<Doer, Map<Relation, Term>>(
    actors.map((actor) => [actor, new Map(actor === 'ann' ? [['contributor', plain]] : [])]),
  )

  const seatOf = (actor: Doer) => seats.find(({ who }) => who === actor)
  const is = (actor: Doer, type: Relation): boolean => related.get(actor)?.has(type) ?? false
  const may = (actor: Doer, permission: string): boolean =>
    (seatOf(actor)?.permissions ?? '').split(',').some((term) => term === '+all' || term === `+${permission}`)
  const isUnlimited = (actor: Doer) => seatOf(actor)?.permissions === '+all'
  /** Tells whether a moderator may act on another one: with all permissions, and no less senior. */
  const isOver = (actor: Doer, other: Doer): boolean =>
    isUnlimited(actor) && seats.findIndex(({ who }) => who === actor) <= seats.findIndex(({ who }) => who === other)
  const leave = (actor: Doer): void =>
    void seats.splice(
      seats.findIndex(({ who }) => who === actor),
      1,
    )

  /** Returns the capacity in which somebody acts, by whether they are allowed to as a moderator; undefined if they may not act at all. */
  const capacity = (actor: Doer, isAllowed: boolean): Capacity | undefined =>
    isAllowed ? 'moderator' : actor === 'chief' ? 'admin' : undefined
  const capacityWith = (actor: Doer, ...permissions: readonly string[]) =>
    capacity(
      actor,
      permissions.every((permission) => may(actor, permission)),
    )

  /** Trusts an account with more. One that has the relation keeps it, and a banned or muted one does not get it. */
  const trust = ({ actor, as }: By, type: Relation, whom: Doer, own: Map<Relation, Term>): void => {
    if (own.has(type) || own.has('banned') || own.has('muted')) return
    own.set(type, plain)
    log(actor, as, addActions[type], whom)
    if (!type.startsWith('wiki')) tell({ to: whom, from: actor })
  }

  /** Moderators are restricted in the wiki only. Again: a ban changes to another term, or the note changes; the same is no act. */
  const restrict = ({ actor, as }: By, type: Relation, whom: Doer, own: Map<Relation, Term>, term: Term): void => {
    if ((type === 'banned' || type === 'muted') && seatOf(whom)) return
    const before = own.get(type)
    const isKept = before !== undefined && (type === 'muted' || before.days === term.days)
    if (isKept && before.note === term.note) return
    own.set(type, term)
    const lasting = type === 'muted' ? '' : spelt(term)
    const changed = before === undefined ? lasting : `changed to ${lasting}`
    log(actor, as, addActions[type], whom, `${isKept ? 'changed note' : changed} ${term.note}`.trim())
    if (type === 'banned' && invitations.delete(whom)) log(actor, as, 'uninvitemoderator', whom)
    if (!isKept && !type.startsWith('wiki')) tell({ to: whom, from: actor })
  }

  const relate = (actor: Doer, type: Relation, whom: Doer, { days = null, note = '' }: Partial<Term>): void => {
    const terms = related.get(whom)
    const as = capacityWith(actor, ...needed[type])
    if (!terms || !as) return
    if (type.endsWith('contributor')) trust({ actor, as }, type, whom, terms)
    else restrict({ actor, as }, type, whom, terms, { days, note })
  }

  const unrelate = (actor: Doer, as: Capacity, type: Relation, whom: Doer): void => {
    if (related.get(whom)?.delete(type)) log(actor, as, ended[type], whom)
  }

  const perform = (actor: Doer, act: StaffAct): void => {
    switch (act.act) {
      case 'relate':
        relate(actor, act.type, act.whom, act)
        return
      case 'unrelate': {
        // any moderator may end an own relation
        const as = act.whom === actor ? capacity(actor, seatOf(actor) !== undefined) : capacityWith(actor, ...needed[act.type])
        if (as) unrelate(actor, as, act.type, act.whom)
        return
      }
      case 'invite': {
        const as = capacity(actor, isUnlimited(actor))
        if (!as || seatOf(act.whom) || is(act.whom, 'banned') || is(act.whom, 'muted')) return
        if (invitations.has(act.whom)) return
        invitations.set(act.whom, act.permissions)
        log(actor, as, 'invitemoderator', act.whom)
        tell({ to: act.whom, from: actor })
        tell({ toModerators: true, from: null })
        return
      }
      case 'uninvite': {
        const as = capacityWith(actor, 'access')
        if (as && invitations.delete(act.whom)) log(actor, as, 'uninvitemoderator', act.whom)
        return
      }
      case 'accept': {
        const permissions = invitations.get(actor)
        if (permissions === undefined || is(actor, 'banned')) return
        invitations.delete(actor)
        seats.push({ who: actor, permissions })
        log(actor, 'moderator', 'acceptmoderatorinvite')
        tell({ toModerators: true, from: actor })
        return
      }
      case 'permit': {
        const seat = seatOf(act.whom)
        const as = capacity(actor, isOver(actor, act.whom))
        if (!seat || act.whom === actor || !as || seat.permissions === act.permissions) return
        seat.permissions = act.permissions
        log(actor, as, 'setpermissions', act.whom, `permission_moderator ${act.permissions}`)
        return
      }
      case 'permit_invite': {
        const as = capacity(actor, isUnlimited(actor))
        if (!as || (invitations.get(act.whom) ?? act.permissions) === act.permissions) return
        invitations.set(act.whom, act.permissions)
        log(actor, as, 'setpermissions', act.whom, `permission_moderator_invite ${act.permissions}`)
        return
      }
      case 'dismiss': {
        const as = capacity(actor, act.whom === actor || isOver(actor, act.whom))
        if (!seatOf(act.whom) || !as) return
        leave(act.whom)
        log(actor, as, 'removemoderator', act.whom, act.whom === actor ? 'remove_self' : '')
        if (act.whom !== actor) tell({ to: act.whom, from: actor })
        return
      }
      case 'leavemoderator':
        if (!seatOf(actor)) return
        leave(actor)
        log(actor, 'moderator', 'removemoderator', actor, 'remove_self')
        return
      case 'leavecontributor':
        related.get(actor)?.delete('contributor')
    }
  }

  /** An admin gives somebody a seat without an invitation; a pending one is used up by it. */
  const seat = (whom: Doer, permissions: string): void => {
    if (seatOf(whom) || is(whom, 'banned') || is(whom, 'muted')) return
    invitations.delete(whom)
    seats.push({ who: whom, permissions })
    log('root', 'admin', 'addmoderator', whom)
  }

  return {
    perform,
    seat,
    /** Mutes who wrote a letter to the moderators, which the note names; a mute that lasts stays as it is. */
    muteOver: (actor: Doer, whom: Doer, letter: string): void => {
      if (!is(whom, 'muted')) relate(actor, 'muted', whom, { note: letter })
    },
    unmuteOver: (actor: Doer, whom: Doer): void => {
      const as = capacityWith(actor, ...needed.muted)
      if (as) unrelate(actor, as, 'muted', whom)
    },
    is,
    may,
    capacityWith,
    isInvited: (actor: Doer): boolean => invitations.has(actor),
    moderates: (actor: Doer): boolean => seatOf(actor) !== undefined,
    /** Returns the moderators, the most senior first. */
    seats: (): readonly Readonly<Seat>[] => seats,
  }
}
