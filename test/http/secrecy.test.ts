import test from 'ava'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { found, id36, names, refusalOf, say, submit } from '../support/posting.ts'
import { type Answer, type Caller, startSite, type TestSite, type User } from '../support/site.ts'
import { streamOf } from '../support/stream-of.ts'

/*
 * A private subsite and private messages, and outsiders who try every endpoint there is with every name and id that could lead there.
 * An endpoint that is declared later is tried, too.
 */

const WORD = 'zanzibar'

let site: TestSite
let ann: User
let bob: User
let hidden: { readonly subsite: string; readonly link: string; readonly text: string; readonly comment: string; readonly message: string }
let outsiders: Readonly<Record<string, Caller>>

test.before(async () => {
  site = await startSite()
  ann = await site.register('ann')
  bob = await site.register('bob')
  const eve = await site.register('eve')
  await site.register('nora')
  await found(ann, 'open')
  const subsite = await found(ann, 'closed', {
    type: 'private',
    title: WORD,
    description: WORD,
    public_description: WORD,
    submit_text: WORD,
  })
  const here = (who: Caller, path: string, fields: object) => who.post(path, { api_type: 'json', ...fields })
  for (const name of ['bob', 'eve']) await here(ann, '/s/closed/api/friend', { type: 'contributor', name })
  const link = await submit(ann, 'closed', { title: `${WORD} on a map`, url: `https://example.com/${WORD}` })
  const text = await submit(bob, 'closed', { title: `about ${WORD}`, text: `a letter from ${WORD}` })
  const comment = await say(bob, link, `the ${WORD} I knew; ask /u/mallory`)
  const mention = say(bob, text, `more of ${WORD}`)
  // eve was a member once: what she did then is no way in
  for (const id of [link, text, comment]) {
    await here(eve, '/api/vote', { id, dir: 1 })
    await here(eve, '/api/vote', { id, dir: -1 })
    await here(eve, '/api/save', { id })
  }
  await here(eve, '/api/hide', { id: link })
  await say(bob, await say(eve, link, 'what is it like?'), `${WORD} is warm`)
  await mention
  await here(ann, '/s/closed/api/unfriend', { type: 'contributor', name: 'eve' })
  await here(ann, '/api/remove', { id: comment, spam: false })
  await here(ann, '/api/approve', { id: comment })
  await here(ann, '/api/set_subsite_sticky', { id: text, state: true })
  await here(ann, '/s/closed/api/friend', { type: 'banned', name: 'nora', note: WORD })
  await here(ann, '/api/compose', { to: 'bob', subject: `to ${WORD}`, text: `let us go to ${WORD}` })
  const message = names(await bob.get('/message/messages'))[0] ?? ''
  await here(bob, '/api/compose', { to: '#closed', subject: `mail from ${WORD}`, text: WORD })
  hidden = { subsite, link, text, comment, message }
  const mallory = await site.register('mallory')
  outsiders = {
    nobody: site,
    'an app': await site.appOnly(),
    somebody: mallory,
    'somebody with a session': await mallory.session(),
    'a former member': eve,
  }
})
test.after.always(() => site.stop())

/** What a parameter or a variable of a path may be set to so that it leads there. */
const leads = (name: string): readonly string[] => {
  const things = [hidden.link, hidden.text, hidden.comment, hidden.message, hidden.subsite]
  if (/^(article|comment|title)$/.test(name)) return [id36(hidden.link), id36(hidden.text), id36(hidden.comment)]
  if (/^(names|id|ids|thing_id|link_id|mid|children)$/.test(name)) return [things.join(','), ...things, ...things.map(id36)]
  if (/^(sr|sr_name|sub|container|from_sr)$/.test(name)) return ['closed', hidden.subsite]
  if (/^(name|username|user|to|mod)$/.test(name)) return ['ann', 'bob', 'closed']
  if (name === 'url') return [`https://example.com/${WORD}`]
  if (name === 'query') return ['clo', 'closed']
  return []
}

const product = (choices: readonly (readonly [string, readonly string[]])[]): readonly Readonly<Record<string, string>>[] =>
  choices.reduce<readonly Readonly<Record<string, string>>[]>(
    (made, [name, values]) => made.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )

