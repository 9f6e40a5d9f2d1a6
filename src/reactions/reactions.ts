import { endAccess } from '../auth/end-access.ts'
import { idAt, isLinkId } from '../domain/ids.ts'
import type { History } from '../history/history.ts'
import type { Keyring } from '../log/keys.ts'
import type { Position } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import { subsitesShowing } from '../queries/appearances.ts'
import { findMisplaced } from '../queries/audiences.ts'
import { textsOf } from '../queries/authored-texts.ts'
import { hadParticipated } from '../queries/participation.ts'
import { recentComments } from '../queries/recent-comments.ts'
import { seatsOf } from '../queries/relations.ts'
import { allSubsites } from '../queries/subsites.ts'
import { dueTimers } from '../queries/timers.ts'
import { type Duty, openDuties } from '../runtime/duties.ts'
import { forgetAnswers, MAX_STORED_COMMENT_AGE_MS, RESPONSE_STORAGE_MS } from '../runtime/idempotency.ts'
import type { Runner } from '../runtime/run.ts'
import type { Stores } from '../stores.ts'
import { DUTIES_GROUP } from './duties-watch.ts'
import { watchExpiry } from './expiry.ts'
import { applyFirstAudiences, type FirstAudiencesPorts } from './first-audiences.ts'
import { openFollowOnce } from './following-once.ts'
import { deleteUnlessShown } from './images.ts'
import { carryOutLostConsequences, type OwedPorts } from './lost-reactions.ts'
import { carryOut, type Follow, type FollowPorts, type ProcessPorts, processReactions } from './process.ts'

/** The time for which a reaction waits for the read models that it reads. */
const PROJECTION_WAIT_MS = 1_000

type ReactionParts = Pick<FollowPorts, 'events' | 'open' | 'admins'> &
  Pick<Stores, 'documents' | 'blobs' | 'freshness'> &
  Parameters<typeof endAccess>[0] & { readonly vault: Stores['vault']; readonly base: Runner; readonly keys: Keyring }

/** Opens the reactions, with everything they need besides the log. */
export const openReactions = ({
  base,
  keys,
  events,
  open,
  admins,
  documents,
  vault,
  blobs,
  freshness,
  sessions,
  tokens,
}: ReactionParts): Follow => {
  /** Looks into read models once they have reached a position. */
  const readProjected = async <Found>(position: Position, look: () => Promise<Found>): Promise<Found> => {
    if (!(await freshness.waitUntil(position, PROJECTION_WAIT_MS))) throw new StoreFault('unavailable', 'the read models are behind')
    return look()
  }
  const forget = forgetAnswers(vault)
  const follow = carryOut({
    run: base.run,
    load: base.load,
    loadReached: base.loadReached,
    events,
    open,
    admins,
    forgetAnswers: async (thing) => {
      await forget(thing)
      if (!isLinkId(thing)) return
      // starts that early since the addresses of comments have the words of their link's title
      const since = idAt(Date.now() - RESPONSE_STORAGE_MS - MAX_STORED_COMMENT_AGE_MS)
      for await (const comments of recentComments(documents, thing, since)) await Promise.all(comments.map(forget))
    },
    destroyTexts: async ({ account, thing }) => {
      await (thing === undefined ? keys.eraseAccount(account) : keys.eraseThing(account, thing))
      if (thing === undefined) await forget(account)
      base.forget()
    },
    textsOf: (texts, from, at) => readProjected(at, () => textsOf(documents, texts, from)),
    misplacedIn: (subsite, audience, at) => readProjected(at, () => findMisplaced(documents, subsite, audience)),
    seatsOf: (account, at) => readProjected(at, () => seatsOf(documents, account)),
    deleteBlob: deleteUnlessShown(blobs),
    subsitesShowing: (hash, at) => readProjected(at, () => subsitesShowing(documents, hash)),
    endAccess: endAccess({ vault, sessions, tokens }),
    hadParticipated: (account, subsite, before) => readProjected(before, () => hadParticipated(documents, account, subsite, before)),
  })
  return openFollowOnce(follow)
}

type DutyParts = Omit<ProcessPorts, 'report'> &
  Pick<FirstAudiencesPorts, 'run' | 'open' | 'freshness'> &
  Pick<OwedPorts, 'events'> &
  Pick<Stores, 'documents'> & { readonly history: History | undefined } & {
    readonly report: (err: unknown, event?: Parameters<ProcessPorts['report']>[1]) => void
  }

/**
 * Starts the work beside the requests: reactions that these could not wait for, consequences that an earlier version lost, the first
 * audiences of subsites, the history, and expiry. It runs until it is ended: on a data file all of it here, on servers each in one process
 * at a time.
 */
export const startDuties = ({ vault, alone }: Pick<Stores, 'vault' | 'alone'>, parts: DutyParts): (() => Promise<void>) => {
  const { documents, report, history } = parts
  const duties: Readonly<Record<string, Duty>> = {
    reactions: (signal) => processReactions(parts, signal),
    'owed consequences': (signal) => carryOutLostConsequences(parts, signal),
    'first audiences': (signal) =>
      applyFirstAudiences(
        {
          ...parts,
          allSubsites: () => allSubsites(documents),
          misplacedIn: (subsite, audience) => findMisplaced(documents, subsite, audience),
        },
        signal,
      ),
    ...(history && { history: history.duty }),
    expiry: (signal) => watchExpiry({ ...parts, dueTimers: dueTimers(documents) }, signal),
  }
  if (!alone) return openDuties({ vault, report }, { group: DUTIES_GROUP, duties }).close
  const stopping = new AbortController()
  const running = Object.values(duties).map((duty) => duty(stopping.signal))
  return async () => {
    stopping.abort()
    await Promise.all(running)
  }
}
