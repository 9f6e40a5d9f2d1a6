import { isOfMail, type MailAct, openMail } from './mail-oracle.ts'
import { type Capacity, type Doer, openStaff, type StaffAct } from './staff-oracle.ts'

/*
 * Defines a second time, as simply as possible and from the interface alone, what moderators may do with some links and comments: the state
 * of each thing, the entries of the moderation log and the queues. It shares nothing with the service.
 */

export type Act =
  | { readonly act: 'remove'; readonly on: number; readonly spam: boolean }
  | { readonly act: 'approve' | 'ignore_reports' | 'unignore_reports' | 'report' | 'edit' | 'del'; readonly on: number }
  | { readonly act: 'lock' | 'unlock' | 'marknsfw' | 'unmarknsfw'; readonly on: number }
  | { readonly act: 'sticky' | 'contest'; readonly on: number; readonly state: boolean }
  | { readonly act: 'distinguish'; readonly on: number; readonly state: boolean; readonly sticky: boolean }
  | { readonly act: 'mute_author'; readonly letter: number }
  | { readonly act: 'unmute_author'; readonly letter: number }
  | StaffAct
  | MailAct

type Thing = {
  readonly name: string
  readonly isLink: boolean
  readonly author: Doer
  /** The account that a comment answers, in whose inbox it is. */
  readonly answers: Doer | null
  /** True for a comment on the link itself. All such comments here are on one link. */
  readonly isTop: boolean
  distinguished: boolean
  removed: boolean
  judged: boolean
  deleted: boolean
  edited: boolean
  locked: boolean
  nsfw: boolean
  contest: boolean
  ignored: boolean
  queued: boolean
  reported: number
  readonly reporters: Set<Doer>
}

/** The facts about a thing before anything is done to it. */
export type Written = Pick<Thing, 'name' | 'isLink' | 'author' | 'answers' | 'isTop'>

export type Queue = 'reports' | 'spam' | 'modqueue' | 'unmoderated' | 'edited'

/** Ends the entries of acts by an admin who did not act as a moderator. */
export const AS_ADMIN = '(as admin)'

