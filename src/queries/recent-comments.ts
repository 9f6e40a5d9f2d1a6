import { setImmediate } from 'node:timers/promises'
import { comments } from '../../projections/comments.ts'
import type { LinkId } from '../domain/ids.ts'
import type { Anchor, DocumentStore } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'

const AT_ONCE = 500
const BY_CHANGE = ['$position', 'id']

/** The comments on a link whose number is at least `since`, page by page. */
export async function* recentComments(
  documents: Pick<DocumentStore, 'select'>,
  link: LinkId,
  since: number,
): AsyncGenerator<readonly string[]> {
  for (let after: Anchor | undefined; ; await setImmediate()) {
    const page = { limit: AT_ONCE, ...(after && { after }) }
    const fields = ['seq', '$position', 'id']
    const rows = await documents.select<{ readonly seq: number; readonly $position: Position; readonly id: string }>(
      comments,
      { where: { link }, order: BY_CHANGE, page },
      fields,
    )
    const last = rows.at(-1)
    yield rows.filter(({ seq }) => seq >= since).map(({ id }) => id)
    if (last === undefined || rows.length < AT_ONCE) return
    after = [last.$position, last.id]
  }
}
