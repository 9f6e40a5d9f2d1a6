import type { Doer, Notice, Staff } from './staff-oracle.ts'

/*
 * Private messages, the mail of a subsite's moderators and what is unread of both, a second time and from the interface alone.
 */

export type MailAct =
  | { readonly act: 'write'; readonly to: Doer | 'moderators'; readonly inName: boolean }
  | { readonly act: 'answer' | 'discard' | 'complain' | 'hide' | 'show'; readonly letter: number }
  | { readonly act: 'mark'; readonly entry: number; readonly unread: boolean }
  | { readonly act: 'block'; readonly entry: number }
  | { readonly act: 'unblock'; readonly whom: Doer }
  | { readonly act: 'unblock_subsite'; readonly letter: number }
  | { readonly act: 'read_all' }
  | { readonly act: 'read_shared' }

const acts: readonly string[] = [
  'write',
  'answer',
  'discard',
  'complain',
  'hide',
  'show',
  'mark',
  'read_all',
  'read_shared',
  'block',
  'unblock',
  'unblock_subsite',
] satisfies readonly MailAct['act'][]
export const isOfMail = (act: { readonly act: string }): act is MailAct => acts.includes(act.act)

type Letter = {
  /** `letter 3`; undefined: a notice of the service. */
  readonly name: string | undefined
  readonly from: Doer | null
  /** Null: the moderators. */
  readonly to: Doer | null
  readonly inName: boolean
  /** Also mail of the moderators. */
  readonly shared: boolean
  readonly root: Letter | undefined
  unread: boolean
  hidden: boolean
  readonly complaints: Set<Doer>
  /** The accounts whose inboxes it entered. */
  readonly recipients: Set<Doer>
}

type Entry = { readonly from: Doer | null; unread: boolean; withdrawn: boolean }

