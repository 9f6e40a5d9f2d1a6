/*
 * Who moderates a subsite and how accounts are related to it, a second time and from the interface alone. It shares nothing with the
 * service.
 */

export const actors = ['ann', 'mod', 'gate', 'alice', 'bob'] as const
export type Actor = (typeof actors)[number]

export const relations = ['banned', 'muted', 'contributor', 'wikibanned', 'wikicontributor'] as const
export type Relation = (typeof relations)[number]

/** How long a ban lasts, null: for ever; and what its moderator notes. Other relations use less of it, or nothing. */
type Term = { readonly days: number | null; readonly note: string }

export type StaffAct =
  | ({ readonly act: 'relate'; readonly type: Relation; readonly whom: Actor } & Partial<Term>)
  | { readonly act: 'unrelate'; readonly type: Relation; readonly whom: Actor }
  | { readonly act: 'invite' | 'permit' | 'permit_invite'; readonly whom: Actor; readonly permissions: string }
  | { readonly act: 'uninvite' | 'dismiss'; readonly whom: Actor }
  | { readonly act: 'accept' | 'leavemoderator' | 'leavecontributor' }

const made = {
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

type Seat = { readonly who: Actor; permissions: string }

/** A message of the service about an act: to an account in the name of the subsite, or to the moderators. */
export type Notice = { readonly to: Actor; readonly from: Actor } | { readonly toModerators: true; readonly from: Actor | null }

export type Staff = ReturnType<typeof openStaff>

/** ann founded the subsite; `tell` is called with each notice. */
export const openStaff = (
  log: (actor: Actor | 'root', action: string, target?: string, details?: string) => void,
  tell: (notice: Notice) => void,
) => {
  /** The most senior first. */
  const seats: Seat[] = [{ who: 'ann', permissions: '+all' }]
  const invitations = new Map<Actor, string>()
  const related = new Map<Actor, Map<Relation, Term>>(
    actors.map((actor) => [actor, new Map(actor === 'ann' ? [['contributor', plain]] : [])]),
  )

  const seatOf = (actor: Actor) => seats.find(({ who }) => who === actor)
  const is = (actor: Actor, type: Relation): boolean => related.get(actor)?.has(type) ?? false
  const may = (actor: Actor, permission: string): boolean =>
    (seatOf(actor)?.permissions ?? '').split(',').some((term) => term === '+all' || term === `+${permission}`)
  const isUnlimited = (actor: Actor) => seatOf(actor)?.permissions === '+all'
  /** Whether a moderator may act on another one: with all permissions, and no less senior. */
  const isOver = (actor: Actor, other: Actor): boolean =>
    isUnlimited(actor) && seats.findIndex(({ who }) => who === actor) <= seats.findIndex(({ who }) => who === other)
  const leave = (actor: Actor): void =>
    void seats.splice(
      seats.findIndex(({ who }) => who === actor),
      1,
    )

  const mayRelate = (actor: Actor, type: Relation): boolean => needed[type].every((permission) => may(actor, permission))

  /** Who is one already stays one, and who is banned or muted is not trusted with more. */
  const trust = (actor: Actor, type: Relation, whom: Actor, own: Map<Relation, Term>): void => {
    if (own.has(type) || own.has('banned') || own.has('muted')) return
    own.set(type, plain)
    log(actor, made[type], whom)
    if (!type.startsWith('wiki')) tell({ to: whom, from: actor })
  }

  /** Moderators are restricted in the wiki only. Again: a ban changes to another term, or the note changes; the same is no act. */
  const restrict = (actor: Actor, type: Relation, whom: Actor, own: Map<Relation, Term>, term: Term): void => {
    if ((type === 'banned' || type === 'muted') && seatOf(whom)) return
    const before = own.get(type)
    const isKept = before !== undefined && (type === 'muted' || before.days === term.days)
    if (isKept && before.note === term.note) return
    own.set(type, term)
    const lasting = type === 'muted' ? '' : spelt(term)
    const changed = before === undefined ? lasting : `changed to ${lasting}`
    log(actor, made[type], whom, `${isKept ? 'changed note' : changed} ${term.note}`.trim())
    if (type === 'banned' && invitations.delete(whom)) log(actor, 'uninvitemoderator', whom)
    if (!isKept && !type.startsWith('wiki')) tell({ to: whom, from: actor })
  }

  const relate = (actor: Actor, type: Relation, whom: Actor, { days = null, note = '' }: Partial<Term>): void => {
    const own = related.get(whom)
    if (!own || !mayRelate(actor, type)) return
    if (type.endsWith('contributor')) trust(actor, type, whom, own)
    else restrict(actor, type, whom, own, { days, note })
  }

  const unrelate = (actor: Actor, type: Relation, whom: Actor): void => {
    if (related.get(whom)?.delete(type)) log(actor, ended[type], whom)
  }

  const perform = (actor: Actor, act: StaffAct): void => {
    switch (act.act) {
      case 'relate':
        relate(actor, act.type, act.whom, act)
        return
      case 'unrelate': {
        // any moderator may end an own relation
        const allowed = act.whom === actor ? seatOf(actor) !== undefined : mayRelate(actor, act.type)
        if (allowed) unrelate(actor, act.type, act.whom)
        return
      }
      case 'invite':
        if (!isUnlimited(actor) || seatOf(act.whom) || is(act.whom, 'banned') || is(act.whom, 'muted')) return
        if (invitations.has(act.whom)) return
        invitations.set(act.whom, act.permissions)
        log(actor, 'invitemoderator', act.whom)
        tell({ to: act.whom, from: actor })
        tell({ toModerators: true, from: null })
        return
      case 'uninvite':
        if (may(actor, 'access') && invitations.delete(act.whom)) log(actor, 'uninvitemoderator', act.whom)
        return
      case 'accept': {
        const permissions = invitations.get(actor)
        if (permissions === undefined || is(actor, 'banned')) return
        invitations.delete(actor)
        seats.push({ who: actor, permissions })
        log(actor, 'acceptmoderatorinvite')
        tell({ toModerators: true, from: actor })
        return
      }
      case 'permit': {
        const seat = seatOf(act.whom)
        if (!seat || act.whom === actor || !isOver(actor, act.whom) || seat.permissions === act.permissions) return
        seat.permissions = act.permissions
        log(actor, 'setpermissions', act.whom, `permission_moderator ${act.permissions}`)
        return
      }
      case 'permit_invite':
        if (!isUnlimited(actor) || (invitations.get(act.whom) ?? act.permissions) === act.permissions) return
        invitations.set(act.whom, act.permissions)
        log(actor, 'setpermissions', act.whom, `permission_moderator_invite ${act.permissions}`)
        return
      case 'dismiss':
        if (!seatOf(act.whom) || (act.whom !== actor && !isOver(actor, act.whom))) return
        leave(act.whom)
        log(actor, 'removemoderator', act.whom, act.whom === actor ? 'remove_self' : '')
        if (act.whom !== actor) tell({ to: act.whom, from: actor })
        return
      case 'leavemoderator':
        if (!seatOf(actor)) return
        leave(actor)
        log(actor, 'removemoderator', actor, 'remove_self')
        return
      case 'leavecontributor':
        related.get(actor)?.delete('contributor')
    }
  }

  /** An admin gives somebody a seat without an invitation; a pending one is used up by it. */
  const seat = (whom: Actor, permissions: string): void => {
    if (seatOf(whom) || is(whom, 'banned') || is(whom, 'muted')) return
    invitations.delete(whom)
    seats.push({ who: whom, permissions })
    log('root', 'addmoderator', whom)
  }

  return {
    perform,
    seat,
    /** Mutes who wrote a letter to the moderators, which the note names; a mute that lasts stays as it is. */
    muteOver: (actor: Actor, whom: Actor, letter: string): void => {
      if (!is(whom, 'muted')) relate(actor, 'muted', whom, { note: letter })
    },
    unmuteOver: (actor: Actor, whom: Actor): void => {
      if (mayRelate(actor, 'muted')) unrelate(actor, 'muted', whom)
    },
    is,
    may,
    isInvited: (actor: Actor): boolean => invitations.has(actor),
    moderates: (actor: Actor): boolean => seatOf(actor) !== undefined,
    /** The moderators, the most senior first. */
    seats: (): readonly Readonly<Seat>[] => seats,
  }
}
