import test, { type ExecutionContext } from 'ava'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { waitUntilSettled } from '../support/community.ts'
import { FULL, sample } from '../support/full.ts'
import { names, readThing } from '../support/posting.ts'
import { KNOWN, leadsOf, OFFICE, privateScene, SECRET } from '../support/private-scene.ts'
import { type Probe, probesOf, send } from '../support/row-probes.ts'
import { servers } from '../support/shape.ts'
import type { Answer, Caller } from '../support/site.ts'

const here = await privateScene()
test.after.always(() => here.site.stop())

/** Endpoints that would revoke the tokens and sessions that the other calls need. */
const ending = new Set(['DELETE /api/v1/me/grants', 'POST /api/v1/revoke_token', 'DELETE /api/v1/me/sessions'])
/** Endpoints for accounts and sessions, most of which hash a password, which is slow. */
const apart = /^\/(logout|post\/|api\/(login|register|update_password|delete_user|erase_user)|api\/v1\/(authorize|access_token))/

const named = ({ method, path }: AnyEndpoint) => `${method} ${path}`
const reads = endpoints.filter(({ method }) => method === 'GET')
const writes = endpoints.filter((endpoint) => endpoint.method !== 'GET' && !ending.has(named(endpoint)) && !apart.test(endpoint.path))

const leads = leadsOf(here)
const unions = ['/s/closed+open', '/s/all', '/s/mod', '/s/contrib', '/s/friends', '/s/subscribed', '/user/dave/m/mixed', '/me/m/mixed']
const further = [...unions, '?s=closed', '?r=closed', '?m=/user/dave/m/mixed']
const read = (endpoint: AnyEndpoint) => probesOf(endpoint, leads, { usual: ['/s/closed'], further })
const written = (endpoint: AnyEndpoint) =>
  probesOf(endpoint, leads, { usual: FULL ? ['/s/closed', '/s/open'] : ['/s/closed'], further: ['/s/open', '?s=closed'] })

/** Tells whether a response reveals the secret, in its body or the address of a redirect, or is a file of the subsite. */
const tells = (secret: string, { path }: Probe, { text, headers }: Answer) =>
  text.toLowerCase().includes(secret) ||
  (headers.get('location') ?? '').toLowerCase().includes(secret) ||
  (path.startsWith('/s/') && /^(image|text\/css)/.test(headers.get('content-type') ?? ''))

/** Fewer probes than this are made by two outsiders each, so that every endpoint meets several. */
const FEW = 4

/** Returns the callers of a probe: everybody in a full run, else one of them in turn. */
const turnOf = <T>(all: Readonly<Record<string, T>>, turn: number, count = 1): readonly (readonly [string, T])[] => {
  const everybody = Object.entries(all)
  return FULL ? everybody : [...everybody, ...everybody].slice(turn % everybody.length).slice(0, count)
}

/** Tells whether a probe is made: each in a full run, else every other one, not of the same rows for all endpoints. */
const isMade = (row: number, n: number, of: number): boolean => FULL || of < FEW || (row + n) % 2 === 0

/** Sends a request, and notes what its response must not contain. */
const asking = (secret: string) => {
  const leaks: string[] = []
  let asked = 0
  return {
    ask: async (who: string, caller: Caller, probe: Probe, suffix = ''): Promise<Answer> => {
      const answer = await send(caller, probe, suffix)
      const { method, path, fields } = probe
      asked += 1
      const what = `${who}: ${method} ${path}${suffix} ${JSON.stringify(fields)}`
      if (tells(secret, probe, answer)) leaks.push(`${what}: ${answer.text.slice(0, 300)}`)
      if (answer.status >= 500) leaks.push(`${what}: ${answer.status}`)
      return answer
    },
    checked: (t: ExecutionContext) => {
      t.deepEqual(leaks.slice(0, 20), [], `${leaks.length} of ${asked}`)
      t.log(`${asked} requests`)
    },
  }
}

/** Rows by which a member reads what is secret: what an outsider is refused must be there to be refused. */
const TELLING = [
  ...[
    'GET /s/{sub}/about',
    'GET /s/{sub}/about/rules',
    'GET /s/{sub}/about/edit',
    'GET [/s/{sub}]/sidebar',
    'GET [/s/{sub}]/api/submit_text',
  ],
  ...['GET [/s/{sub}]/search', 'GET /subsites/search', 'GET [/s/{sub}]/api/info', 'GET /by_id/{names}', 'GET /duplicates/{article}'],
  ...['GET /user/{username}/{where}', 'GET [/s/{sub}]/about/log', 'GET [/s/{sub}]/comments/{article}', 'GET [/s/{sub}]/sticky'],
  ...['GET /s/{sub}/images/{file}', 'GET /s/{sub}/stylesheets/{file}', 'GET [/s/{sub}]/wiki/{page}', 'GET /api/morechildren'],
]
/** Endpoints for moderators that tell something. */
const TELLING_MODERATORS = [
  ...['GET [/s/{sub}]/about/{where}', 'GET [/s/{sub}]/about/log', 'GET [/s/{sub}]/about/message/{box}', 'GET [/s/{sub}]/wiki/{page}'],
  ...['GET [/s/{sub}]/about/{location}', 'GET [/s/{sub}]/comments/{article}', 'GET /message/messages/{mid}'],
]

