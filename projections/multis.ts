import { placesOf } from '../src/domain/account.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { type Multi, MultiStream, multiId } from '../src/domain/multi.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument, remove } from './engine/projection.ts'

/** A multi (kind `m`) or a filter (`f`) as its owner made it. */
export type MultiDocument = Document & Multi

export const multis = collection<MultiDocument>({
  name: 'multis',
  version: 1,
  indexes: [{ fields: ['account', 'kind', 'name', 'id'] }],
})

/** Returns a multi without the texts that an erased account wrote. */
const withoutQuotesOf = (account: string, multi: MultiDocument): MultiDocument => {
  const { quotedName, quotedDescription } = multi
  return {
    ...multi,
    ...(quotedName?.author === account && { quotedName: { ...quotedName, text: ERASED_PLACEHOLDER } }),
    ...(quotedDescription?.author === account && { quotedDescription: { ...quotedDescription, text: ERASED_PLACEHOLDER } }),
  }
}

export const multisProjection: Projection<MultiDocument> = {
  collection: multis,
  follows: [MultiStream],
  on: {
    AccountTextsErased: ({ data }) => [
      ...data.multis.map((id) =>
        change<MultiDocument>(id, (multi) => ({ ...multi, displayName: ERASED_PLACEHOLDER, description: ERASED_PLACEHOLDER })),
      ),
      ...placesOf(data, 'multi').map((id) => change<MultiDocument>(id, (multi) => withoutQuotesOf(data.account, multi))),
    ],
    MultiCreated: ({ data: { renamed: _, ...multi } }) => [putDocument({ id: multiId(multi), ...multi })],
    MultiEdited: ({ data: multi }) => [putDocument({ id: multiId(multi), ...multi })],
    MultiDeleted: ({ data }) => [remove(multiId(data))],
  },
}
