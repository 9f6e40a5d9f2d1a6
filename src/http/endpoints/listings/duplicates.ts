import * as E from 'fp-ts/lib/Either.js'
import type { LinkDocument } from '../../../../projections/links.ts'
import { ERASED_PLACEHOLDER } from '../../../domain/event.ts'
import { byComments, duplicatesOf } from '../../../queries/links.ts'
import { inMemorySource } from '../../../queries/ordered-source.ts'
import { openReading } from '../../../queries/reading.ts'
import { section } from '../../contract/endpoint.ts'
import { id36 } from '../../contract/name-params.ts'
import { describeParam, replaceRefusal } from '../../contract/params.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { linkListingShape } from '../../present/link.ts'
import { presentThings } from '../../things/links-and-comments.ts'
import { linkInView, linkList, linksInView } from '../../things/shown-things.ts'

export const duplicates = section('Listings of links and comments').get('/duplicates/{article}', {
  otherPaths: ['/s/{sub}/duplicates/{article}'],
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  answers: { 200: shape.tuple(linkListingShape, linkListingShape) },
  summary: 'A link and the other links with its URL, those with most comments first.',
  notes: 'Two listings, of which the second has pages. Neither a text nor an erased link has duplicates.',
  params: { article: describeParam(replaceRefusal(id36('link'), 'NOT_FOUND'), 'id of the link') },
  cache: 'personal',
  handle: async (context) => {
    const { documents, viewer, params, page } = context
    const read = openReading(context, viewer)
    const found = await linkInView(context, read, params.article)
    if (E.isLeft(found)) return found
    const link = found.right
    const source =
      link.urlKey === null || link.url === ERASED_PLACEHOLDER
        ? inMemorySource<LinkDocument>([], byComments)
        : duplicatesOf(documents, link.urlKey, await read.audiences())
    return linkList(context, read, {
      source,
      order: byComments,
      visible: async (links) => (await linksInView(read, links)).filter(({ id }) => id !== link.id),
      lead: () => presentThings(context, read, [link], { detailed: page.srDetail }),
    })
  },
})
