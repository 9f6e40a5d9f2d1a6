import { readFileSync } from 'node:fs'
import test from 'ava'
import { startCast } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { allNumbered } from '../support/following.ts'
import { declared, nameOf, ofListings, parametersOf, rows } from '../support/interface-table.ts'
import { isShownElsewhere, isWithoutEffect, reads, shownElsewhere, variations, withoutEffect } from '../support/parameter-variations.ts'
import { foundSubsite, id36, names, say, settle, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import type { Caller } from '../support/site.ts'

// Every parameter of what only reads changes an answer. test/http/written-parameters.test.ts has those of what changes something,
// test/http/listing-parameters.test.ts those that all listings have, test/http/json-members.test.ts the members of JSON objects.

const { site, ann, bob, carol } = await startCast(['ann', 'bob', 'carol', 'root'])

const scene = async () => {
  const tea = await foundSubsite(ann, 'tea')
  await foundSubsite(ann, 'teatime', { over_18: 'true', title: 'Time for tea' })
  await foundSubsite(ann, 'coffee')
  await settle(ann, tea, { wikimode: 'anyone', link_type: 'any', type: 'public' })
  const address = await submit(bob, 'tea', { title: 'Leaves here', url: 'https://leaves.example/' })
  await submit(ann, 'coffee', { title: 'The same', url: 'https://leaves.example/', resubmit: 'true' })
  const link = await submit(bob, 'tea', { title: 'Leaves', text: 'Which leaves?' })
  const other = await submit(ann, 'coffee', { title: 'Leaves of coffee', text: 'None.' })
  const comment = await say(bob, link, 'one')
  const reply = await say(ann, comment, 'two')
  const deep = await say(bob, reply, 'three')
  const second = await say(ann, link, 'four')
  await postForm(bob, '/api/editusertext', { thing_id: comment, text: 'one, edited' })
  for (const id of [address, second]) await postForm(carol, '/api/vote', { id, dir: 1 })
  for (const name of ['bob', 'carol']) await postForm(ann, '/s/tea/api/flair', { name, text: `flair of ${name}`, css_class: 'green' })
  await postForm(ann, '/s/tea/api/flairtemplate', { text: 'a link flair', flair_type: 'LINK_FLAIR' })
  for (const id of [address, link]) await postForm(ann, '/api/set_subsite_sticky', { id, state: true })
  for (const name of ['carol', 'root']) await postForm(ann, '/s/tea/api/friend', { type: 'contributor', name })
  await postForm(carol, '/api/report', { thing_id: link, reason: 'why' })
  await postForm(carol, '/api/report', { thing_id: deep, reason: 'why' })
  await postForm(bob, '/api/save', { id: other, category: 'later' })
  await postForm(bob, '/api/save', { id: address })
  await postForm(bob, '/api/hide', { id: other })
  for (const name of ['tea', 'coffee']) await postForm(carol, '/api/subscribe', { action: 'sub', sr_name: name })
  for (const name of ['tea', 'coffee']) await postForm(bob, '/api/subscribe', { action: 'sub', sr_name: name })
  await postForm(carol, '/api/compose', { to: 'bob', subject: 'first', text: 'hello' })
  await postForm(carol, '/api/compose', { to: 'bob', subject: 'second', text: 'hello again' })
  const [mail = ''] = names(await carol.get('/message/sent'))
  await bob.request('PUT', '/api/multi/user/bob/m/drinks', {
    form: { model: JSON.stringify({ subreddits: [{ name: 'tea' }], visibility: 'public' }) },
  })
  for (const content of ['old leaves', 'new leaves']) await postForm(ann, '/s/tea/api/wiki/edit', { page: 'index', content })
  const revisions = (await ann.get('/s/tea/wiki/revisions/index')).at('data.children') as readonly { readonly id: string }[]
  return { link, address, other, comment, deep, second, mail, newest: revisions[0]?.id ?? '', oldest: revisions[1]?.id ?? '' }
}
const at = await scene()
// until then entries of the moderation log have no numbers, and the same response can differ
await allNumbered(site)
test.after.always(() => site.stop())

const thread = `/comments/${id36(at.link)}`

type Pair = readonly [who: Caller, given: string, otherwise: string]
type Pairs = Readonly<Record<string, Pair>>
const pair =
  (who: Caller, path: string) =>
  (given: string, otherwise = ''): Pair => [who, `${path}?${given}`, `${path}?${otherwise}`]

const of = {
  prefs: pair(bob, '/api/v1/me/prefs'),
  flairs: pair(ann, '/s/tea/api/flairlist'),
  selector: pair(ann, '/s/tea/api/flairselector'),
  info: pair(ann, '/api/info'),
  more: pair(ann, '/api/morechildren'),
  thread: pair(ann, thread),
  search: pair(ann, '/s/tea/search'),
  inbox: pair(bob, '/message/inbox'),
  log: pair(ann, '/s/tea/about/log'),
  names: pair(ann, '/api/search_site_names'),
  subsites: pair(ann, '/subsites/search'),
  user: pair(bob, '/user/bob/submitted'),
  saved: pair(bob, '/user/bob/saved'),
}

const all = `link_id=${at.link}&children=${id36(at.comment)},${id36(at.second)}`

const pairs: Readonly<Record<string, Pairs>> = {
  'GET /api/v1/me/prefs': { fields: of.prefs('fields=lang') },
  'GET [/s/{sub}]/api/flairlist': { name: of.flairs('name=bob') },
  'POST [/s/{sub}]/api/flairselector': { link: of.selector(`link=${at.link}`), name: of.selector('name=bob') },
  'GET [/s/{sub}]/api/info': {
    id: of.info(`id=${at.link}`),
    url: of.info('url=https://leaves.example/'),
    limit: of.info('url=https://leaves.example/&limit=1', 'url=https://leaves.example/'),
  },
  'GET /api/morechildren': {
    link_id: of.more(all, all.replace(at.link, at.other)),
    children: of.more(all, `link_id=${at.link}&children=${id36(at.comment)}`),
    sort: of.more(`${all}&sort=old`, `${all}&sort=new`),
  },
  'GET /by_id/{names}': { sr_detail: pair(ann, `/by_id/${at.link}`)('sr_detail=1') },
  'GET [/s/{sub}]/comments/{article}': {
    comment: of.thread(`comment=${id36(at.deep)}`),
    context: of.thread(`comment=${id36(at.deep)}&context=1`, `comment=${id36(at.deep)}`),
    depth: of.thread('depth=1'),
    limit: of.thread('limit=1'),
    sort: of.thread('sort=old', 'sort=new'),
    showmore: of.thread('limit=1&showmore=false', 'limit=1'),
    showedits: of.thread('showedits=false'),
    sr_detail: of.thread('sr_detail=1'),
  },
  'GET [/s/{sub}]/search': {
    q: of.search('q=leaves', 'q=nothing'),
    sort: of.search('q=leaves&sort=new', 'q=leaves&sort=top'),
    syntax: of.search("q=(and title:'leaves')&syntax=cloudsearch", "q=(and title:'leaves')&syntax=plain"),
    type: of.search('q=tea&type=sr', 'q=tea'),
    restrict_sr: of.search('q=leaves&restrict_sr=true', 'q=leaves'),
    include_facets: of.search('q=leaves&include_facets=true', 'q=leaves'),
  },
  'GET /message/{where}': { mid: of.inbox(`mid=${id36(at.mail)}`) },
  'GET /api/v1/scopes': { scopes: pair(ann, '/api/v1/scopes')('scopes=read') },
  'GET [/s/{sub}]/about/log': {
    mod: of.log('mod=bob'),
    type: of.log('type=sticky'),
    target: of.log(`target=${at.link}`),
    since: of.log('since=9999999999'),
    until: of.log('until=1'),
  },
  'GET [/s/{sub}]/about/{location}': { only: pair(ann, '/s/tea/about/reports')('only=comments') },
  'GET /api/multi/mine': { expand_srs: pair(bob, '/api/multi/mine')('expand_srs=true') },
  'GET /api/multi/user/{username}': { expand_srs: pair(ann, '/api/multi/user/bob')('expand_srs=true') },
  'GET /api/multi/{multipath}': { expand_srs: pair(ann, '/api/multi/user/bob/m/drinks')('expand_srs=true') },
  'GET [/s/{sub}]/about/{where}': { user: pair(ann, '/s/tea/about/contributors')('user=carol') },
  'GET /api/recommend/sr/{srnames}': { omit: pair(ann, '/api/recommend/sr/tea')('omit=coffee') },
  'POST /api/search_site_names': {
    query: of.names('query=tea', 'query=cof'),
    exact: of.names('query=tea&exact=true', 'query=tea'),
    include_over_18: of.names('query=tea&include_over_18=false', 'query=tea'),
  },
  'GET /api/subsites_by_topic': { query: pair(ann, '/api/subsites_by_topic')('query=leaves') },
  'GET [/s/{sub}]/sticky': { num: pair(ann, '/s/tea/sticky')('num=2', 'num=1') },
  'GET /subsites/search': { q: of.subsites('q=tea'), obey_over18: of.subsites('q=tea&obey_over18=true', 'q=tea') },
  'GET /api/username_available': { user: pair(ann, '/api/username_available')('user=bob', 'user=nobody_yet') },
  'GET /user/{username}/{where}': {
    sort: of.user('sort=top', 'sort=new'),
    category: of.saved('category=later'),
    sr: of.saved('sr=tea'),
  },
  'GET [/s/{sub}]/wiki/{page}': {
    v: pair(ann, '/s/tea/wiki/index')(`v=${at.oldest}`),
    v2: pair(ann, '/s/tea/wiki/index')(`v=${at.oldest}&v2=${at.newest}`, `v=${at.oldest}`),
  },
}

const asked = async (who: Caller, method: string, address: string): Promise<string> => {
  const [path = '', query = ''] = address.split('?')
  const answer = method === 'GET' ? await who.get(address) : await who.post(path, Object.fromEntries(new URLSearchParams(query)))
  return `${answer.headers.get('location') ?? ''}${answer.text}`
}

/** Tells whether a case needs a search, which a stand-in for MongoDB may lack. */
const isSearch = (name: string) => servers !== undefined && /search|topic/.test(name)

const differing = (name: string, method: string, params: Pairs) => {
  const tried = isSearch(name) ? test.skip : test
  tried(`${name}: each parameter changes the response: ${Object.keys(params).join(', ')}`, async (t) => {
    for (const [param, [who, given, otherwise]] of Object.entries(params)) {
      const one = await asked(who, method, given)
      t.is(await asked(who, method, given), one, `${param}: the same twice`)
      t.not(await asked(who, method, otherwise), one, `${param}: ${one.slice(0, 200)}`)
    }
  })
}

for (const [name, params] of Object.entries(pairs)) differing(name, name.split(' ')[0] ?? '', params)

/** Tells whether an endpoint takes a parameter: it declares it, or everything of its kind does. */
const takes = (name: string, param: string): boolean => {
  const endpoint = declared.get(name)
  if (!endpoint) return false
  if (param in endpoint.params || ['uh', 'api_type', 'raw_json'].includes(param)) return true
  return (endpoint.listing !== undefined && ofListings.includes(param)) || param === endpoint.upload?.field
}

test('every parameter that the specification names for an endpoint is declared there', (t) => {
  const named = rows.flatMap((row) => parametersOf(row).map((param) => [nameOf(row), param] as const))
  t.true(named.length > 300)
  t.deepEqual(
    named.filter(([name, param]) => !takes(name, param)).map((pair) => pair.join(': ')),
    [],
  )
})

test('every parameter of the interface has an example here, in the table of variations, or in a test of its own', (t) => {
  const missing: string[] = []
  for (const row of rows) {
    const name = nameOf(row)
    for (const param of new Set([...parametersOf(row), ...Object.keys(declared.get(name)?.params ?? {})])) {
      if (row.path.includes(`{${param}}`) || isWithoutEffect(name, param) || isShownElsewhere(name, param)) continue
      // test/http/written-parameters.test.ts tries each one of endpoints that change something
      if (row.method !== 'GET' && !reads.has(name)) continue
      // test/http/listing-parameters.test.ts tries those of listings
      if (row.listing && ofListings.includes(param)) continue
      if (pairs[name]?.[param] === undefined) missing.push(`${name}: ${param}`)
    }
  }
  t.deepEqual(missing, [], 'add it to `pairs` here, or to a table of test/support/parameter-variations.ts')
})

test('the tables of parameters name parameters that are there, and tests that are there', (t) => {
  const named = [
    ...Object.entries(variations).flatMap(([name, params]) => Object.keys(params).map((param) => `${name} ${param}`)),
    ...[...Object.keys(withoutEffect), ...Object.keys(shownElsewhere)].filter((key) => key.includes(' ')),
  ]
  t.deepEqual(
    named.filter((one) => !takes(one.slice(0, one.lastIndexOf(' ')), one.slice(one.lastIndexOf(' ') + 1))),
    [],
  )
  for (const [file, title] of Object.values(shownElsewhere))
    t.true(readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8').includes(title), `${file}: ${title}`)
  for (const reason of Object.values(withoutEffect)) t.regex(reason, /^[A-Z].+\.$/)
})
