import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { refuse } from '../domain/decision.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Anchor, DocumentStore } from '../ports/documents.ts'
import { bytesOf } from '../ports/size.ts'
import { type Reading, reading } from '../queries/reading.ts'
import { type ThingDocument, thingsById } from '../queries/things.ts'
import type { Source } from '../queries/walk.ts'
import type { Context } from './endpoint.ts'
import { list } from './listing.ts'
import { presentById } from './things.ts'

/** An anchor among links and comments: one in a subsite that the viewer may not see is refused. */
export const thingAnchor =
  (documents: DocumentStore, read: Reading, keyOf: (thing: ThingDocument) => Anchor | undefined | Promise<Anchor | undefined>) =>
  async (name: string): Promise<Either<Refusal, Anchor | undefined>> => {
    const thing = (await thingsById(documents, [name])).get(name)
    if (!thing) return E.right(undefined)
    await read.places([thing.subsite])
    return read.mayView(thing.subsite) ? E.right(await keyOf(thing)) : refuse('FORBIDDEN')
  }

/** Records that each point at a link or a comment: what somebody did with it, or why it concerns the moderators. */
export type Pointing<Item> = {
  readonly source: Source<Item>
  readonly order: readonly string[]
  readonly thingOf: (record: Item) => string
  /** The key of the record on a thing; undefined where the thing is no place in the listing. */
  readonly keyOn: (thing: ThingDocument) => Promise<Anchor | undefined>
  /** Which of the things the viewer is shown. */
  readonly visible: (read: Reading, things: readonly ThingDocument[]) => Promise<readonly ThingDocument[]>
  /** With the category that the viewer saved each thing under. */
  readonly categories?: boolean
}

/** The things that records point at, in the order of the records. */
export const pointedAt = <Item>(context: Context, { source, order, thingOf, keyOn, visible, categories = false }: Pointing<Item>) => {
  const { documents, viewer, page } = context
  const read = reading(context, viewer)
  const things = new Map<string, ThingDocument>()
  return list<Item>({
    source,
    order,
    nameOf: thingOf,
    anchor: thingAnchor(documents, read, keyOn),
    visible: async (records) => {
      const found = await thingsById(documents, records.map(thingOf))
      for (const thing of await visible(read, [...found.values()])) things.set(thing.id, thing)
      return records.filter((record) => things.has(thingOf(record)))
    },
    sizeOf: (record) => bytesOf(things.get(thingOf(record))),
    present: async (records) => {
      const shown = records.flatMap((record) => things.get(thingOf(record)) ?? [])
      const presented = await presentById(context, read, shown, { detailed: page.srDetail, flat: true, categories })
      return shown.flatMap(({ id }) => presented.get(id) ?? [])
    },
  })
}
