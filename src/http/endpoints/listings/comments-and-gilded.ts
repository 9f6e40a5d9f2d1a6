// Decision 106.

import type { CommentDocument } from '../../../../projections/comments.ts'
import { type GildingDocument, gildingId, gildings } from '../../../../projections/gildings.ts'
import { links } from '../../../../projections/links.ts'
import { linkOrders } from '../../../domain/link-sorts.ts'
import { getOne } from '../../../ports/documents.ts'
import { listGilded } from '../../../queries/gildings.ts'
import type { ListedLinks } from '../../../queries/links.ts'
import { openReading, type Reading } from '../../../queries/reading.ts'
import { isLink, newComments, type ThingDocument } from '../../../queries/things.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { selectListedLinks } from '../../needs/listed-links.ts'
import { commentListingShape, thingListingShape } from '../../present/comment.ts'
import { presentThings } from '../../things/links-and-comments.ts'
import { list } from '../../things/listing.ts'
import { isWithoutOver18, obeysOver18 } from '../../things/over18.ts'
import { listPointed, selectViewable, thingAnchor } from '../../things/shown-things.ts'

const { get } = section('Listings of links and comments', { scope: 'read', login: 'anyone', errors: 'coded' })

/**
 * Returns the things among some that the viewer is shown, in their order: none that are removed, hidden, or in a subsite that is left out.
 */
const shownAmong =
  (context: Context, listed: ListedLinks, withoutOver18: boolean) =>
  async <Thing extends ThingDocument>(read: Reading, things: readonly Thing[]): Promise<readonly Thing[]> => {
    const { documents, page } = context
    const except = new Set(listed.kind === 'all' ? listed.except : [])
    const viewable = (await selectViewable(read, things)).filter(({ subsite, removed }) => removed === null && !except.has(subsite))
    const threads = withoutOver18
      ? await documents.getMany(
          links,
          viewable.flatMap((thing) => (isLink(thing) ? [] : [thing.link])),
        )
      : new Map()
    const isOver18 = (thing: ThingDocument) =>
      read.subsite(thing.subsite)?.over18 === true || (isLink(thing) ? thing : threads.get(thing.link))?.over18 === true
    const allowed = withoutOver18 ? viewable.filter((thing) => !isOver18(thing)) : viewable
    if (page.showAll) return allowed
    const [shelves, muted] = await Promise.all([
      read.shelvesOf(allowed.map(({ id }) => id)),
      read.mutedSubsites(listed.kind === 'all' ? allowed.map(({ subsite }) => subsite) : []),
    ])
    return allowed.filter(({ id, subsite }) => !shelves.get(id)?.hidden && !muted.has(subsite))
  }

const common = { listing: { max: 100 }, rss: true, needs: { listed: selectListedLinks }, cache: 'personal' } as const

const comment = get('[/s/{sub}]/comments', {
  ...common,
  answers: { 200: commentListingShape },
  summary: 'Comments, newest first.',
  notes: 'Of the same subsites as `/new`. Removed comments are left out, and those that your reports hid.',
  handle: async (context) => {
    const { documents, viewer, listed, page } = context
    const read = openReading(context, viewer)
    const source = newComments(documents, listed, await read.audiences())
    const shown = shownAmong(context, listed, await isWithoutOver18(context))
    return list<CommentDocument>({
      source,
      order: linkOrders.new,
      nameOf: ({ id }) => id,
      anchor: thingAnchor(documents, read, (thing) => (isLink(thing) ? undefined : source.keyOf(thing))),
      visible: (things) => shown(read, things),
      present: (items) => presentThings(context, read, items, { detailed: page.srDetail, flat: true }),
      fleeting: obeysOver18(context),
    })
  },
})

const gilded = get('[/s/{sub}]/gilded', {
  ...common,
  answers: { 200: thingListingShape },
  summary: 'Gilded links and comments, those gilded last first.',
  notes: 'Of the same subsites as `/new`. Removed things are left out, and those that you hid.',
  handle: async (context) => {
    const { documents, listed } = context
    const source = listGilded(documents, listed)
    return listPointed<GildingDocument>(context, {
      source,
      order: ['gilded'],
      thingOf: ({ thing }) => thing,
      keyOn: async ({ id, author }) => {
        const gilding = await getOne(documents, gildings, gildingId('received', author, id))
        return gilding && source.keyOf(gilding)
      },
      visible: shownAmong(context, listed, await isWithoutOver18(context)),
      fleeting: obeysOver18(context),
    })
  },
})

export const thingListingEndpoints: readonly AnyEndpoint[] = [comment, gilded]
