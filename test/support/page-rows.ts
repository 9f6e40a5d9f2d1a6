/** Ids of what the addresses of a page may name: a link in `tea` by ann, a comment on it by bob, and a message between them. */
export type PageScene = { readonly link: string; readonly comment: string; readonly message: string }

/** Addresses at which each page is looked at, by ann, who moderates `tea`, where not everybody may. A new page is one row. */
export const pageAddresses: Readonly<Record<string, (scene: PageScene) => readonly string[]>> = {
  'GET /': () => ['/', '/?limit=1'],
  'GET [/s/{sub}]/hot': () => ['/hot', '/s/tea', '/s/tea/hot', '/s/all', '/s/tea+nosuch', '/r/tea'],
  'GET [/s/{sub}]/new': () => ['/new', '/s/tea/new'],
  'GET [/s/{sub}]/{sort}': () => ['/top', '/s/tea/top?t=week', '/s/tea/insightful', '/s/all/fun'],
  'GET [/s/{sub}]/comments/{article}': ({ link, comment }) => [
    `/comments/${link}`,
    `/s/tea/comments/${link}/x/`,
    `/s/tea/comments/${link}/x?sort=new`,
    `/s/tea/comments/${link}/x?flair=t5_${link}`,
    `/s/tea/comments/${link}/x/${comment}?context=3`,
    `/s/tea/comments/${link}/x/${comment}?reply=t1_${comment}`,
    `/s/tea/comments/${link}/x?acts=t5_${link}`,
    `/s/tea/comments/${link}/x/${comment}?acts=t1_${comment}`,
  ],
  'GET [/s/{sub}]/submit': () => ['/submit', '/s/tea/submit?title=A%20pot&url=https://a.example/p', '/s/tea/submit?selftext=true'],
  'GET /report': ({ comment }) => [`/report?id=t1_${comment}`],
  'GET /message/compose': () => ['/message/compose', '/message/compose?to=bob&subject=Hello&message=there&from_sr=tea'],
  'GET /message/{where}': () => ['/message/inbox', '/message/unread', '/message/sent', '/message/messages'],
  'GET /message/{compartment}': () => ['/message/comments', '/message/selfreply', '/message/mentions'],
  'GET /message/reported': () => [],
  'GET /api/v1/site/status': () => [],
  'GET /api/v1/site/account': () => [],
  'GET /api/v1/site/log': () => [],
  'GET [/s/{sub}]/about/message/{box}': () => ['/s/tea/about/message/inbox', '/about/message/unread', '/message/moderator'],
  'GET /message/messages/{mid}': ({ message }) => [`/message/messages/${message}`],
  'GET [/s/{sub}]/about/{location}': () => ['/s/tea/about/modqueue', '/s/tea/about/unmoderated', '/s/tea/about/spam', '/about/reports'],
  'GET [/s/{sub}]/about/log': ({ link }) => [
    '/s/tea/about/log',
    `/s/tea/about/log?target=t5_${link}&type=lock`,
    '/s/tea/about/log?since=2026-01-01&until=&mod=nosuch&type=&target=',
  ],
  'GET /api/morechildren': ({ link, comment }) => [`/api/morechildren?link_id=t5_${link}&children=${comment}`],
  'GET [/s/{sub}]/comments': () => ['/comments', '/s/tea/comments', '/s/all/comments'],
  'GET [/s/{sub}]/gilded': () => ['/gilded', '/s/tea/gilded'],
  'GET /domain/{host}/{sort}': () => ['/domain/a.example', '/domain/a.example/new'],
  'GET /duplicates/{article}': ({ link }) => [`/duplicates/${link}`],
  'GET [/s/{sub}]/search': () => ['/search', '/search?q=tea&sort=new', '/s/tea/search?q=%22%3Cb%3E&restrict_sr=on', '/s/tea/search?q=tea'],
  'GET /subsites/search': () => ['/subsites/search', '/subsites/search?q=tea'],
  'GET /subs/{where}': () => ['/subs', '/subs/popular', '/subs/new'],
  'GET /subs/mine/{where}': () => ['/subs/mine/subscriber', '/subs/mine/contributor', '/subs/mine/muted'],
  'GET /subsites/create': () => ['/subsites/create?name=pots'],
  'GET /s/{sub}/about/rules': () => ['/s/tea/about/rules'],
  'GET [/s/{sub}]/sidebar': () => ['/sidebar', '/s/tea/sidebar'],
  'GET /user/{username}/{where}': () => ['/user/ann', '/user/bob/comments?sort=top', '/user/ann/gilded'],
  'GET [/s/{sub}]/wiki/{page}': () => ['/s/tea/wiki/index', '/s/tea/wiki/brewing/green', '/s/tea/wiki/index?edit=1'],
  'GET [/s/{sub}]/wiki/settings/{page}': () => ['/s/tea/wiki/settings/index'],
  'GET [/s/{sub}]/wiki/pages': () => ['/s/tea/wiki/pages', '/s/tea/wiki/pages?page=brewing/black'],
  'GET [/s/{sub}]/wiki/revisions': () => ['/s/tea/wiki/revisions'],
  'GET [/s/{sub}]/wiki/revisions/{page}': () => ['/s/tea/wiki/revisions/index', '/s/tea/wiki/revisions/brewing/green'],
  'GET /s/{sub}/about/edit': () => [],
  'GET [/s/{sub}]/about/{where}': () => ['/s/tea/about/moderators'],
  'GET /s/{sub}/about/traffic': () => ['/s/tea/about/traffic', '/s/tea/about/traffic?limit=100'],
  'GET /s/{sub}/about/stylesheet': () => ['/s/tea/about/stylesheet'],
  'GET /s/{sub}/about/flair': () => ['/s/tea/about/flair'],
  'GET /prefs/options': () => ['/prefs/options'],
  'GET /prefs/account': () => ['/prefs/account'],
  'GET /api/v1/me/sessions': () => ['/prefs/sessions'],
  'GET /api/v1/apps': () => ['/prefs/apps'],
  'GET /api/v1/me/feeds': () => ['/prefs/feeds'],
  'GET /prefs/{where}': () => ['/prefs/friends', '/prefs/blocked'],
  'GET /api/multi/mine': () => ['/prefs/multis'],
  'GET /history': () => ['/history', '/history?subsite=tea'],
  'GET /history/events': () => [
    '/history/events',
    '/history/events?limit=3&since=5',
    '/history/events?since=2&until=3',
    '/history/events?type=LinkLocked&subsite=&actor=ann&thing=&since=&until=2026-01-01',
  ],
  'GET /history/things/{thing}': ({ link, comment }) => [
    `/history/things/t5_${link}`,
    `/history/things/t1_${comment}?limit=1`,
    `/history/things/t5_${link}?at=2026-01-01T08:00`,
    `/history/things/t5_${link}?type=LinkSubmitted&since=2026-01-01`,
    `/history/things/t5_${link}?type=LinkLocked&actor=ann`,
  ],
  'GET [/s/{sub}]/wiki/discussions/{page}': () => ['/s/tea/wiki/discussions/index'],
}

