import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../app.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Anchor, DocumentStore } from '../ports/documents.ts'
import { type Anchors, anchors } from '../queries/anchors.ts'
import { type From, type Keep, type Source, walk } from '../queries/walk.ts'
import type { PageRequest, Viewer } from './endpoint.ts'

const memories = new WeakMap<DocumentStore, Anchors>()

const memoryOf = ({ documents }: App): Anchors => {
  const memory = memories.get(documents) ?? anchors()
  memories.set(documents, memory)
  return memory
}

export type Listing<Item> = {
  readonly source: Source<Item>
  /** Names the order, for the memory of anchors: listings of one order share it. */
  readonly order: readonly string[]
  readonly nameOf: (item: Item) => string
  /** The current key of what an anchor names: undefined for what is no anchor here, refused where the viewer may not see it. */
  readonly anchor: (name: string) => Promise<Either<Refusal, Anchor | undefined>>
  readonly keep?: Keep<Item>
}

type Asker = { readonly viewer: Viewer; readonly page: PageRequest }

/** `before` wins; a name that is no anchor is ignored. What this reader was handed is an anchor, also where it stands for much that is out of sight. */
const fromOf = async <Item>(memory: Anchors, reader: string, page: PageRequest, listing: Listing<Item>): Promise<Either<Refusal, From>> => {
  for (const side of ['before', 'after'] as const) {
    const name = page[side]?.toLowerCase()
    if (name === undefined) continue
    const handed = memory.recall(reader, listing.order, name)
    const current = handed ? E.right(handed) : await listing.anchor(name)
    if (E.isLeft(current)) return current
    const key = current.right
    if (key) return E.right(side === 'before' ? { before: key } : { after: key })
  }
  return E.right(undefined)
}

export type Turned<Item> = { readonly items: readonly Item[]; readonly after: string | null; readonly before: string | null }

/** The page that a request asks for, its ends named as the listing protocol wants, and remembered as they were. */
export const turnPage = async <Item>(app: App, { viewer, page }: Asker, listing: Listing<Item>): Promise<Either<Refusal, Turned<Item>>> => {
  const memory = memoryOf(app)
  // anonymous answers may be served to several people from one making, so they share a memory
  const reader = viewer.account ?? ''
  const from = await fromOf(memory, reader, page, listing)
  if (E.isLeft(from)) return from
  const walked = await walk(listing.source, page.limit, from.right, listing.keep)
  const named = (item: Item | undefined): string | null => {
    if (item === undefined) return null
    const name = listing.nameOf(item)
    memory.remember(reader, listing.order, name, listing.source.keyOf(item))
    return name
  }
  return E.right({ items: walked.items, after: named(walked.after), before: named(walked.before) })
}
