import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection } from './engine/projection.ts'

/** The stickied links of a subsite, under its id, slot 1 first. */
export type StickiesDocument = Document & { readonly links: readonly string[] }

export const stickies = collection<StickiesDocument>({ name: 'stickies', version: 1, indexes: [] })

export const stickiesProjection: Projection<StickiesDocument> = {
  collection: stickies,
  on: {
    LinkStickied: ({ data: { subsite: id, target, slot } }) => [
      {
        id,
        change: (document) => {
          const links = document ? document.links : []
          return { id, links: [...links.slice(0, slot - 1), target.id, ...links.slice(slot - 1)] }
        },
      },
    ],
    LinkUnstickied: ({ data: { subsite, target } }) => [
      change(subsite, ({ id, links }) => ({ id, links: links.filter((link) => link !== target.id) })),
    ],
  },
}
