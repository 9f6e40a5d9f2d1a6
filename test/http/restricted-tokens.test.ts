import test from 'ava'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { FULL } from '../support/full.ts'
import { compose, firstMail } from '../support/mail.ts'
import { foundSubsite, id36, say, submit } from '../support/posting.ts'
import { type Caller, callerAt, startSite, type TestSite, type User } from '../support/site.ts'

let site: TestSite
let ann: User
/** Ann's token for the subsite tea alone, and one of root, who is an admin. */
let restricted: readonly Caller[]
/** Every way to name something in the subsite coffee, where ann is a moderator, too. */
let elsewhere: readonly string[]
let usual: Readonly<Record<string, string>>
let coffee: string
/** A link, a comment and a message to the moderators of tea. */
let inTea: readonly string[]

const SECRET = 'SECRET'

test.before(async () => {
  site = await startSite({ logLevel: 'silent' })
  ann = await site.register('ann')
  const root = await site.register('root')
  await foundSubsite(ann, 'tea')
  coffee = await foundSubsite(ann, 'coffee', { title: SECRET, public_description: SECRET, description: SECRET })
  await foundSubsite(root, 'herbs')
  const bob = callerAt(site.url, { Authorization: `bearer ${await site.tokenOf((await site.register('bob')).id)}` })
  const ownLink = await submit(ann, 'tea')
  await compose(bob, '/s/tea')
  inTea = [ownLink, await say(ann, ownLink), String((await firstMail(ann, 'moderator'))?.data.name)]
  const link = await submit(ann, 'coffee', { title: `${SECRET} title`, text: `${SECRET} text` })
  const url = `https://coffee.example/${SECRET}`
  await submit(ann, 'coffee', { title: SECRET, url })
  const comment = await say(ann, link, SECRET)
  await ann.post('/api/compose', { to: '/s/coffee', subject: SECRET, text: SECRET })
  restricted = await Promise.all(
    [ann, root].map(async ({ id }) => callerAt(site.url, { Authorization: `bearer ${await site.tokenOf(id, { subsites: ['tea'] })}` })),
  )
  elsewhere = [
    link,
    comment,
    coffee,
    'coffee',
    's/coffee',
    '#coffee',
    'tea+coffee',
    `${ownLink},${link}`,
    id36(link),
    id36(comment),
    id36(coffee),
    url,
  ]
  usual = {
    type: 'contributor',
    name: 'bob',
    permissions: '+all',
    api_type: 'json',
    where: 'moderators',
    dir: '1',
    text: 'words',
    kind: 'self',
    title: 'a title',
  }
})
test.after.always(() => site.stop())

const filled = (path: string, values: AnyEndpoint['values'], variables: Readonly<Record<string, string>>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(variables[name] ?? values?.[name]?.[0] ?? usual[name] ?? 'x'))

const PREFIX = /^(\[\/s\/\{sub\}\]|\/s\/\{sub\})/

/** The addresses of an endpoint in the token's subsite, and those that are outside of it. */
const addressesOf = ({ path, aliases = [] }: AnyEndpoint) => {
  const all = [path, ...aliases]
  const placed = all.filter((declared) => PREFIX.test(declared))
  const inside = placed.map((declared) => declared.replace(PREFIX, '/s/tea'))
  const outside = placed.flatMap((declared) =>
    ['coffee', 'tea+coffee', 'all', 'mod', 'all-tea'].map((name) => declared.replace(PREFIX, `/s/${name}`)),
  )
  const unplaced = all.flatMap((declared) => (declared.startsWith('/s/') ? [] : [declared.replace(PREFIX, '') || '/']))
  return { inside, outside: [...outside, ...unplaced] }
}

/** All values in a full run; else an eighth of them for each parameter, others than for the one before. */
const valuesFor = (turn: number) => elsewhere.filter((_, n) => FULL || (n + turn) % 8 === 0)

/** The types of the events in coffee since a position. */
const happenedThere = async (since: string): Promise<readonly string[]> => {
  const events = await site.running.stores.events.readAll(since, 1_000)
  // pages of a wiki may have any name, and flair and reasons any text, also that of another subsite
  const without = (text: string) => text.replace(/^(wikipage-\w+)\..*$|"(page|text|css|reason)":"[^"]*"/g, '$1')
  return events.filter(({ stream, data }) => `${without(stream)} ${without(data)}`.includes(coffee)).map(({ type }) => type)
}

test.serial('a token for one subsite can read and change what is there', async (t) => {
  const [caller] = restricted
  const link = await submit(ann, 'tea', { title: 'in tea' })
  t.is((await caller?.get(`/s/tea/api/info?id=${link}`))?.at('data.children.0.data.title'), 'in tea')
  t.is((await caller?.get(`/s/tea/comments/${id36(link)}`))?.status, 200)
  const answer = await caller?.post('/s/tea/api/friend', { type: 'contributor', name: 'bob', api_type: 'json' })
  t.deepEqual(answer?.at('json.errors'), [], answer?.text)
})

test.serial('for a token for one subsite a link of another subsite does not exist', async (t) => {
  const [caller] = restricted
  const [other = ''] = elsewhere
  const flair = async (link: string) => (await caller?.post('/s/tea/api/flair', { link, text: 'hot', api_type: 'json' }))?.text
  t.is(await flair(other), await flair('t5_1'))
})

