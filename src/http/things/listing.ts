// Decisions 11 and 62.

import * as E from 'fp-ts/lib/Either.js'
import type { Anchor } from '../../ports/documents.ts'
import { type From, type OrderedSource, type SelectVisible, walk } from '../../queries/ordered-source.ts'
import type { Context, ListingReply } from '../contract/endpoint.ts'
import type { ListingAnchors } from '../contract/parts.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'

/** Presents items of one sort as JSON things, in their order. */
export type Presenter<Item> = (items: readonly Item[]) => Promise<readonly unknown[]> | readonly unknown[]

/** The item that `after` or `before` names: its key, undefined if it has no place in the listing, and whether the viewer may view it. */
export type NamedAnchor = { readonly key: Anchor | undefined; readonly viewable: boolean }

/** A listing as data: its items, their order, their visibility, the valid anchors, and their presentation. */
export type Listing<Item> = {
  readonly source: OrderedSource<Item>
  /** The fields of the order. Listings of one order share the cache of anchors. */
  readonly order: readonly string[]
  readonly visible?: SelectVisible<Item>
  /** Returns the bytes of the documents shown for an item, if they are not the item itself. Called only for visible items. */
  readonly sizeOf?: (item: Item) => number
  readonly nameOf: (item: Item) => string
  /** Returns the named anchor; undefined if nothing has that name. */
  readonly anchor: (name: string) => Promise<NamedAnchor | undefined>
  readonly present: Presenter<Item>
  /** Returns the things of a separate listing before every page. */
  readonly lead?: () => Promise<readonly unknown[]>
  /** The number of those that count towards the limit of the page. */
  readonly counted?: number
  /** Returns further members of the page. */
  readonly extra?: () => Promise<Readonly<Record<string, unknown>>>
  /**
   * True if it is not cached, since it depends on more than the address, the viewer and the documents. A function if that is only known
   * once items are presented.
   */
  readonly fleeting?: boolean | (() => boolean)
}

/** Returns the viewer whose anchors count. Several callers get the same cached anonymous responses, so these share a cache of anchors. */
const viewerOf = ({ viewer }: Context) => viewer.account ?? ''

/**
 * Finds the place where a page begins. `before` takes precedence. An invalid anchor is ignored, and one that the viewer may not view is
 * refused. Every anchor that this viewer was given is valid, even if its item left the listing.
 */
const fromOf = async <Item>(
  context: Context,
  { anchors, opaqueAnchors }: ListingAnchors,
  listing: Listing<Item>,
): Promise<E.Either<Refusal, From>> => {
  for (const side of ['before', 'after'] as const) {
    const name = context.page[side]?.toLowerCase()
    if (name === undefined) continue
    const handed = opaqueAnchors.unseal(listing.order, name) ?? anchors.recall(viewerOf(context), listing.order, name)
    const named = handed ? undefined : await listing.anchor(name)
    if (named && !named.viewable) return refuseRule('FORBIDDEN')
    const key = handed ?? named?.key
    if (key) return E.right(side === 'before' ? { before: key } : { after: key })
  }
  return E.right(undefined)
}

/** Makes the requested page of a listing, and caches the anchors of its ends. */
const turn = async <Item>(context: Context, anchors: ListingAnchors, listing: Listing<Item>) => {
  const from = await fromOf(context, anchors, listing)
  if (E.isLeft(from)) return from
  const walked = await walk(listing.source, context.page.limit - (listing.counted ?? 0), from.right, listing.visible, listing.sizeOf)
  const rememberAnchor = (item: Item | undefined): string | null => {
    if (item === undefined) return null
    const name = listing.nameOf(item)
    anchors.anchors.remember(viewerOf(context), listing.order, name.toLowerCase(), listing.source.keyOf(item))
    return name
  }
  const end = (side: 'after' | 'before'): string | null => {
    const item = walked[side]
    return item !== undefined && walked.hidden === side
      ? anchors.opaqueAnchors.seal(listing.order, listing.source.keyOf(item))
      : rememberAnchor(item)
  }
  const [after, before] = [end('after'), end('before')]
  const children = await listing.present(walked.items)
  const { fleeting = false } = listing
  return E.right({
    kind: 'listing',
    children,
    after,
    before,
    ...(listing.extra && { extra: await listing.extra() }),
    ...(listing.lead && { lead: await listing.lead() }),
    fleeting: typeof fleeting === 'function' ? fleeting() : fleeting,
  } as const)
}

/** Returns the response of a listing endpoint. The pipeline makes the requested page. */
export const list = <Item>(listing: Listing<Item>): ListingReply => ({
  kind: 'listed',
  turn: (context, anchors) => turn(context, anchors, listing),
})

/** Returns a listing of items in memory, on one page. */
export const wholeListing = (children: readonly unknown[]) => ({ kind: 'listing', children, after: null, before: null }) as const
