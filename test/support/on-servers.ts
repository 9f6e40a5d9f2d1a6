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
  History: ['history-events', 'replays'],
  'Links and comments': ['comments', 'exact-limits', 'threads', 'votes'],
  'Listings of links and comments': ['listing-stickies', 'listings', 'walks'],
  'Login and apps': ['sessions'],
  Miscellaneous: ['concurrency', 'positions'],
  Moderation: ['erased-threads', 'exclusions', 'history', 'mod-log', 'mod-queues', 'sticky-races'],
  Multis: ['multis'],
  'Private messages': ['inbox', 'modmail'],
  Service: ['service'],
  Subsites: ['relations', 'search-visibility', 'subsite-lists'],
  Users: ['user-pages'],
  Wiki: ['wiki'],
}