test.serial('a token for one subsite can act on the things of it at paths that name no subsite', async (t) => {
  const [caller] = restricted
  const link = await submit(ann, 'tea')
  const comment = await say(ann, link)
  const [, , message = ''] = inTea
  for (const [path, form] of [
    ['/api/remove', { id: link }],
    ['/api/approve', { id: link }],
    ['/api/remove', { id: comment }],
    ['/api/approve', { id: comment }],
    ['/api/remove', { id: message }],
    ['/api/approve', { id: message }],
    ['/api/set_subsite_sticky', { id: link, state: 'true' }],
    ['/api/set_contest_mode', { id: link, state: 'true' }],
    ['/api/set_suggested_sort', { id: link, sort: 'top' }],
    ['/api/marknsfw', { id: link }],
    ['/api/unmarknsfw', { id: link }],
    ['/api/distinguish', { id: comment, how: 'yes', sticky: 'true' }],
    ['/api/ignore_reports', { id: link }],
    ['/api/unignore_reports', { id: link }],
    ['/s/tea/api/flair', { link, text: 'hot' }],
    ['/api/selectflair', { link }],
    ['/api/vote', { id: link, dir: '-1' }],
    ['/api/save', { id: comment }],
    ['/api/hide', { id: `${link} ${inTea[0]}` }],
    ['/api/comment', { thing_id: comment, text: 'softer' }],
    ['/api/comment', { parent: link, text: 'softer' }],
    ['/api/editusertext', { thing_id: comment, text: 'softest' }],
    ['/api/read_message', { id: message }],
    ['/api/lock', { id: link }],
    ['/api/unlock', { id: link }],
    ['/api/del', { id: comment }],
  ] as const) {
    const before = await site.running.stores.events.head()
    const answer = await caller?.post(path, { ...form, api_type: 'json' })
    t.true([200, 202].includes(answer?.status ?? 0), `${path}: ${answer?.status} ${answer?.text}`)
    t.false(answer?.text.includes('"errors":[['), `${path}: ${answer?.text}`)
    t.not(await site.running.stores.events.head(), before, `${path} was recorded`)
  }
})

test.serial('at paths that name no subsite a token for one cannot name a thing of another, of none, or that is none', async (t) => {
  const [own = ''] = inTea
  await compose(ann, 'ann')
  const ofNone = String((await firstMail(ann, 'sent'))?.data.name)
  const [other = '', comment = ''] = elsewhere
  for (const caller of restricted)
    for (const id of [
      other,
      comment,
      ofNone,
      't5_1',
      'tea',
      '',
      `${own},${other}`,
      `${other} ${own}`,
      Array(200)
        .fill(own)
        .map((name, n) => `${name}${n}`)
        .join(','),
    ])
      for (const path of ['/api/approve', '/api/remove', '/api/lock', '/api/vote', '/api/hide', '/api/del', '/api/read_message']) {
        const answer = await caller.post(path, { id, dir: '1' })
        t.is(answer.status, 403, `${path} ${id}`)
        t.regex(answer.headers.get('www-authenticate') ?? '', /error="insufficient_scope"$/)
      }
})

for (const [number, endpoint] of endpoints.entries())
  test.serial(`${endpoint.method} ${endpoint.path}: a token for one subsite neither reads nor changes anything of another`, async (t) => {
    // a request for sessions only is malformed for any token
    const refused = endpoint.login === 'session' ? 400 : 403
    const since = await site.running.stores.events.head()
    const { inside, outside } = addressesOf(endpoint)
    const ask = async (address: string, given: Readonly<Record<string, string | undefined>>) => {
      const fields = Object.fromEntries(Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
      const path = filled(address, endpoint.values, fields)
      const query = new URLSearchParams(fields)
      const sending = (caller: Caller) =>
        endpoint.method === 'GET' ? caller.get(`${path}?${query}`) : caller.request(endpoint.method, path, { form: fields })
      return Promise.all(restricted.map(sending))
    }
    for (const address of outside)
      for (const fields of [{}, { s: 'coffee' }])
        for (const { status, text } of await ask(address, fields)) t.is(status, refused, `${address}: ${text}`)
    const usually = Object.fromEntries(Object.keys(endpoint.params).map((name) => [name, usual[name]]))
    for (const address of inside)
      for (const [index, name] of [...Object.keys(endpoint.params), 's', 'after', 'before'].entries())
        for (const value of valuesFor(number + index)) {
          const query = endpoint.method === 'GET' ? { [name]: value } : { ...usually, [name]: value }
          for (const { status, text } of await ask(address, query)) {
            if (status >= 500) t.fail(`${address} ${name}=${value}: ${status}`)
            if (text.includes(SECRET) && !value.includes(SECRET)) t.fail(`${address} ${name}=${value}: ${text}`)
          }
        }
    const naming = Object.entries(endpoint.params).flatMap(([name, { namesThings }]) => (namesThings ? [name] : []))
    for (const address of endpoint.method === 'GET' || naming.length === 0 ? [] : outside.filter((one) => !one.startsWith('/s/')))
      for (const [index, name] of [...Object.keys(endpoint.params), 's', 'r', 'm'].entries())
        for (const value of valuesFor(number + index))
          for (const thing of inTea) {
            const fields = { ...usually, ...Object.fromEntries(naming.map((one) => [one, thing])), [name]: value }
            for (const { status, text } of await ask(address, fields)) {
              if (status >= 500) t.fail(`${address} ${name}=${value}: ${status}`)
              if (naming.includes(name)) t.is(status, 403, `${address} ${name}=${value}: ${text}`)
              if (text.includes(SECRET) && !value.includes(SECRET)) t.fail(`${address} ${name}=${value}: ${text}`)
            }
          }
    t.deepEqual(await happenedThere(since), [])
  })