for (const [secret, rows] of [
  [SECRET, TELLING],
  [OFFICE, TELLING_MODERATORS],
] as const)
  test.serial(`the moderator of a private subsite reads what others are refused: ${secret}`, async (t) => {
    const silent: string[] = []
    for (const name of rows) {
      if (servers !== undefined && name.endsWith('/search')) continue
      const endpoint = endpoints.find((one) => named(one) === name)
      let told = false
      for (const probe of endpoint ? read(endpoint) : []) told ||= tells(secret, probe, await send(here.ann, probe))
      if (!told) silent.push(name)
    }
    t.deepEqual(silent, [])
  })

/** Returns the readers of feeds: by the suffix alone, with a token, and with the private feed of an account, also as JSON. */
const feedReaders = async () => {
  const reader = async (who: Caller, suffix: string) => {
    const { user, feed } = (await who.get('/api/v1/me/feeds')).body as { readonly user: string; readonly feed: string }
    const get: Caller['get'] = (path) => here.site.get(`${path}${path.includes('?') ? '&' : '?'}user=${user}&feed=${feed}`)
    return [{ ...here.site, get }, suffix] as const
  }
  return {
    nobody: [here.site, '.rss'],
    'a former contributor': [here.dave, '.rss'],
    'the feed of a stranger': await reader(here.stranger, '.rss'),
    'the feed of a stranger as JSON': await reader(here.stranger, '.json'),
    'the feed of a former contributor': await reader(here.dave, '.rss'),
  } as const
}

test.serial('no endpoint shows an outsider anything of a private subsite', async (t) => {
  t.timeout(FULL ? 600_000 : 300_000)
  const { ask, checked } = asking(SECRET)
  const feeds = await feedReaders()
  for (const [row, endpoint] of reads.entries()) {
    const probes = read(endpoint)
    for (const [n, probe] of probes.entries()) {
      if (!isMade(row, n, probes.length)) continue
      for (const [who, caller] of turnOf(here.outsiders, row + (n >> 1), probes.length < FEW ? 2 : 1)) await ask(who, caller, probe)
      if (endpoint.rss && (FULL || n % 2 === 0))
        for (const [who, [caller, suffix]] of turnOf(feeds, row + n / 2)) await ask(who, caller, probe, suffix)
    }
  }
  checked(t)
})

test.serial('no endpoint shows a contributor, or somebody invited to moderate, what is for moderators', async (t) => {
  t.timeout(FULL ? 600_000 : 300_000)
  const { ask, checked } = asking(OFFICE)
  // images and stylesheets are for both
  for (const [row, endpoint] of reads.entries())
    for (const [n, probe] of sample(read(endpoint), 4).entries())
      if (!/images|stylesheets/.test(probe.path)) for (const [who, caller] of turnOf(here.insiders, row + n)) await ask(who, caller, probe)
  checked(t)
})

const searches = ['/search?q=', '/search?type=sr&q=', '/search?type=sr,link&q=', '/subsites/search?q=', '/api/subsites_by_topic?query=']

// a stand-in for MongoDB may be unable to search
const onOneFile = servers === undefined ? test.serial : test.serial.skip
onOneFile('a search by an outsider finds as little with a word of a private subsite as with a word of none', async (t) => {
  for (const [who, caller] of Object.entries(here.outsiders))
    for (const path of searches) {
      const [found, missed] = [await caller.get(`${path}${KNOWN}`), await caller.get(`${path}xylocarp`)]
      // a page says what was looked for
      const text = found.text
        .replaceAll(KNOWN, 'xylocarp')
        .replaceAll(String(found.headers.get('x-request-id')), String(missed.headers.get('x-request-id')))
      t.deepEqual([found.status, text], [missed.status, missed.text], `${who}: ${path}`)
    }
})

