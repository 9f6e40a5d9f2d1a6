import type { Quota } from '../domain/quotas.ts'
import type { Vault } from '../ports/vault.ts'

export type CountPorts = { readonly vault: Pick<Vault, 'get' | 'add'>; readonly clock: () => number }

/** Returns the window that holds a time, among windows of equal length since 1970: its number, and its end in milliseconds since 1970. */
export const windowAt = (now: number, window: number) => {
  const current = Math.floor(now / window)
  return { current, ends: (current + 1) * window }
}

/** Counts something within a window that ends then, for all processes together. `name` is its key in the vault. */
const countOf = ({ vault, clock }: CountPorts, name: string, most: number, ends: number) => {
  const add = async (): Promise<number> => (await vault.add([{ id: name, count: 1, expires: ends }])).get(name) ?? 1
  /** Returns how often it may still happen, and the milliseconds until the window ends. */
  const state = async () => {
    const record = await vault.get('count', name)
    return { left: most - Number(record?.value ?? 0), wait: Math.max(0, (record?.expires ?? ends) - clock()) }
  }
  /** Counts one if it may still happen. Otherwise returns the milliseconds to wait. */
  const take = async () => {
    const { left, wait } = await state()
    return left > 0 && (await add()) <= most ? 0 : wait
  }
  return { name, ends, state, add, take }
}

/** Counts in windows that follow each other without a gap. */
export const countAligned = (counting: CountPorts, name: string, { most, window }: Quota) => {
  const { current, ends } = windowAt(counting.clock(), window)
  return countOf(counting, `${name}.${current}`, most, ends)
}

/** Counts in a window that begins with the first one. */
export const countFromFirst = (counting: CountPorts, name: string, { most, window }: Quota) =>
  countOf(counting, name, most, counting.clock() + window)
