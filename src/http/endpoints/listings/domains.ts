// Decision 106.

import * as E from 'fp-ts/lib/Either.js'
import { hostNamed, isHostWithin } from '../../../domain/canonical-url.ts'
import { linkOrders, linkSorts } from '../../../domain/link-sorts.ts'
import { linksTo } from '../../../queries/links.ts'
import { openReading } from '../../../queries/reading.ts'
import { type Param, section } from '../../contract/endpoint.ts'
import { describeParam, oneOf, rawText, replaceRefusal, withDefault } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { linkListingShape } from '../../present/link.ts'
import { selectShownLinks } from '../../things/link-filters.ts'
import { isWithoutOver18, obeysOver18 } from '../../things/over18.ts'
import { linkList } from '../../things/shown-things.ts'

/** Characters of the longest host name. */
const MAX_HOST_CHARACTERS = 253

/** A host as links have it: without `www.`, in lower case and in ASCII. */
const host: Param<string> = {
  ...describeParam(
    rawText({ max: MAX_HOST_CHARACTERS }),
    'a host name; a leading `www.` does not matter, links to its subdomains are listed, too',
  ),
  decode: (sent = '', name) => {
    const domain = sent.length > MAX_HOST_CHARACTERS ? '' : hostNamed(sent)
    return domain === '' ? refuseRule('NOT_FOUND', name) : E.right(domain)
  },
}

export const linksOfDomain = section('Listings of links and comments').get('/domain/{host}/{sort}', {
  otherPaths: ['/domain/{host}'],
  values: { sort: linkSorts },
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  answers: { 200: linkListingShape },
  summary: 'The links to a host and its subdomains: hot, new, or by votes.',
  notes: 'Without a sort: hot. Of all subsites that you may view.',
  cache: 'personal',
  params: {
    host,
    sort: withDefault(oneOf(...linkSorts), 'hot' as const),
    t: describeParam(replaceRefusal(withDefault(oneOf('all'), 'all' as const), 'INVALID_OPTION'), 'links of all times'),
  },
  handle: async (context) => {
    const { documents, viewer, params, page, preferences } = context
    const read = openReading(context, viewer)
    const shown = selectShownLinks(read, {
      listed: { kind: 'all', except: [] },
      since: undefined,
      general: false,
      showAll: page.showAll,
      withoutOver18: await isWithoutOver18(context),
      withoutMuted: !page.showAll,
      preferences: await preferences(),
      stickied: new Set(),
    })
    return linkList(context, read, {
      source: linksTo(documents, params.host, params.sort, await read.audiences()),
      order: linkOrders[params.sort],
      visible: (links) => shown(links.filter(({ domain }) => isHostWithin(domain, params.host))),
      fleeting: obeysOver18(context),
    })
  },
})