/** Requests that the interface answers alike for a thing that the caller may not view and for one that does not exist. */
const alike: readonly (readonly [method: string, path: string, fields: (thing: string) => Readonly<Record<string, string>>])[] = [
  ['GET', '/api/info', (id) => ({ id })],
  ['GET', '/api/morechildren', (id) => ({ link_id: id, children: '1' })],
  ['POST', '/api/comment', (id) => ({ thing_id: id, text: 'words' })],
  ['POST', '/api/editusertext', (id) => ({ thing_id: id, text: 'words' })],
  ['POST', '/api/del', (id) => ({ id })],
  ['POST', '/api/block', (id) => ({ id })],
  ['POST', '/api/sendreplies', (id) => ({ id, state: 'true' })],
  ...['approve', 'remove', 'ignore_reports', 'lock', 'unlock', 'set_contest_mode', 'set_subsite_sticky'].map(
    (act) => ['POST', `/api/${act}`, (id: string) => ({ id, how: 'yes', state: 'true' })] as const,
  ),
]

for (const [kind, there, none] of [
  ['link', here.address, 't5_1'],
  ['comment', here.comment, 't1_1'],
] as const)
  test.serial(`a ${kind} of a private subsite looks to an outsider like one that does not exist`, async (t) => {
    for (const [who, caller] of [['a stranger', here.stranger] as const, ['a former contributor', here.dave] as const])
      for (const [method, path, fields] of alike) {
        const ask = (id: string) => send(caller, { endpoint: endpoints[0] as AnyEndpoint, method, path, fields: fields(id) })
        const [hidden, missing] = [await ask(there), await ask(none)]
        t.deepEqual([hidden.status, hidden.body], [missing.status, missing.body], `${who}: ${method} ${path}`)
      }
  })

test.serial('an outsider’s inbox counts nothing of a private subsite', async (t) => {
  t.true((await here.bob.get('/message/inbox')).text.includes(SECRET))
  for (const [who, caller] of [['a stranger', here.stranger] as const, ['a former contributor', here.dave] as const]) {
    const unread = (await caller.get('/message/unread')).at('data.children') as readonly unknown[]
    t.like((await caller.get('/api/v1/me')).body, { inbox_count: unread.length, has_mail: unread.length > 0 }, who)
  }
})

/** Returns everything that its moderator sees and that an outsider's write might change. Everybody may write to the moderators. */
const standing = async (): Promise<readonly string[]> => {
  const about = ['log', 'moderators', 'contributors', 'banned', 'muted', 'rules', 'edit', 'modqueue'].map((page) => `about/${page}`)
  const inside = [...about, 'wiki/pages', 'wiki/revisions', 'stylesheet', 'api/flairlist'].map((page) => `/s/closed/${page}`)
  const shown = async (path: string) => {
    const { text, headers } = await here.ann.get(path)
    return `${path} ${headers.get('location')} ${text}`
  }
  const fields = ['title', 'selftext', 'ups', 'downs', 'locked', 'over_18', 'stickied', 'link_flair_text', 'num_reports']
  const kept = async (link: string) => {
    const record = await readThing(here.ann, link)
    return fields.map((field) => `${field}: ${record[field]}`).join()
  }
  return Promise.all([...inside.map(shown), ...[here.address, here.text].map(kept)])
}

test.serial('no write by an outsider shows, admits or changes anything', async (t) => {
  t.timeout(FULL ? 600_000 : 300_000)
  const before = await standing()
  const { ask, checked } = asking(SECRET)
  for (const [row, endpoint] of writes.entries()) {
    const probes = written(endpoint)
    for (const [n, probe] of probes.entries())
      if (isMade(row, n, probes.length))
        for (const [who, caller] of turnOf(here.outsiders, row + (n >> 1), probes.length < FEW ? 2 : 1)) await ask(who, caller, probe)
  }
  // no write has admitted anybody
  const pages = [
    '/new',
    '/top',
    '/s/all/new',
    '/s/all/hot',
    '/s/closed/new',
    '/s/closed+open/new',
    '/s/mod/new',
    '/s/contrib/new',
    '/s/friends/new',
  ]
  const lists = ['/user/ann', '/user/bob/comments', '/user/bob/submitted', '/message/inbox', '/message/mentions', '/message/moderator']
  const own = ['saved', 'upvoted', 'downvoted', 'hidden', 'comments', 'm/mixed'].map((where) => `/user/dave/${where}`)
  for (const path of [...pages, ...lists, ...own, '/', '/subs/new', '/subs/mine/subscriber', '/subs/mine/contributor', '/s/mod/about/log'])
    for (const [who, caller] of Object.entries(here.outsiders))
      await ask(who, caller, { endpoint: endpoints[0] as AnyEndpoint, method: 'GET', path, fields: {} })
  checked(t)
  await waitUntilSettled(here.site)
  t.deepEqual(await standing(), before)
  const listed = names(await here.ann.get('/s/closed/new?limit=100'))
  t.deepEqual(listed.filter((link) => link !== here.own).toSorted(), [here.address, here.text].toSorted())
  for (const [who, caller] of Object.entries(here.outsiders)) t.not((await caller.get('/s/open/about')).status, 401, `${who} can still ask`)
})
