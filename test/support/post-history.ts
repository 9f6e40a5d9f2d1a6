import type { Crowded } from './crowd.ts'
import { streamOf } from './stream-of.ts'

/*
 * Folds the events on some links and comments of one subsite, from the interface alone: the entries of the moderation log, the state of
 * each thing, the sticky slots and the queues.
 */

type Data = {
  readonly target?: { readonly id: string }
  readonly thing?: string
  readonly link?: string
  readonly comment?: string
  readonly [member: string]: unknown
}
export type Past = {
  readonly id: string
  readonly type: string
  readonly data: Data
  readonly by: { readonly account: string | null; readonly as: string }
  readonly position: string
}

export type State = {
  removed: boolean
  deleted: boolean
  judgedState: boolean
  locked: boolean
  nsfw: boolean
  contest: boolean
  sort: unknown
  distinguished: unknown
  ignored: boolean
  queued: boolean
  reported: number
}

/** Reads all events of these streams, in the order of the log. */
export const pastOf = async ({ site }: Crowded, streams: readonly string[]): Promise<readonly Past[]> => {
  const events = (await Promise.all(streams.map((stream) => streamOf(site.running.stores.events, stream)))).flat()
  return events
    .map(({ id, type, data, meta, position }) => ({ id, type, data: JSON.parse(data), by: JSON.parse(meta).by, position }))
    .toSorted((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0))
}

/** Returns the entry of an event, as `action details`. */
const entryOf = ({ type, data, by }: Past): string | undefined => {
  const kind = type.startsWith('Link') ? 'link' : 'comment'
  switch (type.replace(/^(Link|Comment)/, '')) {
    case 'Removed':
      return `remove${kind} ${data.spam ? (data.before ? 'confirm_spam' : 'spam') : 'remove'}`
    case 'Approved':
      return `approve${kind} ${data.before ? 'unspam' : 'confirm_ham'}`
    case 'Locked':
      return 'lock'
    case 'Unlocked':
      return 'unlock'
    case 'MarkedNsfw':
      return by.as === 'moderator' ? 'marknsfw' : undefined
    case 'UnmarkedNsfw':
      return by.as === 'moderator' ? 'marknsfw remove' : undefined
    case 'ContestModeSet':
      return 'setcontestmode'
    case 'ContestModeUnset':
      return 'unsetcontestmode'
    case 'SortSuggested':
      return 'setsuggestedsort'
    case 'ReportsIgnored':
      return 'ignorereports'
    case 'ReportsUnignored':
      return 'unignorereports'
    case 'Distinguished':
      return data.after === null ? 'distinguish remove' : 'distinguish'
    case 'Stickied':
      return 'sticky'
    case 'Unstickied':
      return data.reason === 'deleted' ? undefined : data.reason === 'replaced' ? 'unsticky replaced' : 'unsticky'
    default:
      return undefined
  }
}

/** Returns the entries that these events make, each as `event moderator action details target`. */
export const entriesOf = (past: readonly Past[]): readonly string[] =>
  past.flatMap((event) => {
    const entry = entryOf(event)
    return entry === undefined ? [] : [`${event.id} ${event.by.account} ${entry} ${event.data.target?.id}`]
  })

const untouched: State = {
  ...{ removed: false, deleted: false, judgedState: false, locked: false, nsfw: false, contest: false, ignored: false, queued: false },
  ...{ sort: null, distinguished: null, reported: 0 },
}

const afterVerdict = (removed: boolean): Partial<State> => ({ removed, judgedState: true, queued: false, reported: 0 })

/** Returns the change that an event makes in the state of its thing. */
const changeOf = ({ removed, ignored, queued, reported }: State, { type, data }: Past): Partial<State> => {
  switch (type.replace(/^(Link|Comment)/, '')) {
    case 'Removed':
      return afterVerdict(true)
    case 'Approved':
      return afterVerdict(false)
    case 'Deleted':
      return { deleted: true }
    case 'Locked':
      return { locked: true }
    case 'Unlocked':
      return { locked: false }
    case 'MarkedNsfw':
      return { nsfw: true }
    case 'UnmarkedNsfw':
      return { nsfw: false }
    case 'ContestModeSet':
      return { contest: true }
    case 'ContestModeUnset':
      return { contest: false }
    case 'SortSuggested':
      return { sort: data.after === '' ? null : data.after }
    case 'ReportsIgnored':
      return { ignored: true }
    case 'ReportsUnignored':
      return { ignored: false }
    case 'Distinguished':
      return { distinguished: data.after }
    case 'ThingReported':
      return removed ? {} : { reported: reported + 1, queued: queued || !ignored }
    default:
      return {}
  }
}

const thingOf = ({ type, data }: Past): string | undefined =>
  /Stickied|Unstickied/.test(type) ? undefined : (data.target?.id ?? data.thing ?? data.comment ?? data.link)

/** Returns the state of a thing after these events. */
export const stateAfter = (past: readonly Past[], thing: string): Readonly<State> => {
  const state = { ...untouched }
  for (const event of past) if (thingOf(event) === thing) Object.assign(state, changeOf(state, event))
  return state
}

/** The links in the sticky slots after these events, or the sticky comment; each may be there once. */
export const stickiedAfter = (past: readonly Past[], kind: 'Link' | 'Comment'): readonly string[] =>
  past.reduce<readonly string[]>((slots, { type, data: { target, slot } }) => {
    const id = String(target?.id)
    if (type === `${kind}Stickied`) return slots.toSpliced(typeof slot === 'number' ? slot - 1 : 0, 0, id)
    return type === `${kind}Unstickied` ? slots.filter((one) => one !== id) : slots
  }, [])

const isReported = ({ queued, reported, removed }: State) => queued && reported > 0 && !removed

/** Tells whether a thing is in a queue of the moderators, by its state. */
export const isQueued: Readonly<Record<'reports' | 'modqueue' | 'spam' | 'unmoderated', (state: State, isLink: boolean) => boolean>> = {
  reports: isReported,
  modqueue: isReported,
  spam: ({ removed }) => removed,
  unmoderated: ({ judgedState: was }, isLink) => isLink && !was,
}