export const openMail = (staff: Pick<Staff, 'may' | 'moderates' | 'is'>) => {
  const letters: Letter[] = []
  /** Entries by the owner of the inbox and the item: a letter, or the fullname of a comment. */
  const inboxes = new Map<Doer, Map<Letter | string, Entry>>()
  const cleared = new Set<Doer>()
  const blocked = new Map<Doer, Set<Doer>>()
  /** The accounts that block the subsite. */
  const refusing = new Set<Doer>()

  const inboxOf = (actor: Doer) => {
    const inbox = inboxes.get(actor) ?? new Map<Letter | string, Entry>()
    inboxes.set(actor, inbox)
    return inbox
  }
  const enter = (actor: Doer, what: Letter | string, from: Doer | null): void => {
    if (typeof what !== 'string') what.recipients.add(actor)
    inboxOf(actor).set(what, { from, unread: actor !== from, withdrawn: false })
  }
  const isBlocking = (actor: Doer, other: Doer | null): boolean => other !== null && (blocked.get(actor)?.has(other) ?? false)
  /**
   * Tells whether the viewer does not see an item: it is by a blocked account. But moderators read on where they moderate, and the mail of
   * a subsite hides its author.
   */
  const isLeftOut = (actor: Doer, what: Letter | string, from: Doer | null): boolean =>
    isBlocking(actor, from) && (typeof what === 'string' ? !staff.moderates(actor) : !what.shared)

  const post = (letter: Omit<Letter, 'hidden' | 'complaints' | 'recipients'>): Letter => {
    const posted = { ...letter, hidden: false, complaints: new Set<Doer>(), recipients: new Set<Doer>() }
    letters.push(posted)
    // moderators read the mail of their subsite where all of them do; what was sent during a block never arrives
    const { to, from, shared } = posted
    if (to !== null && !(shared ? staff.moderates(to) : isBlocking(to, from))) enter(to, posted, from)
    return posted
  }

  const named = () => letters.filter(({ name }) => name !== undefined)
  const nameOfNext = () => `letter ${named().length}`
  const rootOf = (letter: Letter) => letter.root ?? letter

  const write = (actor: Doer, to: Doer | 'moderators', inName: boolean): void => {
    const letter = { name: nameOfNext(), from: actor, inName, root: undefined, unread: true }
    if (to === 'moderators') {
      if (!staff.is(actor, 'muted') && !inName) post({ ...letter, to: null, shared: true })
      return
    }
    if (isBlocking(actor, to) || (inName && refusing.has(to))) return
    if (inName && (!staff.may(actor, 'mail') || (to !== actor && staff.is(to, 'muted')))) return
    post({ ...letter, to, shared: inName })
  }

  const mayRead = (actor: Doer, letter: Letter): boolean => {
    if (letter.from === actor) return true
    const root = rootOf(letter)
    return !letter.hidden && ([letter.to, root.from, root.to].includes(actor) || (letter.shared && staff.may(actor, 'mail')))
  }

  const answer = (actor: Doer, letter: Letter): void => {
    if (!mayRead(actor, letter)) return
    const root = rootOf(letter)
    const ends = [root.from, root.to].filter((end): end is Doer => end !== null && end !== actor)
    if (letter.shared && staff.moderates(actor) && ends.some((end) => staff.is(end, 'muted'))) return
    if (letter.shared && staff.is(actor, 'muted')) return
    if (!letter.inName && isBlocking(actor, letter.from)) return
    const to = letter.inName ? null : letter.from
    const { shared } = letter
    const reply = post({ name: nameOfNext(), from: actor, to, inName: false, shared, root, unread: true })
    // the account that began the conversation follows it, unless the mail of the moderators shows it
    if (shared) for (const end of ends) if (end !== to && !staff.may(end, 'mail')) enter(end, reply, actor)
  }

  const mark = (actor: Doer, what: Letter | string, unread: boolean): void => {
    const from = typeof what === 'string' ? undefined : what.from
    const entry = inboxOf(actor).get(what)
    if (entry && from !== actor) entry.unread = unread
    if (typeof what !== 'string' && what.shared && staff.moderates(actor)) what.unread = unread
  }

  const sharedNews = (actor: Doer): readonly Letter[] =>
    letters.filter(
      ({ shared, unread, hidden, from, complaints }) => shared && unread && !hidden && from !== actor && !complaints.has(actor),
    )

  const block = (actor: Doer, what: Letter | string): void => {
    const entry = inboxOf(actor).get(what)
    const isLetter = typeof what !== 'string'
    const from = isLetter ? what.from : (entry?.from ?? null)
    if (from === actor || from === null) return
    const isMine = isLetter ? what.recipients.has(actor) || what.to === actor : entry !== undefined && !entry.withdrawn
    if (isLetter && what.inName) {
      if (isMine && !staff.moderates(actor)) refusing.add(actor)
      return
    }
    const isMail = isLetter && what.shared && staff.may(actor, 'mail')
    if (isMail || (isMine && !(isLetter && what.hidden))) blocked.set(actor, (blocked.get(actor) ?? new Set()).add(from))
  }

  const withdraw = (what: Letter | string, withdrawn: boolean): void => {
    for (const inbox of inboxes.values()) {
      const entry = inbox.get(what)
      if (entry) entry.withdrawn = withdrawn
    }
  }

  /** `comments`: what a mark may concern besides letters. */
  const perform = (actor: Doer, act: MailAct, comments: readonly string[]): void => {
    if (act.act === 'write') {
      write(actor, act.to, act.inName)
      return
    }
    if (act.act === 'read_all') {
      const unread = [...inboxOf(actor).values()].filter((entry) => entry.unread && !entry.withdrawn)
      if (cleared.has(actor) || unread.length === 0) return
      cleared.add(actor)
      for (const entry of unread) entry.unread = false
      return
    }
    if (act.act === 'read_shared') {
      if (staff.may(actor, 'mail')) for (const letter of sharedNews(actor)) mark(actor, letter, false)
      return
    }
    if (act.act === 'unblock') {
      blocked.get(actor)?.delete(act.whom)
      return
    }
    if (act.act === 'mark' || act.act === 'block') {
      const all = [...comments, ...named()]
      const what = all[act.entry % all.length]
      if (what === undefined) return
      if (act.act === 'mark') mark(actor, what, act.unread)
      else block(actor, what)
      return
    }
    const letter = named()[act.letter % Math.max(1, named().length)]
    if (letter === undefined) return
    switch (act.act) {
      case 'answer':
        answer(actor, letter)
        return
      case 'discard':
        if (letter.to === actor) inboxOf(actor).delete(letter)
        return
      case 'unblock_subsite':
        if (letter.inName) refusing.delete(actor)
        return
      case 'complain':
        if (letter.to !== actor && !(letter.shared && staff.moderates(actor))) return
        letter.complaints.add(actor)
        inboxOf(actor).delete(letter)
        return
      default:
        if (!letter.shared || !staff.may(actor, 'mail')) return
        letter.hidden = act.act === 'hide'
        withdraw(letter, letter.hidden)
        return
    }
  }

  const nameOf = ({ name }: Letter) => name ?? 'notice'

  return {
    perform,
    /** Returns the number of letters. */
    sent: (): number => named().length,
    /** A letter to the moderators or in their name: what it is called, and who wrote it. */
    sharedLetter: (n: number): { readonly name: string; readonly from: Doer } | undefined => {
      const { shared, name, from } = named()[n % Math.max(1, named().length)] ?? {}
      return shared && name !== undefined && from ? { name, from } : undefined
    },
    /** A notice of the service, which is no news for the moderators where one of them caused it. */
    notice: (notice: Notice): void => {
      const rest = { name: undefined, from: notice.from, shared: true, root: undefined }
      if ('to' in notice) post({ ...rest, to: notice.to, inName: true, unread: false })
      else post({ ...rest, to: null, inName: false, unread: true })
    },
    /** A comment enters an inbox; it leaves for good, or while it is removed. */
    comment: (fullname: string, from: Doer, to: Doer): void => enter(to, fullname, from),
    withdraw,
    forget: (fullname: string): void => {
      for (const inbox of inboxes.values()) inbox.delete(fullname)
    },
    /** Returns the unread entries of an inbox: the subjects of letters, `notice`, and comments by their fullnames. */
    unread: (actor: Doer): readonly string[] =>
      [...inboxOf(actor)]
        .filter(([what, { from, unread, withdrawn }]) => unread && !withdrawn && !isLeftOut(actor, what, from))
        .map(([what]) => (typeof what === 'string' ? what : nameOf(what))),
    /** Returns the unread part of the moderators' mail, for one of them with `mail`. */
    unreadShared: (actor: Doer): readonly string[] => sharedNews(actor).map(nameOf),
  }
}
