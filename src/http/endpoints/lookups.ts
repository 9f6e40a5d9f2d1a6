import { either as E } from 'fp-ts'
import { canonicalUrl } from '../../domain/canonical-url.ts'
import { refuse } from '../../domain/decision.ts'
import { kindOf } from '../../domain/ids.ts'
import { parseUrl } from '../../domain/url.ts'
import { bytesOf } from '../../ports/size.ts'
import { linksByUrl } from '../../queries/links.ts'
import { type Reading, reading } from '../../queries/reading.ts'
import { subsitesById } from '../../queries/subsites.ts'
import { type ThingDocument, thingsById } from '../../queries/things.ts'
import { walk } from '../../queries/walk.ts'
import { type AnyEndpoint, type Context, endpoint, type Site } from '../endpoint.ts'
import { whole } from '../listing.ts'
import { described, flag, fullnames, integer, lenient, raw, refusing } from '../params.ts'
import * as shape from '../schemas/schema.ts'
import { subsiteShape } from '../schemas/subsites.ts'
import { commentThingShape, linkListingShape, linkThingShape, listingShape, thingShape } from '../schemas/things.ts'
import { presentById, presentThings } from '../things.ts'
import { subsiteThings } from '../viewed.ts'

const MOST_IDS = 100

/** Bytes of documents in one answer: of a hundred of the longest links. */
const MOST_BYTES = 10_000_000

/** Things by their fullnames, however many; undefined when they are too large for one answer. */
const thingsNamed = async (documents: Context['documents'], names: readonly string[]) => {
  const things = new Map<string, ThingDocument>()
  let bytes = 0
  for (let start = 0; start < names.length; start += MOST_IDS) {
    for (const [id, thing] of await thingsById(documents, names.slice(start, start + MOST_IDS))) {
      things.set(id, thing)
      bytes += bytesOf(thing)
    }
    if (bytes > MOST_BYTES) return undefined
  }
  return things
}

/** Things by their fullnames, in that order: what may be viewed of them, also what was removed or deleted. */
const byIds = async (app: Context, read: Reading, ids: readonly string[]): Promise<readonly unknown[]> => {
  const [things, places] = await Promise.all([
    thingsById(app.documents, ids),
    subsitesById(
      app.documents,
      ids.filter((id) => kindOf(id) === 'subsite' && (app.viewer.within?.has(id) ?? true)),
    ),
  ])
  await read.places([...things.values()].map(({ subsite }) => subsite))
  const visible = [...things.values()].filter(({ subsite }) => read.mayView(subsite))
  const presented = await presentById(app, read, visible)
  const known = [...places.values()]
  const records = await subsiteThings(app, known)
  const recordOf = new Map(known.map(({ id }, index) => [id, records[index]]))
  return ids.flatMap((id) => presented.get(id) ?? recordOf.get(id) ?? [])
}

const byUrl = async (app: Context, site: Site, read: Reading, url: string, limit: number): Promise<readonly unknown[]> => {
  const named = site.kind === 'subsite' ? [site.subsite] : site.kind === 'several' ? site.subsites : undefined
  const within = named && new Set(named.map(({ id }) => id))
  const { items } = await walk(linksByUrl(app.documents, canonicalUrl(url)), limit, undefined, async (links) => {
    await read.places(links.map(({ subsite }) => subsite))
    return links.filter(({ subsite, deleted }) => !deleted && (!within || within.has(subsite)) && read.mayView(subsite))
  })
  return presentThings(app, read, items)
}

const namesIn = (text: string): readonly string[] =>
  [...new Set(text.toLowerCase().split(/[\s,]+/))].filter((name) => kindOf(name) !== undefined)

const info = endpoint({
  method: 'GET',
  path: '[/s/{sub}]/api/info',
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  section: 'Links and comments',
  answers: { 200: listingShape(shape.either(linkThingShape, commentThingShape, thingShape('t4', subsiteShape))) },
  summary: 'Links, comments and subsites by fullname, or links by address.',
  notes:
    'By fullname at most 100, in the order given, removed and deleted ones included; more of them give nothing. An address wins over fullnames.',
  params: {
    id: described(raw(), 'fullnames, separated by commas'),
    url: described(raw(), 'an address; its links come hottest first'),
    limit: described(lenient(integer({ min: 1, max: 100 }), 25), 'for an address'),
  },
  handle: async (context) => {
    const { params, site, viewer } = context
    const { id, url, limit } = params
    const read = reading(context, viewer)
    const address = parseUrl(url)
    if (E.isRight(address)) return whole(await byUrl(context, site, read, address.right, limit))
    const ids = namesIn(id)
    return whole(ids.length > MOST_IDS ? [] : await byIds(context, read, ids))
  },
})

const byId = endpoint({
  method: 'GET',
  path: '/by_id/{names}',
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  section: 'Listings of links and comments',
  answers: { 200: linkListingShape },
  summary: 'Links by fullname, in the order given.',
  notes:
    'All that are named, whatever the limit: more text than fits in one answer is 400, which a hundred links never are. Removed, deleted and hidden ones included.',
  params: {
    names: described(refusing(fullnames({ kinds: ['link'], max: 10_000 }), 'NOT_FOUND'), 'fullnames of links, separated by commas'),
    sr_detail: described(flag(), 'with the records of their subsites'),
  },
  handle: async (context) => {
    const { names, sr_detail } = context.params
    const read = reading(context, context.viewer)
    const things = await thingsNamed(context.documents, names)
    if (!things) return E.left({ code: 'TOO_LONG', field: 'names', text: 'these links hold more text than fits in one answer' })
    await read.places([...things.values()].map(({ subsite }) => subsite))
    const known = names.flatMap((name) => things.get(name) ?? [])
    if (known.length === 0) return refuse('NOT_FOUND')
    const visible = known.filter(({ subsite }) => read.mayView(subsite))
    return whole(await presentThings(context, read, visible, { detailed: sr_detail }))
  },
})

export const lookupEndpoints: readonly AnyEndpoint[] = [info, byId]