/** Every address of an endpoint that could lead there, and what to send with it. */
const ways = ({ path, aliases = [], values = {}, params }: AnyEndpoint) =>
  [path, ...aliases].flatMap((one) =>
    (one.startsWith('[') ? [one.replace(/^\[[^\]]*\]/, ''), one.replace(/^\[([^\]]*)\]/, '$1')] : [one]).flatMap((pattern) => {
      const variables = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name))
      const given = variables.map((name) => [name, values[name] ?? leads(name)] as const)
      const asked = Object.keys(params).filter((name) => !variables.includes(name))
      const longest = Math.max(1, ...asked.map((name) => leads(name).length))
      const sent = Array.from({ length: longest }, (_, n) =>
        Object.fromEntries(asked.flatMap((name) => (leads(name).length > 0 ? [[name, leads(name)[n % leads(name).length] ?? '']] : []))),
      )
      return product(given).flatMap((chosen) =>
        sent.map((fields) => ({ address: pattern.replace(/\{(\w+)\}/g, (_, name: string) => chosen[name] ?? 'x'), fields })),
      )
    }),
  )

/** Left out: they end or begin the caller's own sessions, or show nothing of anybody. */
const apart = /^\/(logout|login|register|post|docs|openapi|api\/(login|register)|api\/v1\/(apps|authorize|access_token|revoke_token))/

const says = ({ text, headers }: Answer) => `${text} ${[...headers].join(' ')}`.toLowerCase().includes(WORD)

for (const endpoint of endpoints.filter(({ path }) => !apart.test(path)))
  test(`${endpoint.method} ${endpoint.path} tells outsiders nothing`, async (t) => {
    const leaks: string[] = []
    for (const [who, caller] of Object.entries(outsiders))
      for (const { address, fields } of ways(endpoint)) {
        const query = new URLSearchParams({ limit: '100', show: 'all', ...fields })
        const answer =
          endpoint.method === 'GET'
            ? await caller.get(`${address}?${query}`)
            : await caller.request(endpoint.method, address, { form: { api_type: 'json', ...fields } })
        t.true(answer.status < 500, `${who}: ${address} ${query}: ${answer.status}`)
        if (says(answer)) leaks.push(`${who}: ${address} ${query}`)
      }
    t.deepEqual(leaks, [])
  })

for (const where of [
  '/s/all/new',
  '/s/all/hot',
  '/new',
  '/top',
  '/s/closed/new',
  '/s/closed+open/new',
  '/s/mod/new',
  '/s/contrib/new',
  '/s/friends/new',
  '/user/ann',
  '/user/bob/comments',
  '/user/bob/submitted',
  '/message/inbox',
  '/message/mentions',
  '/message/moderator',
  '/subs/new',
  '/subs/mine/contributor',
  '/s/mod/about/log',
  '/user/eve/saved',
  '/user/eve/upvoted',
  '/user/eve/hidden',
  '/user/eve/comments',
])
  test(`${where} has nothing of it for outsiders`, async (t) => {
    for (const [who, caller] of Object.entries(outsiders)) t.false(says(await caller.get(`${where}?limit=100&show=all`)), who)
  })

test('members and those who moderate see it all, so that there was something to find', async (t) => {
  for (const path of [
    '/s/closed/new',
    '/s/closed/about',
    `/comments/${id36(hidden.link)}`,
    `/by_id/${hidden.link},${hidden.text}`,
    `/api/info?id=${hidden.comment}`,
    `/api/info?url=https://example.com/${WORD}`,
    '/user/bob/comments',
    '/message/inbox',
    '/s/all/new',
  ])
    t.true(says(await bob.get(path)), path)
  for (const path of ['/s/closed/about/log', '/s/closed/about/banned', '/message/moderator', '/s/closed/about/edit'])
    t.true(says(await ann.get(path)), path)
})

test('nothing that outsiders tried has changed anything there', async (t) => {
  const { events } = site.running.stores
  t.deepEqual(names(await ann.get('/s/closed/new?limit=100')).toSorted(), [hidden.link, hidden.text].toSorted())
  t.is((await streamOf(events, `link-${hidden.link}`, 0)).length, 1)
  t.is(refusalOf(await bob.post('/api/comment', { thing_id: hidden.link, text: 'still here', api_type: 'json' })), '')
})
