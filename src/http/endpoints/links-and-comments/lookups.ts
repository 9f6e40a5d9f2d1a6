// Decision 63.

import * as E from 'fp-ts/lib/Either.js'
import { canonicalUrl } from '../../../domain/canonical-url.ts'
import { isLinkId, kindOf, SubsiteId } from '../../../domain/ids.ts'
import { parseUrl } from '../../../domain/url.ts'
import type { Document } from '../../../ports/documents.ts'
import { bytesOf } from '../../../ports/size.ts'
import { linksByUrl } from '../../../queries/links.ts'
import { walk } from '../../../queries/ordered-source.ts'
import { openReading, type Reading } from '../../../queries/reading.ts'
import { type ThingDocument, thingsById } from '../../../queries/things.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { fullnames } from '../../contract/name-params.ts'
import { describeParam, flag, integer, rawText, replaceInvalid, replaceRefusal } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { type Site, subsitesIn } from '../../contract/request.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { eitherThing, listingShape, thingShape } from '../../contract/schemas/things.ts'
import { at, placeAt } from '../../needs/past.ts'
import { commentThingShape } from '../../present/comment.ts'
import { linkListingShape, linkThingShape } from '../../present/link.ts'
import { pastCommentListingShape } from '../../present/past-comment.ts'
import { pastLinkListingShape } from '../../present/past-link.ts'
import { subsiteShape } from '../../present/subsite.ts'
import { column, documentsNamed, recordsOf } from '../../things/kinds/all.ts'
import { presentThings } from '../../things/links-and-comments.ts'
import { wholeListing } from '../../things/listing.ts'
import { pastThing } from './past-thing.ts'

const MAX_LOOKED_UP_IDS = 100

/** The most bytes of documents in one response: a hundred of the longest links. */
const MAX_RESPONSE_BYTES = 10_000_000

/** Returns things by fullname; undefined if they are too large for one response. */
const thingsNamed = async (documents: Context['documents'], names: readonly string[]) => {
  const things = new Map<string, ThingDocument>()
  let bytes = 0
  for (let start = 0; start < names.length; start += MAX_LOOKED_UP_IDS) {
    for (const [id, thing] of await thingsById(documents, names.slice(start, start + MAX_LOOKED_UP_IDS))) {
      things.set(id, thing)
      bytes += bytesOf(thing)
    }
    if (bytes > MAX_RESPONSE_BYTES) return undefined
  }
  return things
}

/** Presents things by fullname, in that order: those the viewer may view, removed and deleted ones included. */
const byIds = async (context: Context, read: Reading, ids: readonly string[]): Promise<readonly unknown[]> => {
  const within = context.viewer.within
  const documents = await documentsNamed(
    context,
    ids.filter((id) => column(id, 'lookedUp') && (!SubsiteId.is(id) || (within?.has(id) ?? true))),
  )
  const placeOf = (document: Document) => ('subsite' in document ? String(document.subsite) : undefined)
  await read.loadSubsites(documents.flatMap((document) => placeOf(document) ?? []))
  const inView = documents.filter((document) => {
    const place = placeOf(document)
    return place === undefined || read.mayView(place)
  })
  const records = await recordsOf(context, inView)
  return ids.flatMap((id) => records.get(id) ?? [])
}

const byUrl = async (context: Context, site: Site, read: Reading, url: string, limit: number): Promise<readonly unknown[]> => {
  const within = subsitesIn(site).map(({ id }) => id)
  const where = within.length === 0 ? { audiences: await read.audiences() } : { subsites: within }
  const { items } = await walk(linksByUrl(context.documents, canonicalUrl(url), where), limit, undefined, async (links) => {
    await read.loadSubsites(links.map(({ subsite }) => subsite))
    return links.filter(({ subsite }) => read.mayView(subsite))
  })
  return presentThings(context, read, items)
}

const namesIn = (text: string): readonly string[] =>
  [...new Set(text.toLowerCase().split(/[\s,]+/))].filter((name) => kindOf(name) !== undefined)

const info = section('Links and comments').get('[/s/{sub}]/api/info', {
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  answers: { 200: listingShape(eitherThing(linkThingShape, commentThingShape, thingShape('t4', subsiteShape))) },
  summary: 'Links, comments and subsites by fullname, or links by address.',
  notes:
    'At most 100 fullnames, in the order given, including removed and deleted things; with more, the list is empty. If an address is given, fullnames are ignored.',
  params: {
    id: describeParam(rawText(), 'fullnames, separated by commas'),
    url: describeParam(rawText(), 'an address; its links come hottest first'),
    limit: describeParam(replaceInvalid(integer({ min: 1, max: 100 }), 25), 'for an address'),
  },
  handle: async (context) => {
    const { params, site, viewer } = context
    const { id, url, limit } = params
    const read = openReading(context, viewer)
    const address = parseUrl(url)
    if (E.isRight(address)) return wholeListing(await byUrl(context, site, read, address.right, limit))
    const ids = namesIn(id)
    return wholeListing(ids.length > MAX_LOOKED_UP_IDS ? [] : await byIds(context, read, ids))
  },
})

const byId = section('Listings of links and comments').get('/by_id/{names}', {
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  answers: { 200: shape.union(linkListingShape, pastLinkListingShape, pastCommentListingShape) },
  summary: 'Links by fullname, in the order given.',
  notes:
    'Returns all links named, regardless of `limit`, including removed, deleted and hidden ones. If their text does not fit into one response: 400; 100 links always fit. With `at`: one link, or one comment, as it was then, without what other events than its own made of it. Its text is the one that it had then where it is still the present one, and null where it was edited since.',
  params: {
    names: describeParam(
      replaceRefusal(fullnames({ kinds: ['link', 'comment'], max: 10_000 }), 'NOT_FOUND'),
      'fullnames of links, separated by commas; with `at` that of a link or a comment',
    ),
    sr_detail: describeParam(flag(), 'with the records of their subsites'),
    at,
  },
  uses: ['places', 'readUntil'],
  needs: { place: placeAt },
  handle: async (context) => {
    const { place } = context
    const { names: named, sr_detail } = context.params
    if (place) return pastThing(context, place, named)
    const names = named.filter(isLinkId)
    const read = openReading(context, context.viewer)
    const things = await thingsNamed(context.documents, names)
    if (!things) return E.left({ code: 'TOO_LONG', field: 'names', text: 'these links are too long for one response: ask for fewer' })
    await read.loadSubsites([...things.values()].map(({ subsite }) => subsite))
    const known = names.flatMap((name) => things.get(name) ?? [])
    if (known.length === 0) return refuseRule('NOT_FOUND')
    const visible = known.filter(({ subsite }) => read.mayView(subsite))
    return wholeListing(await presentThings(context, read, visible, { detailed: sr_detail }))
  },
})

export const lookupEndpoints: readonly AnyEndpoint[] = [info, byId]
