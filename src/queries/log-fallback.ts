// Decision 46.

import { accountsProjection } from '../../projections/accounts.ts'
import { projections } from '../../projections/all.ts'
import { commentsProjection } from '../../projections/comments.ts'
import { readersOf } from '../../projections/engine/batch.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { linksProjection } from '../../projections/links.ts'
import { messagesProjection } from '../../projections/messages.ts'
import { subsitesProjection } from '../../projections/subsites.ts'
import { votesProjection } from '../../projections/votes.ts'
import type { Logged, Stored } from '../domain/events.ts'
import { kindOf, secondPart } from '../domain/ids.ts'
import { type Collection, collectionKey, type Document, type DocumentStore, pairsBy } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'

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
  const getFolded = async <D extends Document>(collection: Collection<D>, ids: readonly string[], source: LogSource) => {
    const known = await documents.getMany(collection, ids)
    if (known.size === ids.length) return known
    const missing = [...new Set(ids)].filter((id) => !known.has(id))
    if (missing.length === 0) return known
    const found = await Promise.all(
      missing.map(async (id) => {
        let document: Document | undefined
        for (const stream of source.streamsOf(id)) for await (const page of readStream(stream)) document = source.fold(document, page, id)
        return document as D | undefined
      }),
    )
    return new Map([...known, ...found.filter((document) => document !== undefined).map((document) => [document.id, document] as const)])
  }
  const getMany: DocumentStore['getMany'] = (collection, ids) => {
    const source = sources.get(collection.name)
    return source ? getFolded(collection, ids, source) : documents.getMany(collection, ids)
  }
  return { ...documents, getMany, getPairs: pairsBy(getMany) }
}

const readers = readersOf(projections.filter(({ collection }) => collection.positions === undefined))
const foldedCollections = new Set([...readers.values()].flat().map(({ key }) => key))

/** Returns the things whose streams begin with some events. */
const begunBy = (events: readonly Stored[]): readonly string[] =>
  events.flatMap(({ revision, stream }) => (revision === 0 ? [stream.slice(stream.indexOf('-') + 1)] : []))

/** The events of a write just now, and the position of the last. No reaction to them recorded anything. */
export type Written = { readonly events: readonly Stored[]; readonly position: Position }

/**
 * Wraps documents for the response to a write that made a thing. The documents of the thing, and those of pairs of which it is an end, are
 * folded from the events just written and not looked up: nobody else had heard of it.
 */
export const withNewThings = (documents: DocumentStore, { events, position }: Written): DocumentStore => {
  const things = begunBy(events)
  const ends = things.map((thing) => ({ thing, beginning: `${thing}.`, end: `.${thing}` }))
  const isNew = (id: string): boolean =>
    ends.some(({ thing, beginning, end }) => id === thing || id.startsWith(beginning) || id.endsWith(end))
  const newDocuments = new Map<string, Document | undefined>()
  for (const event of events)
    for (const { key, read } of readers.get(event.type) ?? [])
      for (const { id, change } of read(event as Logged))
        if (isNew(id)) newDocuments.set(`${key} ${id}`, change(newDocuments.get(`${key} ${id}`)))
  const getMade = async <D extends Document>(collection: Collection<D>, ids: readonly string[], key: string) => {
    const known = new Map<string, D | null>()
    for (const id of ids) if (isNew(id)) known.set(id, (newDocuments.get(`${key} ${id}`) as D | undefined) ?? null)
    documents.remember?.(collection, known, position)
    const others = ids.filter((id) => !known.has(id))
    const found = others.length === 0 ? new Map<string, D>() : new Map(await documents.getMany(collection, others))
    for (const [id, document] of known) if (document) found.set(id, document)
    return found
  }
  const getMany: DocumentStore['getMany'] = (collection, ids) => {
    const key = collectionKey(collection)
    return foldedCollections.has(key) && ids.some(isNew) ? getMade(collection, ids, key) : documents.getMany(collection, ids)
  }
  return things.length === 0 ? documents : { ...documents, getMany, getPairs: pairsBy(getMany) }
}

/** Returns the site for answering a write: its documents show what was just written. */
export const asWritten = <A extends { readonly documents: DocumentStore; readonly readStream: ReadStream }>(
  app: A,
  written?: Written,
): A => {
  const documents = withLogFallback(app.documents, app.readStream)
  return { ...app, documents: written ? withNewThings(documents, written) : documents }
}
