import type { Vault } from '../ports/vault.ts'
import { isAnybodyAlive } from '../runtime/leases.ts'

/** The group of processes that divide the duties of a site among them. */
export const DUTIES_GROUP = 'site'

/** The time between two looks whether any process has the duties. */
const POLL_INTERVAL_MS = 10_000

/** Watches from a process without duties whether any other has them. */
export const watchDuties = (vault: Pick<Vault, 'list'>): { readonly areLeft: () => boolean; readonly close: () => void } => {
  let areLeft = false
  const look = async () => {
    // a vault that does not answer says nothing about the duties
    areLeft = !(await isAnybodyAlive(vault, DUTIES_GROUP).catch(() => true))
  }
  void look()
  const looking = setInterval(look, POLL_INTERVAL_MS).unref()
  return { areLeft: () => areLeft, close: () => clearInterval(looking) }
}