/** Further addresses of these pages, for moderators alone. */
export const closedAddresses: readonly string[] = [
  '/about/moderators',
  '/s/tea/about/edit',
  ...['contributors', 'banned', 'muted', 'wikicontributors', 'wikibanned'].map((where) => `/s/tea/about/${where}`),
]

/** Addresses of pages that are for admins alone. */
export const adminAddresses: readonly string[] = [
  '/admin',
  '/admin/accounts',
  '/admin/accounts?name=bob',
  '/admin/accounts?name=bob&erase=1',
  '/admin/accounts?name=%22%3E%3Cscript%3Ex',
  '/admin/log',
  '/message/reported',
]

const forPrograms = 'only programs ask it'
const ofAPart = 'other pages show it, or fields of their forms use it'
const saidElsewhere = 'a page shows the same of another answer'

const reasons = {
  [forPrograms]: [
    'GET /api/v1/me',
    'GET /api/v1/scopes',
    'GET /openapi.json',
    'GET /openapi-current.json',
    'GET /health/live',
    'GET /health/ready',
    'GET /history/schemas',
    'GET /history/schemas/{type}/{version}',
    'GET /history/proof/{entry}',
    'GET /history/text/{thing}',
    'GET /api/needs_captcha',
    'GET /api/username_available',
    'GET /api/recommend/sr/{srnames}',
    'GET /api/subsites_by_topic',
    'GET /api/v1/me/friends/{username}',
    'GET /api/v1/site/log_counts',
  ],
  [ofAPart]: [
    'GET /api/v1/me/prefs',
    'GET /by_id/{names}',
    'GET [/s/{sub}]/api/info',
    'GET /api/multi/user/{username}',
    'GET /api/me.json',
    'GET /api/v1/{subsite}/moderators_invited',
    'GET /api/v1/me/karma',
    'GET /api/v1/me/trophies',
    'GET /api/v1/me/grants',
    'GET /s/{sub}/about',
    'GET [/s/{sub}]/api/link_flair_v2',
    'GET [/s/{sub}]/api/user_flair_v2',
    'GET [/s/{sub}]/api/flairlist',
    'GET /api/saved_categories',
    'GET /user/{username}/about',
  ],
  [saidElsewhere]: [
    'GET [/s/{sub}]/api/submit_text',
    'GET /api/multi/{multipath}',
    'GET /api/multi/{multipath}/description',
    'GET /api/multi/{multipath}/s/{srname}',
    'GET /api/v1/user/{username}/trophies',
  ],
} as const

/** The reasons why a GET that answers JSON has no page. */
export const withoutPage: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(reasons).flatMap(([reason, names]) => names.map((name: string) => [name, reason] as const)),
)

/** The endpoints whose answers are parts of pages. */
export const partsOfPages: readonly string[] = reasons[ofAPart]
