import { component, either, epoch, flag, html, integer, listOf, optional, orNull, record, text } from '../../contract/schemas/schema.ts'
import { thingShape } from '../../contract/schemas/things.ts'
import { accountShape, suspendedAccountShape } from '../../present/account.ts'

const account = either(thingShape('t2', accountShape), thingShape('t2', suspendedAccountShape))
const author = orNull(account)

export const wikiPageShape = component('WikiPage', () =>
  record({
    content_md: text('# Water'),
    content_html: html,
    revision_by: author,
    revision_date: orNull(epoch),
    may_revise: flag,
    diff: optional({ ...html, description: 'What `v2` changes of `v`, as a table.' }),
  }),
)

export const wikiRevisionShape = component('WikiRevision', () =>
  record({
    id: text('1b4e28ba-2fa1-51d2-883f-0016d3cca427'),
    page: text('index'),
    timestamp: orNull(epoch),
    author,
    reason: orNull(text('said more')),
    revision_hidden: flag,
  }),
)

export const wikiSettingsShape = component('WikiPageSettings', () =>
  record({
    permlevel: integer(0, '0: as the subsite says; 1: editors and moderators; 2: moderators.'),
    listed: flag,
    editors: listOf(account),
  }),
)
