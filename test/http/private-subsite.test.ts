import test from 'ava'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { routesOf } from '../../src/http/router.ts'
import { done } from '../support/community.ts'
import { FULL } from '../support/full.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { found, id36, names, say, submit } from '../support/posting.ts'
import { isFault, servers } from '../support/shape.ts'
import { type Answer, type Caller, startSite, type User } from '../support/site.ts'

/** Of probes, those that each other outsider makes besides the former member: one in so many; with FULL_FAULTS=1 all. */
const EVERY = FULL ? 1 : 8
/** Stands in everything that is for members only; never sent by anybody else. */
const SECRET = 'quokka'
/** Stands beside it, for others to look for. */
const KNOWN = 'kumquat'
const secret = (what: string) => `${KNOWN} ${SECRET} ${what}`

/** A private subsite with something in every place there is, of which dave was a member until a moment ago, and mail of its members. */
const scene = async () => {
  const site = await startSite()
  const [ann, bob, dave, mallory] = await Promise.all(['ann', 'bob', 'dave', 'mallory'].map((name) => site.register(name)))
  if (!ann || !bob || !dave || !mallory) throw new Error('somebody is missing')
  await site.register('nora')
  const closed = await found(ann, 'closed', {
    type: 'private',
    description: secret('sidebar'),
    submit_text: secret('submission text'),
    'header-title': secret('header'),
    submit_link_label: secret('label'),
    submit_text_label: secret('label'),
  })
  await found(dave, 'open')
  for (const name of ['bob', 'dave']) await done(ann, '/s/closed/api/friend', { type: 'contributor', name })
  const address = await submit(ann, 'closed', { title: secret('title of a link'), kind: 'link', url })
  const text = await submit(ann, 'closed', { title: secret('title of a text'), kind: 'self', text: secret('text') })
  const comment = await say(ann, text, `${secret('comment')} for /u/dave and /u/mallory`)
  await say(bob, await say(dave, text, 'what is it like?'), secret('answer'))
  const shared = await submit(dave, 'open', { title: 'shared', kind: 'link', url, resubmit: 'true' })
  await done(ann, '/s/closed/api/add_subsite_rule', { short_name: secret('rule'), description: secret('why'), kind: 'all' })
  await done(ann, '/api/set_subsite_sticky', { id: text, state: 'true' })
  const pot = await uploadTo(ann, 'closed', { name: 'pot' }, await picture({}, '#102030'))
  const header = await uploadTo(ann, 'closed', { upload_type: 'header' }, await picture({}, '#302010'))
  const imageFiles = [pot, header].map((answer) => String(answer.at('img_src')).split('/').at(-1) ?? '')
  await done(ann, '/s/closed/api/subsite_stylesheet', { op: 'save', stylesheet_contents: `.${SECRET} { background: url(%%pot%%) }` })
  const sheet =
    String((await ann.get('/s/closed/stylesheet')).headers.get('location'))
      .split('/')
      .at(-1) ?? ''
  await done(ann, '/api/remove', { id: address, spam: 'false' })
  await done(ann, '/api/approve', { id: address })
  await done(dave, '/api/subscribe', { action: 'sub', sr_name: 'closed' })
  for (const id of [address, text, comment]) {
    await done(dave, '/api/save', { id })
    for (const dir of [1, -1]) await done(dave, '/api/vote', { id, dir })
  }
  await done(dave, '/api/hide', { id: address })
  await done(ann, '/s/closed/api/friend', { type: 'banned', name: 'nora', note: secret('note') })
  await done(ann, '/api/compose', { to: 'bob', subject: secret('subject'), text: secret('message') })
  const [message = ''] = names(await bob.get('/message/messages'))
  await done(bob, '/api/compose', { to: '#closed', subject: secret('subject'), text: secret('mail') })
  const [mail = ''] = names(await bob.get('/message/sent'))
  await dave.request('PUT', '/api/multi/user/dave/m/mixed', {
    form: { model: JSON.stringify({ subreddits: [{ name: 'closed' }, { name: 'open' }] }) },
  })
  await dave.request('PUT', '/api/multi/user/dave/f/all', { form: { model: JSON.stringify({ subreddits: [{ name: 'closed' }] }) } })
  await ann.post('/s/closed/api/wiki/edit', { page: 'index', content: secret('page'), reason: secret('reason') })
  await done(ann, '/s/closed/api/unfriend', { type: 'contributor', name: 'dave' })
  const others = { nobody: site, 'an app': await site.appOnly(), somebody: mallory, 'somebody with a session': await mallory.session() }
  return { site, ann, bob, dave, others, closed, address, text, comment, shared, message, mail, imageFiles, sheet }
}
type Scene = Awaited<ReturnType<typeof scene>>

