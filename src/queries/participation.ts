import { participation, participationId } from '../../projections/participation.ts'
import type { DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'

/**
 * Tells whether an account took part in a subsite, at any time or before a position of the log. The read models must have reached that
 * position.
 */
export const hadParticipated = async (
  documents: Pick<DocumentStore, 'load'>,
  account: string,
  subsite: string,
  before?: Position,
): Promise<boolean> => {
  const id = participationId(account, subsite)
  const known = (await documents.load(participation, [id])).get(id)
  // Nothing changes the document once it is there, so its position is that of the account's first participation.
  return known?.document !== undefined && (before === undefined || known.position < before)
}
