import type { Quota } from '../domain/quotas.ts'
import type { Vault } from '../ports/vault.ts'
import { queues } from '../runtime/queues.ts'

const MAX_TRIES = 5

export type CountPorts = { readonly vault: Pick<Vault, 'get' | 'putIf'>; readonly clock: () => number }

/** Adds to a count that all processes share, and returns the sum. The count expires at the time that its first addition gives. */
export type Share = (name: string, count: number, expires: number) => Promise<number>

export const shareIn =
  (vault: CountPorts['vault']): Share =>
  async (name, count, expires) => {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const record = await vault.get('limit', name)
      const total = Number(record?.value ?? 0) + count
      const entry = { value: total, expires: record?.expires ?? expires }
      if (await vault.putIf('limit', name, record?.version ?? 0, entry)) return total
    }
    throw new Error(`too many processes update the count of ${name} at once`)
  }

/** Of windows that follow each other without a gap, the one of now: its number, and when it ends (milliseconds since 1970). */
export const windowAt = (now: number, window: number) => {
  const current = Math.floor(now / window)
  return { current, ends: (current + 1) * window }
}

/** Counts one at a time, so that the parallel requests of one caller are not mistaken for several processes. */
const inTurn = queues()

/** How often something happened within a window that ends then, for all processes together; `name`: its key in the vault. */
const countOf = ({ vault, clock }: CountPorts, name: string, most: number, ends: number) => {
  const add = () => shareIn(vault)(name, 1, ends)
  /** How often it may still happen, and the milliseconds until the window ends. */
  const state = async () => {
    const record = await vault.get('limit', name)
    return { left: most - Number(record?.value ?? 0), wait: Math.max(0, (record?.expires ?? ends) - clock()) }
  }
  /** Counts one if it may still happen; otherwise the milliseconds to wait. */
  const take = async () => {
    const { left, wait } = await state()
    return left > 0 && (await add()) <= most ? 0 : wait
  }
  return { name, ends, state, add: () => inTurn(name, add), take: () => inTurn(name, take) }
}

/** In windows that follow each other without a gap. */
export const alignedCount = (counting: CountPorts, name: string, { most, window }: Quota) => {
  const { current, ends } = windowAt(counting.clock(), window)
  return countOf(counting, `${name}.${current}`, most, ends)
}

/** In a window that begins with the first of them. */
export const countFromFirst = (counting: CountPorts, name: string, { most, window }: Quota) =>
  countOf(counting, name, most, counting.clock() + window)
