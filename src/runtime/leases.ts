// Decision 44.

import { setTimeout as sleep } from 'node:timers/promises'
import { v4 } from 'uuid'
import { pause } from '../ports/pause.ts'
import type { Vault, VaultRecord } from '../ports/vault.ts'

/**
 * Milliseconds between two heartbeats, and milliseconds without one after which other members take over. Together they are well under five
 * seconds.
 */
const HEARTBEAT_INTERVAL_MS = 500
const SILENCE_MS = 3_000
/** Records of a process that died expire after this time. */
const MEMBER_EXPIRY_MS = 600_000

export type Shares = {
  /** The leases that this process holds now, each with a token that is greater than any earlier holder's. */
  readonly held: () => ReadonlyMap<string, number>
  /** True if the last heartbeat is so recent that no other member can have taken over a held lease. */
  readonly isFresh: () => boolean
  /**
   * True if this process knows its share: it has once seen every name leased by itself or by a process whose heartbeat changed meanwhile,
   * and its own heartbeats succeed. Before that, a lease may belong to a dead process.
   */
  readonly isSettled: () => boolean
  /** Gives all leases back, so that others need not wait for them to expire. */
  readonly close: () => Promise<void>
}

export type SharesPorts = {
  readonly vault: Pick<Vault, 'list' | 'put' | 'putIf' | 'delete'>
  /** Called for every fault; the next turn tries again. */
  readonly report: (fault: unknown) => void
}

export type LeaseGroup = {
  /** The group of processes that divide the names among them, as evenly as possible. */
  readonly group: string
  readonly names: readonly string[]
  readonly onTaken?: (name: string, token: number) => void
  /** Called before a name is given up. It is free for others once this has resolved. */
  readonly onLeaving?: (name: string) => Promise<void>
}

/** Tells whether any process of the group writes heartbeats. It takes as long as the longest time between two. */
export const isAnybodyAlive = async (vault: Pick<Vault, 'list'>, group: string): Promise<boolean> => {
  const signs = async () => (await vault.list('lease', group)).map(({ id, version }) => `${id} ${version}`)
  const before = new Set(await signs())
  await sleep(3 * HEARTBEAT_INTERVAL_MS)
  return (await signs()).some((sign) => !before.has(sign))
}

/** The last heartbeat of a member, the time when it was noticed, and whether an earlier one was. */
type LeaseSighting = { readonly version: number; readonly since: number; readonly moved: boolean }

const holderOf = ({ value }: VaultRecord): string => (value as { readonly holder: string }).holder

/**
 * Leases names to the living processes of a group. A process is alive while the others see its record in the vault change: no two clocks
 * are ever compared. A slow process may briefly hold a lease that another has taken; so leases make work happen once, and checkpoints make
 * it count once.
 */
export const openShares = ({ vault, report }: SharesPorts, { group, names, onTaken, onLeaving }: LeaseGroup): Shares => {
  const me = v4()
  const memberPrefix = `${group}.member.`
  const shareId = (name: string) => `${group}.share.${name}`
  const sightings = new Map<string, LeaseSighting>()
  const ownLeases = new Map<string, number>()
  const closing = new AbortController()
  let beaten = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY }
  const beat = () => ({ monotonic: performance.now(), wall: Date.now() })
  // freshness needs both clocks: the monotonic one stops while a machine sleeps, and the system clock may be set back
  let settled = false
  const isFresh = () => performance.now() - beaten.monotonic <= SILENCE_MS && Date.now() - beaten.wall <= SILENCE_MS

  const leave = async (name: string): Promise<void> => {
    ownLeases.delete(name)
    await onLeaving?.(name)
  }

  /** Returns the members with a recent heartbeat, in an order that all agree on. */
  const selectLiving = (records: readonly VaultRecord[]): readonly string[] => {
    const now = performance.now()
    const members = records.filter(({ id }) => id.startsWith(memberPrefix))
    for (const { id, version } of members) {
      const before = sightings.get(id)
      if (before?.version !== version) sightings.set(id, { version, since: now, moved: before !== undefined })
    }
    const living = members.filter(({ id }) => now - (sightings.get(id)?.since ?? now) < SILENCE_MS)
    return [...new Set([...living.map(({ id }) => id.slice(memberPrefix.length)), me])].sort()
  }

  const take = async (name: string, record: VaultRecord | undefined): Promise<void> => {
    if (!(await vault.putIf('lease', shareId(name), record?.version ?? 0, { value: { holder: me }, owner: group }))) return
    const token = record ? record.version + 1 : 1
    ownLeases.set(name, token)
    onTaken?.(name, token)
  }

  const release = async (name: string, record: VaultRecord | undefined): Promise<void> => {
    await leave(name)
    if (record) await vault.putIf('lease', shareId(name), record.version, { value: { holder: '' }, owner: group })
  }

  const turn = async (): Promise<void> => {
    const began = beat()
    await vault.put('lease', memberPrefix + me, { value: { holder: me }, owner: group, expires: Date.now() + MEMBER_EXPIRY_MS })
    const records = new Map((await vault.list('lease', group)).map((record) => [record.id, record]))
    beaten = began
    const living = selectLiving([...records.values()])
    const recordOf = (name: string) => records.get(shareId(name))
    const holder = (name: string) => {
      const record = recordOf(name)
      return record ? holderOf(record) : ''
    }
    for (const name of names) {
      if (ownLeases.has(name) && holder(name) !== me) await leave(name)
      const record = recordOf(name)
      if (record && holder(name) === me && !ownLeases.has(name)) {
        ownLeases.set(name, record.version)
        onTaken?.(name, record.version)
      }
    }
    const place = living.indexOf(me)
    const quota = Math.floor(names.length / living.length) + (place < names.length % living.length ? 1 : 0)
    for (const name of [...ownLeases.keys()].slice(quota)) await release(name, recordOf(name))
    // every member begins at another place, so that two seldom try the same name
    const start = Math.floor((names.length * place) / living.length)
    const inTurn = [...names.slice(start), ...names.slice(0, start)]
    for (const name of inTurn) {
      if (ownLeases.size >= quota || closing.signal.aborted) break
      if (!ownLeases.has(name) && !living.includes(holder(name))) await take(name, recordOf(name))
    }
    const isAlive = (member: string) => living.includes(member) && sightings.get(memberPrefix + member)?.moved
    settled ||= names.every((name) => ownLeases.has(name) || isAlive(holder(name)))
  }

  const giveBack = async (): Promise<void> => {
    const mine = [...ownLeases.keys()]
    for (const name of mine) await leave(name)
    const records = new Map((await vault.list('lease', group)).map((record) => [record.id, record]))
    for (const name of names) {
      const record = records.get(shareId(name))
      if (record && holderOf(record) === me) await release(name, record)
    }
    await vault.delete('lease', memberPrefix + me)
  }

  const loop = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await turn().catch(report)
      if (!isFresh()) for (const name of [...ownLeases.keys()]) await leave(name)
      await pause(HEARTBEAT_INTERVAL_MS, closing.signal)
    }
    await giveBack().catch(report)
  }
  const ended = loop()

  return {
    held: () => (isFresh() ? ownLeases : new Map()),
    isFresh,
    isSettled: () => settled && isFresh(),
    close: async () => {
      closing.abort()
      await ended
    },
  }
}
