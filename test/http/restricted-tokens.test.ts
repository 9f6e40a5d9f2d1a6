import test from 'ava'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { FULL } from '../support/full.ts'
import { found, id36, say, submit } from '../support/posting.ts'
import { isFault } from '../support/shape.ts'
import { type Caller, callerAt, startSite, type TestSite, type User } from '../support/site.ts'

let site: TestSite
let ann: User
/** Ann's token for the subsite tea alone, and one of root, who is an admin. */
let restricted: readonly Caller[]
/** Every way to name something in the subsite coffee, where ann is a moderator, too. */
let elsewhere: readonly string[]
let usual: Readonly<Record<string, string>>
let coffee: string

const SECRET = 'SECRET'

test.before(async () => {
  site = await startSite({ logLevel: 'silent' })
  ann = await site.register('ann')
  await site.register('bob')
  const root = await site.register('root')
  await found(ann, 'tea')
  coffee = await found(ann, 'coffee', { title: SECRET, public_description: SECRET, description: SECRET })
  await found(root, 'herbs')
  const inTea = await submit(ann, 'tea')
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
    `${inTea},${link}`,
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

/** All values in a full run; else a quarter of them for each parameter, another quarter than for the one before. */
const valuesFor = (turn: number) => elsewhere.filter((_, n) => FULL || (n + turn) % 4 === 0)

/** The types of the events in coffee since a position. */
const happenedThere = async (since: string): Promise<readonly string[]> => {
  const events = await site.running.stores.events.readAll(since, 1_000)
  // pages of a wiki may have any name, and flair any text, also that of another subsite
  const without = (text: string) => text.replace(/^(wikipage-\w+)\..*$|"(page|text|css)":"[^"]*"/g, '$1')
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

for (const [number, endpoint] of endpoints.entries())
  test.serial(`${endpoint.method} ${endpoint.path}: a token for one subsite neither reads nor changes anything of another`, async (t) => {
    // what only a session may do is malformed for any token
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
            if (isFault(status, address)) t.fail(`${address} ${name}=${value}: ${status}`)
            if (text.includes(SECRET) && !value.includes(SECRET)) t.fail(`${address} ${name}=${value}: ${text}`)
          }
        }
    t.deepEqual(await happenedThere(since), [])
  })
