import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { Refusal } from '../domain/refusal.ts'
import type { Anchor } from '../ports/documents.ts'
import { type From, type Keep, type Source, walk } from '../queries/walk.ts'
import type { Context, Listed } from './endpoint.ts'

/** How items of one sort are presented: as JSON things, in their order. */
export type Presenter<Item> = (items: readonly Item[]) => Promise<readonly unknown[]> | readonly unknown[]

/** A listing as data: which items, in which order, which of them the viewer may see, where a page may begin, and what they are. */
export type Listing<Item> = {
  readonly source: Source<Item>
  /** Names the order, for the memory of anchors: listings of one order share it. */
  readonly order: readonly string[]
  readonly visible?: Keep<Item>
  /** Bytes of the documents that stand for an item on the page, where they are not the item itself. Asked once it is known to be visible. */
  readonly sizeOf?: (item: Item) => number
  readonly nameOf: (item: Item) => string
  /** The current key of what an anchor names: undefined for what is no anchor here, refused where the viewer may not see it. */
  readonly anchor: (name: string) => Promise<Either<Refusal, Anchor | undefined>>
  readonly present: Presenter<Item>
  /** Not kept for who asks next: it comes of more than the address, who asks and the documents. */
  readonly fleeting?: boolean
}

/** Anonymous answers may be served to several people from one making, so they share a memory of anchors. */
const readerOf = ({ viewer }: Context) => viewer.account ?? ''

/** `before` wins; a name that is no anchor is ignored. What this viewer was handed is an anchor, also where it stands for much that is out of sight. */
const fromOf = async <Item>(context: Context, listing: Listing<Item>): Promise<Either<Refusal, From>> => {
  for (const side of ['before', 'after'] as const) {
    const name = context.page[side]?.toLowerCase()
    if (name === undefined) continue
    const handed = context.anchors.recall(readerOf(context), listing.order, name)
    const current = handed ? E.right(handed) : await listing.anchor(name)
    if (E.isLeft(current)) return current
    const key = current.right
    if (key) return E.right(side === 'before' ? { before: key } : { after: key })
  }
  return E.right(undefined)
}

/** The page of a listing that a request asks for, its ends named as the listing protocol wants, and remembered as they were. */
const turn = async <Item>(context: Context, listing: Listing<Item>) => {
  const from = await fromOf(context, listing)
  if (E.isLeft(from)) return from
  const walked = await walk(listing.source, context.page.limit, from.right, listing.visible, listing.sizeOf)
  const named = (item: Item | undefined): string | null => {
    if (item === undefined) return null
    const name = listing.nameOf(item)
    context.anchors.remember(readerOf(context), listing.order, name.toLowerCase(), listing.source.keyOf(item))
    return name
  }
  const [after, before] = [named(walked.after), named(walked.before)]
  return E.right({
    kind: 'listing',
    children: await listing.present(walked.items),
    after,
    before,
    fleeting: listing.fleeting ?? false,
  } as const)
}

/** The answer of an endpoint that lists: the pipeline turns to the page asked for, once, for every listing. */
export const list = <Item>(listing: Listing<Item>): Listed => ({ kind: 'listed', turn: (context) => turn(context, listing) })

/** A listing of what is at hand, whole on one page. */
export const whole = (children: readonly unknown[]) => ({ kind: 'listing', children, after: null, before: null }) as const
