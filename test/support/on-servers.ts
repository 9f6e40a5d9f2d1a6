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
  'Links and comments': ['comments', 'threads'],
  'Listings of links and comments': ['listings', 'walks'],
  'Login and apps': ['sessions'],
  Miscellaneous: ['positions'],
  Moderation: ['exclusions', 'mod-log', 'mod-queues', 'sticky-races'],
  Multis: ['multis'],
  'Private messages': ['inbox'],
  Service: ['service'],
  Subsites: ['audience-changes', 'killed-requests', 'owed-consequences', 'relations', 'search-visibility', 'subsite-lists'],
  Users: ['user-pages'],
  Wiki: ['wiki'],
}

/** Tests of these files that write or ask so much that they take a fifth of the time of all; `npm run test:servers` runs them, too. */
export const tooLongForTheSample: readonly string[] = [
  'an account can subscribe to only a limited number of subsites; subscribing again to one is allowed',
  'moderators with any permissions see more of a thread at once than others',
  'one account or address can request a limited number of captchas',
  'while limits are on, the 1201st request of a window is 429',
  'paging continues past any number of links that the viewer may not view',
  'flaircsv applies at most 100 lines, in their order, and records only changes',
]
