import { setImmediate } from 'node:timers/promises'
import { comments } from '../../projections/comments.ts'
import type { LinkId } from '../domain/ids.ts'
import type { Anchor, DocumentStore } from '../ports/documents.ts'
import { listingIndex, selectBy } from '../ports/indexed.ts'

const COMMENTS_PER_READ = 500
/** The order of their last changes: a comment that is changed meanwhile comes again later, so none is missed. */
const BY_CHANGE = listingIndex(comments, ['link'], ['$position', 'id'], ['seq', '$position', 'id'])

/** Yields the comments on a link whose number is at least `since`, page by page. */
export async function* recentComments(
  documents: Pick<DocumentStore, 'select'>,
  link: LinkId,
  since: number,
): AsyncGenerator<readonly string[]> {
  for (let after: Anchor | undefined; ; await setImmediate()) {
    const page = { limit: COMMENTS_PER_READ, ...(after && { after }) }
    const rows = await selectBy(documents, BY_CHANGE, { link }, page)
    const last = rows.at(-1)
    yield rows.filter(({ seq }) => seq >= since).map(({ id }) => id)
    if (last === undefined || rows.length < COMMENTS_PER_READ) return
    after = [last.$position, last.id]
  }
}