const url = 'https://fruit.example/common'

/** What leads there by a parameter or a variable of a path: all that an outsider may have learnt, by what the name asks for. */
const leadsOf = ({ closed, address, text, comment, shared, message, mail, imageFiles, sheet }: Scene) => {
  const things = [address, text, comment, message, mail, closed]
  const threads = [address, text, comment, shared].map(id36)
  const kinds: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^file$/, [...imageFiles, sheet]],
    [/^sub$/, ['closed', 'closed+open']],
    [/^(article|comment|title)$/, threads],
    [/^mid$/, [message, mail].map(id36)],
    [/^(names|id|ids|thing_id|link_id|link|links|fullname|target|children)$/, [things.join(','), ...things, ...things.map(id36)]],
    [/^(sr|sr_name|srname|srnames|container|from_sr|omit)$/, ['closed', closed]],
    [/^(name|username|user|to|mod)$/, ['ann', 'bob', 'dave', 'closed', '#closed']],
    [/^(multipath|filterpath|from)$/, ['user/dave/m/mixed', 'user/dave/f/all']],
    [/^(q|query)$/, [KNOWN, 'closed', 'clos', url]],
    [/^url$/, [url]],
    [/^page$/, ['index', 'config/sidebar', 'config/stylesheet']],
  ]
  const known = (name: string) => kinds.find(([pattern]) => pattern.test(name))?.[1]
  return { known, leads: (name: string): readonly string[] => known(name) ?? ['', KNOWN, address] }
}

/** Would end what the others need. */
const ending = new Set(['DELETE /api/v1/me/grants', 'POST /api/v1/revoke_token', 'DELETE /api/v1/me/sessions'])
/** They make accounts and their sessions, each for a slow hash. */
const apart = /^\/(logout|post\/|api\/(login|register|update_password|delete_user|erase_user)|api\/v1\/(authorize|access_token))/

const filled = (path: string, chosen: Readonly<Record<string, string>>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(chosen[name] ?? 'x').replaceAll('%2F', name.endsWith('path') || name === 'page' ? '/' : '%2F'),
  )

type Choices = readonly (readonly [string, readonly string[]])[]
const product = (choices: Choices): readonly Readonly<Record<string, string>>[] =>
  choices.reduce<readonly Readonly<Record<string, string>>[]>(
    (made, [name, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )

type Probe = {
  readonly endpoint: AnyEndpoint
  readonly method: string
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

/** Every address of an endpoint, in the subsite and outside, with everything that leads there by each parameter. */
const probesIn =
  (scene: Scene) =>
  (endpoint: AnyEndpoint): readonly Probe[] => {
    const { known, leads } = leadsOf(scene)
    return routesOf({ ...endpoint, aliases: [] }).flatMap(({ path, site: part, methods, fixed }) => {
      const places = part === 'never' ? [''] : part === 'always' ? leads('sub').map((sub) => `/s/${sub}`) : ['', '/s/closed']
      const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, leads(name)] as const)
      const asked = Object.keys(endpoint.params).filter((name) => !(name in fixed) && !path.includes(`{${name}}`))
      const most = Math.max(1, ...asked.map((name) => leads(name).length))
      // one parameter may keep another from mattering: those that lead there are sent alone, too
      const alone = asked.length < 2 ? [] : asked.flatMap((name) => (known(name) ?? []).map((value) => ({ [name]: value })))
      const sent = Array.from({ length: most }, (_, n) =>
        Object.fromEntries(asked.map((name) => [name, leads(name)[n % leads(name).length] ?? ''])),
      )
      return places.flatMap((place) =>
        product(variables).flatMap((chosen) =>
          [...(asked.length > 0 ? [{}] : []), ...alone, ...sent].flatMap((fields) =>
            methods.map((method) => ({ endpoint, method, path: `${place}${filled(path, chosen)}`, fields })),
          ),
        ),
      )
    })
  }

const send = async (caller: Caller, { method, path, fields }: Probe, suffix = ''): Promise<Answer> => {
  const query = new URLSearchParams(Object.entries({ limit: '100', show: 'all', ...fields }).filter(([, value]) => value !== '')).toString()
  return method === 'GET' ? caller.get(`${path}${suffix}?${query}`) : caller.request(method, path, { form: fields })
}

const tells = ({ path }: Probe, { text: body, headers }: Answer) =>
  body.toLowerCase().includes(SECRET) ||
  (headers.get('location') ?? '').toLowerCase().includes(SECRET) ||
  (path.startsWith('/s/closed/') && /^(image|text\/css)/.test(headers.get('content-type') ?? ''))

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
  ...['GET /s/{sub}/images/{file}', 'GET /s/{sub}/stylesheets/{file}'],
]

