import { modLogProjection } from '../../projections/mod-log.ts'
import type { AnyEvent, Envelope } from '../domain/event.ts'
import type { Logged } from '../domain/events.ts'
import { Moderators } from '../domain/moderators.ts'
import { holds } from '../domain/permissions.ts'
import { isIntact } from '../log/canonical.ts'
import type { EventStore, RecordedEvent } from '../ports/event-store.ts'
import type { Finding } from './finding.ts'

export type LogCheck = {
  /** Look at the next event of the log; `event` is undefined where it could not be read, and `why` says why not. */
  readonly look: (recorded: RecordedEvent, event: Logged | undefined, why?: string) => Promise<void>
  readonly findings: readonly Finding[]
  /** Comments that were decided before a lock and recorded after it: no fault, only a race. */
  readonly raced: () => number
}

type Tip = { readonly revision: number; readonly id: string }
type Locks = readonly { readonly revision: number; readonly locked: boolean }[]

/** What moderators may do without an entry: change the note of a ban, remove and approve mail, and write in that capacity. */
const withoutEntry: ReadonlySet<string> = new Set(['BanNoteChanged', 'MessageRemoved', 'MessageApproved', 'MessageSent', 'CommentPosted'])

const entriesOf = (event: Logged): number => {
  const read = modLogProjection.on[event.type] as ((event: Logged) => readonly unknown[]) | undefined
  return read ? read(event).length : 0
}

const problemOfEntries = (event: Logged): string | undefined => {
  const entries = entriesOf(event)
  if (entries > 1) return `it yields ${entries} entries of the mod log`
  const ofAuthority = event.by.as === 'moderator' || event.by.as === 'admin'
  return ofAuthority && entries === 0 && !withoutEntry.has(event.type)
    ? `a ${event.by.as}'s act without an entry in the mod log`
    : undefined
}

/**
 * The log by itself, event by event from the first one on: revisions dense, ids not repeated, every event what was hashed when it was
 * written, every act of authority one entry, no comment on a link that its author saw locked. `admins` are lower-cased names.
 */
export const logCheck = (events: Pick<EventStore, 'read'>, admins: readonly string[]): LogCheck => {
  const findings: Finding[] = []
  let looked = ''
  // Only of streams with more than one event, which are few beside the votes.
  const tips = new Map<string, Tip>()
  const locks = new Map<string, Locks>()
  const moderators = new Map<string, Moderators | undefined>()
  const adminAccounts = new Set<string>()
  let raced = 0

  const report = ({ position, stream, revision, id }: RecordedEvent, problem: string): void => {
    findings.push({ kind: 'event', position, stream, revision, id, problem })
  }

  const predecessor = async ({ stream, revision, position }: RecordedEvent): Promise<Tip | undefined> => {
    const known = tips.get(stream)
    if (known || revision > 1) return known
    const [first] = (await events.read(stream, 0, 1)).events
    return first && first.position < position ? first : undefined
  }

  const checkPlace = async (recorded: RecordedEvent): Promise<void> => {
    const { stream, revision, id } = recorded
    if (revision === 0) {
      if (tips.has(stream)) report(recorded, 'its stream has begun already')
      return
    }
    const before = await predecessor(recorded)
    if (before?.revision !== revision - 1) report(recorded, `it follows ${before ? `revision ${before.revision}` : 'nothing'}`)
    if (before?.id === id) report(recorded, 'it has the id of the event before it')
    tips.set(stream, { revision, id })
  }

  const checkHash = (recorded: RecordedEvent): void => {
    try {
      if (!isIntact(recorded)) report(recorded, 'it is not what was hashed when it was written')
    } catch (error) {
      report(recorded, `its hash cannot be checked: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  const remember = (event: Logged): void => {
    if (event.type === 'LinkLocked' || event.type === 'LinkUnlocked') {
      const { stream, revision, type } = event
      locks.set(stream, [...(locks.get(stream) ?? []), { revision, locked: type === 'LinkLocked' }])
    }
    if (event.type === 'AccountRegistered' && admins.includes(event.data.name.toLowerCase())) adminAccounts.add(event.data.account)
    const fold = (Moderators.on as { readonly [type: string]: unknown })[event.type] as
      | ((state: Moderators | undefined, data: AnyEvent['data'], envelope: Envelope) => Moderators | undefined)
      | undefined
    if (fold) moderators.set(event.stream, fold(moderators.get(event.stream), event.data, event as Envelope))
  }

  const mayAlways = ({ by, data }: Logged<'CommentPosted'>): boolean => {
    const moderator = moderators.get(`moderators-${data.subsite}`)?.moderators.find(({ account }) => account === data.author)
    return by.as !== 'user' || adminAccounts.has(data.author) || holds(moderator?.permissions, 'posts')
  }

  const checkLock = (recorded: RecordedEvent, event: Logged<'CommentPosted'>): void => {
    const stream = `link-${event.data.link}`
    const history = locks.get(stream)
    if (!history || mayAlways(event)) return
    const seen = event.meta.seen[stream]
    const lockedThen = typeof seen === 'number' && history.findLast(({ revision }) => revision <= seen)?.locked === true
    if (lockedThen) report(recorded, `a comment on ${event.data.link}, which was locked at the revision ${seen} it was decided on`)
    else if (history.at(-1)?.locked && seen === undefined)
      report(recorded, `a comment on the locked ${event.data.link} that does not say what it saw`)
    else if (history.at(-1)?.locked) raced += 1
  }

  return {
    findings,
    raced: () => raced,
    look: async (recorded, event, why) => {
      if (recorded.position <= looked) return
      looked = recorded.position
      await checkPlace(recorded)
      checkHash(recorded)
      if (event === undefined) {
        report(recorded, why ?? 'it cannot be read')
        return
      }
      const problem = problemOfEntries(event)
      if (problem !== undefined) report(recorded, problem)
      if (event.type === 'CommentPosted') checkLock(recorded, event)
      remember(event)
    },
  }
}
