import type { Position } from '../ports/event-store.ts'
import type { Freshness } from '../ports/freshness.ts'

export type Settled = Pick<Freshness, 'settled'>

/**
 * The condition on recorded positions that leaves out what is not settled, taken anew for each read: a client that follows the log by
 * the newest entry it knows would never see one that is shown later and stands before it.
 */
export const settledOnly = ({ settled }: Settled): { readonly position?: { readonly lte: Position } } =>
  settled ? { position: { lte: settled() } } : {}
