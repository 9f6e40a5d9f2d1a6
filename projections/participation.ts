import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/**
 * An account's participation in a subsite. A document exists if the account has ever posted, subscribed or written to the moderators there.
 */
export type ParticipationDocument = Document

export const participation = collection<ParticipationDocument>({ name: 'participation', version: 1, indexes: [] })

export const participationId = (account: string, subsite: string): string => `${account}.${subsite}`

const tookPart = (account: string, subsite: string): Touch<ParticipationDocument> => {
  const id = participationId(account, subsite)
  return { id, change: (known) => known ?? { id } }
}

export const participationProjection: Projection<ParticipationDocument> = {
  collection: participation,
  on: {
    LinkSubmitted: ({ data }) => [tookPart(data.author, data.subsite)],
    CommentPosted: ({ data }) => [tookPart(data.author, data.subsite)],
    Subscribed: ({ data }) => [tookPart(data.account, data.subsite)],
    MessageSent: ({ data: { author, subsite, modmail, fromSubsite } }) =>
      author !== null && subsite !== null && modmail && !fromSubsite ? [tookPart(author, subsite)] : [],
  },
}
