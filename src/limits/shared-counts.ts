import type { Vault } from '../ports/vault.ts'

const TRIES = 5

/** Adds to a count that all processes share, and returns the sum. The count expires at the time that its first addition gives. */
export type Share = (name: string, count: number, expires: number) => Promise<number>

export const shareIn =
  (vault: Pick<Vault, 'get' | 'putIf'>): Share =>
  async (name, count, expires) => {
    for (let tries = 1; tries <= TRIES; tries++) {
      const record = await vault.get('limit', name)
      const total = Number(record?.value ?? 0) + count
      const entry = { value: total, expires: record?.expires ?? expires }
      if (await vault.putIf('limit', name, record?.version ?? 0, entry)) return total
    }
    throw new Error(`too many processes update the count of ${name} at once`)
  }
