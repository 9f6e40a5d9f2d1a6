import { canonicalUrl } from '../../../domain/canonical-url.ts'
import { moderatesWiki } from '../../../domain/wiki-access.ts'
import { isRestricted, isSpecial } from '../../../domain/wiki-page-name.ts'
import { byComments, duplicatesOf } from '../../../queries/links.ts'
import { openReading } from '../../../queries/reading.ts'
import { section } from '../../contract/endpoint.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import { normalAddress, pageHere, pageSent, wikiHere } from '../../needs/wiki.ts'
import { linkListingShape } from '../../present/link.ts'
import { linkList, linksInView } from '../../things/shown-things.ts'

export const wikiDiscussions = section('Wiki').get('[/s/{sub}]/wiki/discussions/{page}', {
  scope: 'wikiread',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  answers: { 200: linkListingShape, 302: noBody },
  summary: 'Links in any subsite whose URL is that of the page, those with most comments first.',
  notes: 'Leaves out links in subsites that you may not view, and removed links that you neither wrote nor moderate.',
  cache: 'public',
  params: { page: pageSent() },
  needs: { wiki: wikiHere, pageFound: pageHere, address: normalAddress },
  handle: async (context) => {
    const { wiki, pageFound: page, documents, viewer, config, site } = context
    if (isRestricted(page.page) && !isSpecial(page.page) && !moderatesWiki(wiki.standing)) return refuseRule('RESTRICTED_PAGE')
    const read = openReading(context, viewer)
    const place = site.kind === 'subsite' ? `/s/${wiki.name}` : ''
    const source = duplicatesOf(documents, canonicalUrl(`${config.publicUrl}${place}/wiki/${page.page}`), await read.audiences())
    return linkList(context, read, { source, order: byComments, visible: (links) => linksInView(read, links) })
  },
})
