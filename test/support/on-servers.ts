/**
 * The files of test/http that the gate also runs on servers, by the section of the endpoints that they ask: those that depend most on how
 * a store lists, searches, orders and follows. `npm run test:servers` runs all.
 */
export const onServers: Readonly<Record<string, readonly string[]>> = {
  Account: ['preference-effects'],
  Administration: ['account-life'],
  Captcha: ['captcha'],
  Flair: ['flair-csv'],
  Gold: ['gold'],
  'Links and comments': ['comments', 'deleted-text', 'exact-limits', 'more-comments', 'threads', 'votes'],
  'Listings of links and comments': ['domains', 'listing-scopes', 'listing-stickies', 'listings', 'new-comments', 'walks'],
  'Login and apps': ['sessions'],
  Miscellaneous: ['concurrency', 'positions', 'put-off-requests'],
  Moderation: [
    'erased-images',
    'erased-log',
    'erased-threads',
    'exclusions',
    'history',
    'mod-log',
    'mod-log-filters',
    'mod-queues',
    'sticky-races',
  ],
  Multis: ['multi-copies', 'multis'],
  'Private messages': ['inbox', 'modmail', 'read-all-messages'],
  Service: ['service'],
  Subsites: ['private-subsite', 'relations', 'search-visibility', 'subsite-lists', 'subsite-search'],
  Users: ['user-pages', 'users'],
  Wiki: ['merging', 'wiki', 'wiki-revisions'],
}
