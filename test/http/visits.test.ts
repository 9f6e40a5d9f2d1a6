import { type Cast, newcomer, startTea } from '../support/cast.ts'
import { dataOf, eventually, postForm } from '../support/community.ts'
import { foundSubsite, readThing, refusalOf, submit } from '../support/posting.ts'
import { prefer } from '../support/preferring.ts'
import type { Answer, Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['root']))

const store = (who: Caller, ...links: readonly string[]) => who.post('/api/store_visits', { links: links.join(',') })
const visitedIn = (answer: Answer, link: string) => dataOf(answer).find(({ name }) => name === link)?.visited

/** An account with gold that prefers to have its visits stored. */
const visitor = async ({ site, root }: Cast<'root'>) => {
  const who = await newcomer(site)
  await postForm(root, `/api/v1/gold/give/${who.name}`, { months: 1 })
  await prefer(who, { store_visits: true })
  return who
}

test.serial('visits can be stored only by accounts with gold, in a session or with the scope', async (t) => {
  const { site, ann } = t.context
  const link = await submit(ann, 'tea')
  t.is(refusalOf(await store(site, link)), 'USER_REQUIRED')
  const plain = await newcomer(site)
  await prefer(plain, { store_visits: true })
  t.is((await store(plain, link)).status, 403, 'without gold')
  t.is((await store(await (await visitor(t.context)).withScopes('read'), link)).status, 403, 'without the scope')
})

test.serial('visits are stored and shown only while the account prefers it', async (t) => {
  const { ann } = t.context
  const who = await visitor(t.context)
  const [link, other] = [await submit(ann, 'tea'), await submit(ann, 'tea')]
  await prefer(who, { store_visits: false })
  t.is((await store(who, link)).text, '{}')
  await prefer(who, { store_visits: true })
  t.false((await readThing(who, link)).visited, 'reported while the preference was off')
  await store(who, other)
  t.true((await readThing(who, other)).visited)
  await prefer(who, { store_visits: false })
  t.false((await readThing(who, other)).visited, 'no longer preferred')
})

test.serial('a visited link is shown as visited to its visitor only, on every page and not from a cached one', async (t) => {
  const { site, ann, bob } = t.context
  const who = await visitor(t.context)
  const [link, unvisited] = [await submit(ann, 'tea'), await submit(ann, 'tea')]
  const page = async (reader: Caller) => visitedIn(await reader.get('/s/tea/new?limit=100'), link)
  const thread = async () => (await who.get(`/comments/${link.slice(3)}`)).at('0.data.children.0.data.visited')
  // requested more than once, so that responses may be cached
  for (let n = 0; n < 3; n += 1) t.deepEqual([await page(who), await thread()], [false, false])
  await store(who, link)
  t.deepEqual([await page(who), await thread()], [true, true])
  for (const caller of [bob, ann, site]) t.is(await page(caller), false)
  t.true((await who.get(`/by_id/${link}`)).at('data.children.0.data.visited'))
  t.false((await readThing(who, unvisited)).visited)
  await prefer(who, { store_visits: false })
  t.deepEqual([await page(who), await thread()], [false, false], 'no longer preferred')
})

test.serial('of the visits reported those of links are stored, unless they are none or more than a hundred', async (t) => {
  const { ann } = t.context
  const who = await visitor(t.context)
  const [link, other, unvisited] = [await submit(ann, 'tea'), await submit(ann, 'tea'), await submit(ann, 'tea')]
  t.is((await store(who, link, 't1_1', 'nonsense', other)).text, '{}')
  for (const links of ['', ' , ', 't1_1', Array.from({ length: 101 }, (_, n) => `t5_${n}`).join()])
    t.is((await who.post('/api/store_visits', { links })).text, '{}')
  t.is((await who.post('/api/store_visits')).text, '{}')
  for (const id of [link, other]) t.true((await readThing(who, id)).visited)
  t.false((await readThing(who, unvisited)).visited)
})

test.serial('a visited link is not drawn at random while there is another', async (t) => {
  const { ann } = t.context
  const who = await visitor(t.context)
  await foundSubsite(ann, 'one_link')
  const only = await submit(ann, 'one_link')
  const drawn = async () => String((await who.get('/s/one_link/random')).headers.get('location'))
  t.true((await drawn()).includes(`/comments/${only.slice(3)}/`))
  const other = await submit(ann, 'one_link')
  await store(who, only)
  for (let n = 0; n < 8; n += 1) t.true((await drawn()).includes(`/comments/${other.slice(3)}/`))
  await store(who, other)
  t.regex(await drawn(), /\/comments\//)
})

test.serial('concurrent visits are all stored, and deleted with their account', async (t) => {
  const { site, ann, root } = t.context
  const reader = await visitor(t.context)
  const link = await submit(ann, 'tea')
  const others = Array.from({ length: 12 }, (_, n) => `t5_zz${n.toString(36)}`)
  const before = await site.running.stores.events.head()
  for (const { text } of await Promise.all([link, ...others].map((one) => store(reader, one)))) t.is(text, '{}')
  t.is(await site.running.stores.events.head(), before, 'nothing of it is in the log')
  const kept = async () =>
    (await site.running.app.vault.get('visits', reader.id))?.value as readonly (readonly [string, number])[] | undefined
  t.deepEqual((await kept())?.map(([one]) => one).toSorted(), [link, ...others].toSorted())
  t.true((await readThing(reader, link)).visited)
  await postForm(root, '/api/erase_user', { name: reader.name })
  t.true(await eventually(async () => (await kept()) === undefined))
})
