import { setImmediate } from 'node:timers/promises'
import { type Audience, audienceOf, type MisplacedThings } from '../domain/audience.ts'
import { fold } from '../domain/decision.ts'
import type { Logged } from '../domain/events.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { Subsite } from '../domain/subsite.ts'
import type { Codec } from '../log/codec.ts'
import { pagesOf } from '../log/pages.ts'
import type { DocumentStore } from '../ports/documents.ts'
import type { EventStore, Position } from '../ports/event-store.ts'
import type { Freshness } from '../ports/freshness.ts'
import { pause } from '../ports/pause.ts'
import { recordAudience } from './audiences.ts'
import type { Ports } from './reaction.ts'

/** The name of the checkpoint of the subsites that were looked at. */
const FIRST_AUDIENCES = 'first-audiences'
/** Milliseconds between two tries. */
const RETRY_MS = 2_000

export type FirstAudiencesPorts = Pick<Ports, 'run'> & {
  readonly events: Pick<EventStore, 'head' | 'read'>
  readonly open: Codec['open']
  readonly documents: Pick<DocumentStore, 'checkpoint' | 'write'>
  readonly freshness: Pick<Freshness, 'waitUntil'>
  /** Yields all subsites, some at a time. */
  readonly allSubsites: () => AsyncIterable<readonly SubsiteId[]>
  readonly misplacedIn: (subsite: SubsiteId, audience: Audience) => Promise<MisplacedThings>
  readonly report: (fault: unknown) => void
}

type Cause = Logged<'SubsiteCreated' | 'SubsiteSettingChanged'>

/** Returns the audience of a subsite, and the event that gave it. */
const audienceWithCause = async (
  { events, open }: Pick<FirstAudiencesPorts, 'events' | 'open'>,
  subsite: SubsiteId,
): Promise<{ readonly audience: Audience; readonly cause: Cause } | undefined> => {
  let state: Subsite | undefined
  let known: { readonly audience: Audience; readonly cause: Cause } | undefined
  for await (const page of pagesOf(events, `${Subsite.category}-${subsite}`))
    for (const event of (await open(page)) as readonly Cause[]) {
      state = fold(Subsite, state, [event])
      const audience = state && audienceOf(subsite, state.settings)
      if (audience !== undefined && audience !== known?.audience) known = { audience, cause: event }
    }
  return known
}

/** Applies a change of settings in the same way as its reaction, so that one of the two records it. */
const applyIn = async (ports: FirstAudiencesPorts, subsite: SubsiteId, at: Position): Promise<void> => {
  const { audience, cause } = (await audienceWithCause(ports, subsite)) ?? {}
  if (audience === undefined || cause === undefined || cause.position > at) return
  if (cause.type === 'SubsiteCreated') {
    const { things, entries } = await ports.misplacedIn(subsite, audience)
    if (things.length + entries.length === 0) return
  }
  await recordAudience(ports, cause, { subsite, audience, change: cause.revision, things: [], entries: [] })
}

/**
 * Gives things their first audiences. Things that were recorded before there were audiences are for everybody, and changes had no
 * consequences for them then. Once in the life of a log, each subsite whose things have another audience gets its change applied; reactions
 * go on with it.
 */
export const applyFirstAudiences = async (ports: FirstAudiencesPorts, signal: AbortSignal): Promise<void> => {
  const { documents, events, freshness, allSubsites, report } = ports
  const apply = async () => {
    const at = await events.head()
    const before = await documents.checkpoint(FIRST_AUDIENCES)
    // a position beyond the end of the log is of another history
    if (before !== undefined && before <= at) return true
    if (!(await freshness.waitUntil(at, RETRY_MS))) return false
    for await (const subsites of allSubsites())
      for (const subsite of subsites) {
        if (signal.aborted) return false
        await applyIn(ports, subsite, at)
        await setImmediate()
      }
    await documents.write([], { name: FIRST_AUDIENCES, from: before, to: at })
    return true
  }
  while (!signal.aborted) {
    try {
      if (await apply()) return
    } catch (fault) {
      if (!signal.aborted) report(fault)
    }
    await pause(RETRY_MS, signal)
  }
}
