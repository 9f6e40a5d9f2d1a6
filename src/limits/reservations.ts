// Decision 104.

import { setTimeout as sleep } from 'node:timers/promises'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Position } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { Freshness } from '../ports/freshness.ts'
import { queues } from '../ports/queues.ts'
import type { Vault } from '../ports/vault.ts'
import { MAX_AHEAD_OF_CLOCK_MS } from '../runtime/mint.ts'

/** The time for which an item counts whose outcome is unknown: longer than any command takes, also by a clock that is ahead. */
const UNKNOWN_OUTCOME_MS = MAX_AHEAD_OF_CLOCK_MS + 120_000
/** The time for which an item counts that was made and is not shown: in a log that replaced this one it never is. */
const UNSHOWN_MS = 3_600_000
const MAX_TRIES = 100
const MAX_PAUSE_MS = 20

/** `by` is the command that makes the item. `position` is where it was recorded, null until that is known. */
const Reservations = t.readonlyArray(t.type({ item: t.string, by: t.string, until: t.number, position: t.union([t.string, t.null]) }))
type Reservation = t.TypeOf<typeof Reservations>[number]

type ReservationPorts = {
  readonly vault: Pick<Vault, 'get' | 'putIf'>
  readonly freshness: Pick<Freshness, 'position' | 'settled' | 'refresh'>
  readonly clock: () => number
}

/** The items that are counted under one name, and the command that makes them, the same at each of its tries. */
type ReservationRequest = { readonly name: string; readonly items: readonly string[]; readonly by: string }

/** Changes of one process take turns, so that only those of several meet at the compare-and-set. */
const inTurn = queues()

const change = (
  vault: ReservationPorts['vault'],
  name: string,
  next: (reservations: readonly Reservation[]) => readonly Reservation[],
): Promise<readonly Reservation[]> =>
  inTurn(name, async () => {
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const record = await vault.get('limit', name)
      const before = Reservations.is(record?.value) ? record.value : []
      const entry = { value: next(before), expires: Date.now() + UNSHOWN_MS }
      if (await vault.putIf('limit', name, record?.version ?? 0, entry)) return before
      await sleep(Math.random() * MAX_PAUSE_MS)
    }
    throw new StoreFault('unavailable', `too many processes change ${name} at once`)
  })

/** Tells whether the result says that nothing was recorded. */
const isUnmade = (result: E.Either<{ readonly code: string }, { readonly position: Position | undefined }>): boolean =>
  E.isLeft(result) ? result.left.code !== 'OUTCOME_UNKNOWN' : result.right.position === undefined

/**
 * Makes something that may exist only so many times, and keeps that number exact if several processes do this at once. Before an item is
 * counted it is reserved in the vault. `pending` are the items that others reserved before and that documents which are read now may not
 * show yet. Existing items are in `pending` or shown, or both. A reservation ends when nothing was made, or when the read models have
 * reached the item.
 */
export const makeReserved = async <Refused extends { readonly code: string }, Made extends { readonly position: Position | undefined }>(
  { vault, freshness, clock }: ReservationPorts,
  { name: counted, items, by }: ReservationRequest,
  make: (pending: readonly string[]) => Promise<E.Either<Refused, Made>>,
): Promise<E.Either<Refused, Made>> => {
  const name = `reserved.${counted}`
  const shown = (freshness.settled ?? freshness.position)()
  const now = clock()
  const isPending = ({ by: other, until, position }: Reservation) => other !== by && until > now && (position === null || position > shown)
  const ownReservations = items.map((item) => ({ item, by, until: now + UNKNOWN_OUTCOME_MS, position: null }))
  const before = await change(vault, name, (all) => [...all.filter(isPending), ...ownReservations])
  // another process may have ended reservations of items that it saw, and documents that are cached here may be older
  await freshness.refresh?.()
  const outcome = await make(before.filter(isPending).map(({ item }) => item))
  const position = E.isRight(outcome) ? (outcome.right.position ?? null) : null
  if (isUnmade(outcome)) await change(vault, name, (all) => all.filter((one) => one.by !== by))
  else if (position !== null) {
    const until = clock() + UNSHOWN_MS
    await change(vault, name, (all) => all.map((one) => (one.by === by ? { ...one, until, position } : one)))
  }
  return outcome
}