test('no endpoint shows an outsider anything of a private subsite', async (t) => {
  t.timeout(120_000)
  const here = await scene()
  const { site, ann, dave } = here
  t.teardown(() => site.stop())
  const probesOf = probesIn(here)
  const reads = endpoints.filter(({ method }) => method === 'GET')
  const telling = new Set<string>()
  for (const probe of reads.flatMap(probesOf)) {
    const name = `GET ${probe.endpoint.path}`
    if (!telling.has(name) && tells(probe, await send(ann, probe))) telling.add(name)
  }
  const declared = new Set(endpoints.map(({ method, path }) => `${method} ${path}`))
  t.deepEqual(
    TELLING.filter((name) => declared.has(name) && !telling.has(name) && !(servers !== undefined && name.endsWith('/search'))),
    [],
    'its moderator reads what is there',
  )
  t.log(`${telling.size} rows tell its moderator: ${[...telling].join(', ')}`)

  const leaks: string[] = []
  let outsider: User = dave
  let asked = 0
  const ask = async (who: string, caller: Caller, probe: Probe, suffix = '') => {
    const answer = await send(caller, probe, suffix)
    const { method, path, fields } = probe
    asked += 1
    const what = `${who}: ${method} ${path}${suffix} ${JSON.stringify(fields)}`
    if (tells(probe, answer)) leaks.push(`${what}: ${answer.text.slice(0, 300)}`)
    if (isFault(answer.status, path)) leaks.push(`${what}: ${answer.status}`)
    return answer
  }
  const others = Object.entries(here.others)
  for (const [n, probe] of reads.flatMap(probesOf).entries()) {
    await ask('dave', outsider, probe)
    for (const [index, [who, caller]] of others.entries()) if ((n + 2 * index) % EVERY === 0) await ask(who, caller, probe)
    if (probe.endpoint.rss && n % EVERY === 1) await ask('feed reader', site, probe, '.rss')
  }
  const writes = endpoints.filter(({ method, path }) => method !== 'GET' && !ending.has(`${method} ${path}`) && !apart.test(path))
  for (const [n, probe] of writes.flatMap(probesOf).entries()) {
    const [who, caller] = others[Math.floor(n / 2) % others.length] ?? others[0] ?? ['', site]
    if (n % 2 === 1) await ask(who, caller, probe)
    else if ((await ask('dave', outsider, probe)).status === 401) outsider = await site.register(`dave${asked}`)
  }
  // what was written as an outsider has let nobody in, and changed nothing there
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
  const lists = [
    '/user/ann',
    '/user/bob/comments',
    '/user/bob/submitted',
    '/message/inbox',
    '/message/mentions',
    '/message/moderator',
    '/s/mod/about/log',
  ]
  const own = ['saved', 'upvoted', 'downvoted', 'hidden', 'comments', 'm/mixed'].map((where) => `/user/dave/${where}`)
  for (const path of [...pages, ...lists, ...own, '/', '/subs/new', '/subs/mine/subscriber', '/subs/mine/contributor'])
    for (const [who, caller] of [['dave', dave] as const, ...others])
      await ask(who, caller, { endpoint: endpoints[0] as AnyEndpoint, method: 'GET', path, fields: {} })
  t.deepEqual(leaks.slice(0, 20), [], `${leaks.length} of ${asked}`)
  t.deepEqual(names(await ann.get('/s/closed/new?limit=100')).toSorted(), [here.address, here.text].toSorted())
  for (const path of ['/message/inbox', '/user/bob/comments', '/s/closed/about/banned', '/message/moderator', '/s/all/new'])
    t.true(
      (await (path.includes('bob') || path.endsWith('inbox') ? here.bob : ann).get(path)).text.includes(SECRET),
      `${path}: its members read it still`,
    )
  t.log(`${asked} requests`)
})
