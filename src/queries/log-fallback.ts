// Decision 46.

import { accountsProjection } from '../../projections/accounts.ts'
import { commentsProjection } from '../../projections/comments.ts'
import { readersOf } from '../../projections/engine/batch.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { linksProjection } from '../../projections/links.ts'
import { messagesProjection } from '../../projections/messages.ts'
import { subsitesProjection } from '../../projections/subsites.ts'
import { votesProjection } from '../../projections/votes.ts'
import type { Logged } from '../domain/events.ts'
import { kindOf, secondPart } from '../domain/ids.ts'
import { type Collection, type Document, type DocumentStore, pairsBy } from '../ports/documents.ts'

/** Yields the events of one stream, as the log has them now, in pages. */
export type ReadStream = (stream: string) => AsyncIterable<readonly Logged[]>

/** Builds the document of an id from events. */
type FoldEvents = (document: Document | undefined, events: readonly Logged[], id: string) => Document | undefined

const foldWith = <D extends Document>({ collection, on }: Projection<D>): FoldEvents => {
  const readers = readersOf([{ collection, on } as unknown as Projection])
  return (before, events, id) => {
    const touches = events.flatMap((event) => (readers.get(event.type) ?? []).flatMap(({ read }) => read(event)))
    return touches.filter((touch) => touch.id === id).reduce((document, { change }) => change(document), before)
  }
}

type LogSource = { readonly streamsOf: (id: string) => readonly string[]; readonly fold: FoldEvents }

const ownStream =
  (category: string) =>
  (id: string): readonly string[] => [`${category}-${id}`]

/** Returns the stream of the author's own vote, which begins with the thing. */
const voteStreams = (id: string): readonly string[] => {
  const thing = secondPart(id)
  return [`${kindOf(thing)}-${thing}`, `vote-${id}`]
}

const sources: ReadonlyMap<string, LogSource> = new Map([
  [accountsProjection.collection.name, { streamsOf: ownStream('account'), fold: foldWith(accountsProjection) }],
  [subsitesProjection.collection.name, { streamsOf: ownStream('subsite'), fold: foldWith(subsitesProjection) }],
  [linksProjection.collection.name, { streamsOf: ownStream('link'), fold: foldWith(linksProjection) }],
  [commentsProjection.collection.name, { streamsOf: ownStream('comment'), fold: foldWith(commentsProjection) }],
  [messagesProjection.collection.name, { streamsOf: ownStream('message'), fold: foldWith(messagesProjection) }],
  [votesProjection.collection.name, { streamsOf: voteStreams, fold: foldWith(votesProjection) }],
])

/**
 * Wraps documents for the response to a write, which must show the write although read models are late. A missing document is built from
 * the events of its own streams, without changes from other streams, such as votes of others.
 */
export const withLogFallback = (documents: DocumentStore, readStream: ReadStream): DocumentStore => {
  const getMany = async <D extends Document>(collection: Collection<D>, ids: readonly string[]) => {
    const known = await documents.getMany(collection, ids)
    const source = sources.get(collection.name)
    const missing = [...new Set(ids)].filter((id) => !known.has(id))
    if (!source || missing.length === 0) return known
    const found = await Promise.all(
      missing.map(async (id) => {
        let document: Document | undefined
        for (const stream of source.streamsOf(id)) for await (const page of readStream(stream)) document = source.fold(document, page, id)
        return document as D | undefined
      }),
    )
    return new Map([...known, ...found.filter((document) => document !== undefined).map((document) => [document.id, document] as const)])
  }
  return { ...documents, getMany, getPairs: pairsBy(getMany) }
}

/** Returns the site for answering a write: its documents show what was just written. */
export const asWritten = <A extends { readonly documents: DocumentStore; readonly readStream: ReadStream }>(app: A): A => ({
  ...app,
  documents: withLogFallback(app.documents, app.readStream),
})
