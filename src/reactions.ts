import { endAccess } from './auth/end-access.ts'
import { idAt, isLinkId } from './domain/ids.ts'
import type { History } from './history/history.ts'
import type { Keyring } from './log/keys.ts'
import type { Position } from './ports/event-store.ts'
import { StoreFault } from './ports/faults.ts'
import { subsitesShowing } from './queries/appearances.ts'
import { misplacedIn } from './queries/audiences.ts'
import { textsOf } from './queries/authored-texts.ts'
import { hadParticipated } from './queries/participation.ts'
import { recentComments } from './queries/recent-comments.ts'
import { seatsOf } from './queries/relations.ts'
import { allSubsites } from './queries/subsites.ts'
import { dueTimers } from './queries/timers.ts'
import { watchExpiry } from './reactions/expiry.ts'
import { applyFirstAudiences, type FirstAudiencesPorts } from './reactions/first-audiences.ts'
import { followingOnce } from './reactions/following-once.ts'
import { deleteUnlessShown } from './reactions/images.ts'
import { type Follow, type FollowPorts, following, type ProcessPorts, processReactions } from './reactions/process.ts'
import { forgetAnswers, MAX_STORED_COMMENT_AGE_MS, RESPONSE_STORAGE_MS } from './runtime/idempotency.ts'
import type { Runner } from './runtime/run.ts'
import { type Duty, openDuties } from './runtime/singleton-jobs.ts'
import type { Stores } from './stores.ts'

/** Milliseconds that a reaction waits for the read models that it reads. */
const PROJECTION_WAIT_MS = 1_000

type ReactionParts = Pick<FollowPorts, 'events' | 'open' | 'admins'> &
  Pick<Stores, 'documents' | 'blobs' | 'freshness'> &
  Parameters<typeof endAccess>[0] & { readonly vault: Stores['vault']; readonly base: Runner; readonly keys: Keyring }

/** The reactions, with what they need besides the log. */
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
  /** What read models say that have reached a position. */
  const projectedTo = async <Found>(position: Position, look: () => Promise<Found>): Promise<Found> => {
    if (!(await freshness.waitUntil(position, PROJECTION_WAIT_MS))) throw new StoreFault('unavailable', 'the read models are behind')
    return look()
  }
  const forget = forgetAnswers(vault)
  const follow = following({
    run: base.run,
    load: base.load,
    events,
    open,
    admins,
    forgetAnswers: async (thing) => {
      await forget(thing)
      if (!isLinkId(thing)) return
      // the addresses of comments have the words of their link's title
      const since = idAt(Date.now() - RESPONSE_STORAGE_MS - MAX_STORED_COMMENT_AGE_MS)
      for await (const comments of recentComments(documents, thing, since)) await Promise.all(comments.map(forget))
    },
    destroyTexts: async ({ account, thing }) => {
      await (thing === undefined ? keys.eraseAccount(account) : keys.eraseThing(account, thing))
      if (thing === undefined) await forget(account)
      base.forget()
    },
    textsOf: (texts, from, at) => projectedTo(at, () => textsOf(documents, texts, from)),
    misplacedIn: (subsite, audience, at) => projectedTo(at, () => misplacedIn(documents, subsite, audience)),
    seatsOf: (account, at) => projectedTo(at, () => seatsOf(documents, account)),
    deleteBlob: deleteUnlessShown(blobs),
    subsitesShowing: (hash, at) => projectedTo(at, () => subsitesShowing(documents, hash)),
    endAccess: endAccess({ vault, sessions, tokens }),
    hadParticipated: (account, subsite, before) => projectedTo(before, () => hadParticipated(documents, account, subsite, before)),
  })
  return followingOnce(follow)
}

type DutyParts = Omit<ProcessPorts, 'report'> &
  Pick<FirstAudiencesPorts, 'run' | 'open' | 'freshness'> &
  Pick<Stores, 'documents'> & { readonly history: History | undefined } & {
    readonly report: (err: unknown, event?: Parameters<ProcessPorts['report']>[1]) => void
  }

/**
 * What runs beside the requests: the reactions that these could not wait for, the first audiences of subsites, the history, and what expires. Until it is ended, all of
 * it runs here on a data file, and on servers each in one process at a time.
 */
export const startDuties = ({ vault, alone }: Pick<Stores, 'vault' | 'alone'>, parts: DutyParts): (() => Promise<void>) => {
  const { documents, report, history } = parts
  const duties: Readonly<Record<string, Duty>> = {
    reactions: (signal) => processReactions(parts, signal),
    'first audiences': (signal) =>
      applyFirstAudiences(
        {
          ...parts,
          allSubsites: () => allSubsites(documents),
          misplacedIn: (subsite, audience) => misplacedIn(documents, subsite, audience),
        },
        signal,
      ),
    ...(history && { history: history.duty }),
    expiry: (signal) => watchExpiry({ ...parts, dueTimers: dueTimers(documents) }, signal),
  }
  if (!alone) return openDuties({ vault, report }, { group: 'site', duties }).close
  const stopping = new AbortController()
  const running = Object.values(duties).map((duty) => duty(stopping.signal))
  return async () => {
    stopping.abort()
    await Promise.all(running)
  }
}
