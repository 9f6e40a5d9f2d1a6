import { SubsiteSettingChanged } from '../../../src/domain/subsite.ts'
import {
  WikiEditorAdded,
  WikiEditorRemoved,
  WikiPageListingChanged,
  WikiPagePermlevelChanged,
  WikiPageRevised,
} from '../../../src/domain/wiki-page.ts'
import { WikiRevisionErased, WikiRevisionHidden, WikiRevisionUnhidden } from '../../../src/domain/wiki-revision.ts'
import { bob, carol } from '../example-history.ts'
import { inNameOf } from '../logged-events.ts'
import { mod, type Row, subsite, user } from './terms.ts'

const wiki = { subsite, page: 'leaves' }
const revised = { ...wiki, author: carol, content: 'Green.', previous: null }

export const ofWiki: readonly Row[] = [
  ['edit a page as a user', inNameOf(bob)(WikiPageRevised({ ...revised, author: bob })), 'none'],
  [
    'edit a page as a moderator',
    mod(WikiPageRevised({ ...revised, reason: 'more' })),
    { action: 'wikirevise', target: null, details: 'Page leaves edited', description: 'more', page: 'leaves' },
  ],
  [
    'edit a special page as its editor',
    inNameOf(bob)(WikiPageRevised({ ...revised, author: bob, page: 'config/automoderator' })),
    { action: 'wikirevise', target: null, details: 'Page config/automoderator edited', mod: bob, page: 'config/automoderator' },
  ],
  [
    'revert a page',
    mod(WikiPageRevised({ ...revised, reason: 'reverted back 1 day', reverts: 'first' })),
    { action: 'wikirevise', target: null, details: 'revert', description: 'Page leaves, reverted back 1 day', page: 'leaves' },
  ],
  [
    'change the sidebar as a page',
    mod(SubsiteSettingChanged({ subsite, setting: 'description', before: '', after: 'new', reason: 'more' })),
    { action: 'wikirevise', target: null, details: 'Updated subsite sidebar', description: 'more' },
  ],
  [
    'hide a revision',
    mod(WikiRevisionHidden({ ...wiki, revision: 'first' })),
    { action: 'wikirevise', target: null, details: 'hide', description: 'Page leaves, revision first', page: 'leaves' },
  ],
  [
    'erase a revision',
    mod(WikiRevisionErased({ ...wiki, revision: 'first', author: bob, hidden: false, reason: 'ordered' })),
    { action: 'wikirevise', target: null, details: 'erase', description: 'Page leaves, revision first: ordered', page: 'leaves' },
  ],
  [
    'show a hidden revision',
    mod(WikiRevisionUnhidden({ ...wiki, revision: 'first' })),
    { action: 'wikirevise', target: null, details: 'unhide', description: 'Page leaves, revision first', page: 'leaves' },
  ],
  [
    'delist a page',
    mod(WikiPageListingChanged({ ...wiki, listed: false })),
    { action: 'wikipagelisted', target: null, description: 'Delisted page leaves', page: 'leaves' },
  ],
  [
    'relist a page',
    mod(WikiPageListingChanged({ ...wiki, listed: true })),
    { action: 'wikipagelisted', target: null, description: 'Relisted page leaves', page: 'leaves' },
  ],
  [
    'change the level of a page',
    mod(WikiPagePermlevelChanged({ ...wiki, before: 0, after: 2 })),
    { action: 'wikipermlevel', target: null, description: 'Page leaves: level 0 to 2', page: 'leaves' },
  ],
  [
    'add an editor',
    mod(WikiEditorAdded({ ...wiki, account: bob })),
    { ...user('wikipermlevel', 'alloweditor_add', 'Page leaves'), page: 'leaves' },
  ],
  [
    'remove an editor',
    mod(WikiEditorRemoved({ ...wiki, account: bob })),
    { ...user('wikipermlevel', 'alloweditor_del', 'Page leaves'), page: 'leaves' },
  ],
]