/** ann founded the subsite. `things`: by fullname. */
export const openOracle = (things: readonly Written[]) => {
  const all = things.map(
    (thing): Thing => ({
      ...thing,
      distinguished: false,
      removed: false,
      judged: false,
      deleted: false,
      edited: false,
      locked: false,
      nsfw: false,
      contest: false,
      ignored: false,
      queued: false,
      reported: 0,
      reporters: new Set(),
    }),
  )
  const entries: string[] = []
  let slots: Thing[] = []
  /** The comment that is sticky. */
  let leading: Thing | undefined

  const comments = all.filter(({ isLink }) => !isLink).map(({ name }) => name)

  const log = (actor: Doer | 'root', as: Capacity, action: string, target = '', details = '') =>
    void entries.unshift([actor, action, target, details, as === 'admin' ? AS_ADMIN : ''].filter((part) => part !== '').join(' '))
  const staff = openStaff(log, (notice) => mail.notice(notice))
  const mail = openMail(staff)
  const { capacityWith } = staff
  for (const { name, author, answers } of all) if (answers !== null) mail.comment(name, author, answers)

  const judge = (thing: Thing, removed: boolean) => {
    Object.assign(thing, { removed, judged: true, queued: false, reported: 0 })
    mail.withdraw(thing.name, removed)
  }
  const unstick = (thing: Thing): boolean => {
    const was = slots.includes(thing) || leading === thing
    slots = slots.filter((one) => one !== thing)
    if (leading === thing) leading = undefined
    return was
  }

  /** With `sticky` a comment on the link leads, in place of another one; without, or made plain, it does no more. */
  const distinguish = (actor: Doer, as: Capacity, thing: Thing, { state, sticky }: Extract<Act, { readonly act: 'distinguish' }>): void => {
    if (thing.deleted || thing.author !== actor || (sticky && (!thing.isTop || thing.removed))) return
    if (thing.distinguished !== state) log(actor, as, 'distinguish', thing.name, state ? '' : 'remove')
    thing.distinguished = state
    if (!(sticky && state)) {
      if (!thing.isLink && unstick(thing)) log(actor, as, 'unsticky', thing.name)
      return
    }
    if (leading === thing) return
    if (leading) log(actor, as, 'unsticky', leading.name, 'replaced')
    leading = thing
    log(actor, as, 'sticky', thing.name)
  }

  const moderate = (actor: Doer, as: Capacity, act: Act, thing: Thing): void => {
    const kind = thing.isLink ? 'link' : 'comment'
    switch (act.act) {
      case 'remove': {
        if (thing.deleted) return
        log(actor, as, `remove${kind}`, thing.name, act.spam ? (thing.removed ? 'confirm_spam' : 'spam') : 'remove')
        judge(thing, true)
        if (unstick(thing)) log(actor, as, 'unsticky', thing.name)
        return
      }
      case 'approve':
        if (thing.deleted) return
        log(actor, as, `approve${kind}`, thing.name, thing.removed ? 'unspam' : 'confirm_ham')
        judge(thing, false)
        return
      case 'ignore_reports':
      case 'unignore_reports': {
        const ignored = act.act === 'ignore_reports'
        if (thing.deleted || thing.ignored === ignored) return
        thing.ignored = ignored
        log(actor, as, ignored ? 'ignorereports' : 'unignorereports', thing.name)
        return
      }
      case 'lock':
      case 'unlock': {
        const locked = act.act === 'lock'
        if (!thing.isLink || thing.locked === locked) return
        thing.locked = locked
        log(actor, as, act.act, thing.name)
        return
      }
      case 'contest':
        if (!thing.isLink || thing.contest === act.state) return
        thing.contest = act.state
        log(actor, as, act.state ? 'setcontestmode' : 'unsetcontestmode', thing.name)
        return
      case 'sticky': {
        if (!thing.isLink || thing.removed || thing.deleted) return
        if (!act.state) {
          if (unstick(thing)) log(actor, as, 'unsticky', thing.name)
          return
        }
        if (slots.includes(thing)) return
        const [first, second] = slots
        if (first && second) log(actor, as, 'unsticky', second.name, 'replaced')
        slots = first ? [first, thing] : [thing]
        log(actor, as, 'sticky', thing.name)
        return
      }
      case 'distinguish':
        distinguish(actor, as, thing, act)
    }
  }

  const report = (actor: Doer, thing: Thing): void => {
    if (thing.deleted || thing.reporters.has(actor) || staff.is(actor, 'banned')) return
    thing.reporters.add(actor)
    if (thing.removed) return
    thing.reported += 1
    if (!thing.ignored) thing.queued = true
  }

  const onThing = (actor: Doer, act: Extract<Act, { readonly on: number }>): void => {
    const thing = all[act.on % all.length]
    if (!thing) throw new Error('nothing to act on')
    const isOwn = actor === thing.author
    const as = capacityWith(actor, 'posts')
    switch (act.act) {
      case 'report':
        report(actor, thing)
        return
      case 'edit':
        if (isOwn && !thing.deleted) Object.assign(thing, { edited: true, ignored: false })
        return
      case 'del':
        if (!isOwn) return
        Object.assign(thing, { deleted: true, queued: false })
        mail.forget(thing.name)
        unstick(thing)
        return
      case 'marknsfw':
      case 'unmarknsfw': {
        const nsfw = act.act === 'marknsfw'
        if (!thing.isLink || thing.nsfw === nsfw || !(as || isOwn)) return
        thing.nsfw = nsfw
        if (as) log(actor, as, 'marknsfw', thing.name, nsfw ? '' : 'remove')
        return
      }
      default:
        if (as) moderate(actor, as, act, thing)
    }
  }

  const perform = (actor: Doer, act: Act): void => {
    if ('on' in act) onThing(actor, act)
    else if (act.act === 'mute_author' || act.act === 'unmute_author') {
      const letter = mail.sharedLetter(act.letter)
      if (letter && act.act === 'mute_author') staff.muteOver(actor, letter.from, letter.name)
      else if (letter) staff.unmuteOver(actor, letter.from)
    } else if (isOfMail(act)) mail.perform(actor, act, comments)
    else staff.perform(actor, act)
  }

  const isReported = ({ queued, reported, removed }: Thing) => queued && reported > 0 && !removed
  const isIn: Readonly<Record<Queue, (thing: Thing) => boolean>> = {
    reports: isReported,
    spam: ({ removed }) => removed,
    modqueue: isReported,
    unmoderated: ({ isLink, judged }) => isLink && !judged,
    edited: ({ edited }) => edited,
  }

  return {
    perform,
    /** Returns the moderation log, newest first. */
    log: (): readonly string[] => entries,
    queue: (queue: Queue): readonly string[] => all.filter((thing) => !thing.deleted && isIn[queue](thing)).map(({ name }) => name),
    staff,
    mail,
    leading: (): string | undefined => leading?.name,
    stickies: (): readonly string[] => slots.map(({ name }) => name),
    things: (): readonly Readonly<Omit<Thing, 'reporters'>>[] => all,
  }
}
