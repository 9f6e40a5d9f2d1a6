import anyTest, { type TestFn } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { linkSorts } from '../../src/domain/link-sorts.ts'
import { selectListedLinks } from '../../src/http/needs/listed-links.ts'
import { audiencesOf, findMisplaced } from '../../src/queries/audiences.ts'
import { findLinks, forAudiences, linkSearch, searchSorts } from '../../src/queries/link-search.ts'
import { listRankedLinks } from '../../src/queries/links.ts'
import { newComments } from '../../src/queries/things.ts'
import { findingsOf } from '../support/auditing.ts'
import { startCast } from '../support/cast.ts'
import { eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, id36, names, say, settle, submit } from '../support/posting.ts'
import { type Caller, callerAt } from '../support/site.ts'
import { streamOf } from '../support/stream-of.ts'

const URL = 'https://crowd.example/page'
/** Posts in the private subsite, all later than those of others. */
const MANY = 30

const { site, ann, bob, eve, dora, root, ivy } = await startCast(['ann', 'bob', 'eve', 'dora', 'root', 'ivy'], { logLevel: 'silent' })

const closed = await foundSubsite(ann, 'closed', { type: 'private' })
await foundSubsite(bob, 'open')
await postForm(ann, '/s/closed/api/friend', { type: 'contributor', name: 'dora' })
await postForm(ann, '/s/closed/api/friend', { type: 'contributor', name: 'eve' })
await postForm(ann, '/s/closed/api/friend', { type: 'moderator_invite', name: 'ivy', permissions: '+all' })
const shown = [
  await submit(dora, 'open', { title: 'walnut', kind: 'link', url: URL }),
  await submit(eve, 'open', { title: 'walnut', kind: 'link', url: URL }),
]
const thread = shown[0] as string
const said = [await say(eve, thread), await say(dora, thread)]
const hidden = await Promise.all(Array.from({ length: MANY }, () => submit(dora, 'closed', { title: 'walnut', kind: 'link', url: URL })))
const whispered = await Promise.all(Array.from({ length: MANY }, () => say(dora, hidden[0] as string, 'a word to /u/eve')))
for (const sr_name of ['closed', 'open']) await postForm(eve, '/api/subscribe', { action: 'sub', sr_name })
await waitUntilSettled(site)
await postForm(ann, '/s/closed/api/unfriend', { type: 'contributor', name: 'eve' })
await waitUntilSettled(site)

const ofAll = [
  '/new',
  '/hot',
  '/top',
  '/top?t=day',
  '/top?t=month',
  '/fun?t=week',
  '/insightful',
  '/s/all/new',
  '/s/all',
  '/s/all/top?t=year',
]
const linkPages = [
  ...ofAll,
  '/domain/crowd.example',
  '/domain/crowd.example/new',
  `/duplicates/${id36(thread)}`,
  '/user/dora/submitted',
  '/user/dora/submitted?sort=top',
]
const commentPages = ['/comments', '/s/all/comments', '/user/dora/comments', '/user/dora/comments?sort=hot']

/** The pages of a listing in the given direction, with everything that an anchor names. */
const walkThrough = async (reader: Caller, path: string) => {
  const there: string[] = []
  const anchors = new Set<string>()
  const back: string[] = []
  const read = async (anchor: string) => {
    const answer = await reader.get(`${path}${path.includes('?') ? '&' : '?'}limit=2${anchor}`)
    const root_ = path.startsWith('/duplicates') ? '1.data' : 'data'
    const [after, before] = ['after', 'before'].map((side) => answer.at(`${root_}.${side}`)) as (string | null)[]
    for (const name of [after, before]) if (name) anchors.add(name)
    return { items: names(answer, `${root_}.children`), after, before }
  }
  let page = await read('')
  for (; ; page = await read(`&after=${page.after}`)) {
    there.push(...page.items)
    if (!page.after) break
  }
  back.unshift(...page.items)
  while (page.before) {
    page = await read(`&before=${page.before}`)
    back.unshift(...page.items)
  }
  return { there, back, anchors: [...anchors] }
}

const all = [...shown, ...said, ...hidden, ...whispered]

const test = anyTest as TestFn
test.after.always(() => site.stop())

test.serial('pages of outsiders are full, and name nothing of a private subsite, forwards and backwards', async (t) => {
  const outsiders = { nobody: site as Caller, eve, 'an app': await site.appOnly() }
  for (const [name, reader] of Object.entries(outsiders))
    for (const path of [...linkPages, ...commentPages]) {
      const { there, back, anchors } = await walkThrough(reader, path)
      t.deepEqual(back, there, `${name} ${path}`)
      for (const secret of [...hidden, ...whispered]) t.false([...there, ...anchors].includes(secret), `${name} ${path}`)
      t.true(there.length > 0, `${name} ${path}`)
      const first = names(
        await reader.get(`${path}${path.includes('?') ? '&' : '?'}limit=1`),
        path.startsWith('/duplicates') ? '1.data.children' : 'data.children',
      )
      t.is(first.length, 1, `${name} ${path}`)
    }
})

test.serial('what an outsider may not see is not examined: no source of a listing holds it', async (t) => {
  const { documents } = site.running.app
  for (const ranked of [true, false]) {
    const audiences = await audiencesOf(documents, { account: eve.id, admin: false, gold: false }, ranked)
    for (const sort of linkSorts)
      for (const window of sort === 'hot' || sort === 'new'
        ? [undefined]
        : [undefined, { since: Date.now() - 3_600_000, now: Date.now() }]) {
        const ids = (await listRankedLinks(documents, { kind: 'all', except: [] }, sort, audiences, window).find({ limit: 1_000 })).map(
          ({ id }) => id,
        )
        t.deepEqual(ids.toSorted(), shown.toSorted(), `${sort} ${window ? 'within a window' : ''}`)
      }
    t.deepEqual(
      (await newComments(documents, { kind: 'all', except: [] }, audiences).find({ limit: 1_000 })).map(({ id }) => id).toSorted(),
      said.toSorted(),
    )
  }
})

test.serial('the front page of a subscriber reads nothing of a subsite that the subscriber may no longer view', async (t) => {
  const { app } = site.running
  const scopeOf = async ({ id, name }: { readonly id: string; readonly name: string }, kind: 'front' | 'contributed') => {
    const viewer = { account: id, name, admin: false }
    const page = { limit: 25, after: undefined, before: undefined, showAll: false, srDetail: false }
    const scope = await selectListedLinks(
      { ...app, site: { kind }, viewer, page } as unknown as Parameters<typeof selectListedLinks>[0],
      'scope',
    )
    return E.isRight(scope) && 'ids' in scope.right ? scope.right.ids : undefined
  }
  const open = String((await site.get('/s/open/about')).at('data.name'))
  t.deepEqual(await scopeOf(eve, 'front'), [open])
  t.deepEqual(await scopeOf(dora, 'contributed'), [closed])
  await postForm(dora, '/api/subscribe', { action: 'sub', sr_name: 'closed' })
  await waitUntilSettled(site)
  t.deepEqual(await scopeOf(dora, 'front'), [closed])
  await postForm(dora, '/api/subscribe', { action: 'unsub', sr_name: 'closed' })
  t.true((await walkThrough(eve, '/new')).there.length > 0)
})

test.serial('members find all of it in the same listings, and admins on user pages', async (t) => {
  for (const [name, reader] of Object.entries({ ann, dora, ivy }))
    for (const [paths, things] of [
      [linkPages, [...shown, ...hidden]],
      [commentPages, [...said, ...whispered]],
    ] as const)
      for (const path of paths.filter((one) => one.split('/').length > 2)) {
        const { there, back } = await walkThrough(reader, path)
        t.deepEqual(back, there, `${name} ${path}`)
        const expected = path.startsWith('/user/dora') ? things.filter((id) => id !== shown[1] && id !== said[0]) : things
        const listed = path.startsWith('/duplicates') ? expected.filter((id) => id !== thread) : expected
        t.deepEqual(there.toSorted(), listed.toSorted(), `${name} ${path}`)
      }
  t.deepEqual((await walkThrough(root, '/user/dora/submitted')).there.toSorted(), [thread, ...hidden].toSorted())
  t.deepEqual((await walkThrough(root, '/user/dora/comments?sort=top')).there.toSorted(), [said[1] as string, ...whispered].toSorted())
})

test.serial('an address is found among what the viewer may see, and in one subsite among what is there', async (t) => {
  const found_ = async (reader: Caller, path: string) => names(await reader.get(path))
  t.deepEqual((await found_(site, `/api/info?url=${URL}&limit=2`)).toSorted(), shown.toSorted())
  t.is((await found_(dora, `/api/info?url=${URL}&limit=100`)).length, MANY + 2)
  t.is((await found_(dora, `/s/closed/api/info?url=${URL}&limit=100`)).length, MANY)
  t.deepEqual((await found_(eve, `/search?q=${encodeURIComponent(URL)}&limit=2`)).toSorted(), shown.toSorted())
  t.regex((await dora.post('/api/submit', { sr: 'open', kind: 'link', title: 'again', url: URL, api_type: 'json' })).text, /ALREADY_SUB/)
})

test.serial('a search finds what its viewer may view, and no source of it holds anything else', async (t) => {
  const search = async (reader: Caller, path: string) => (await walkThrough(reader, path)).there.toSorted()
  for (const sort of ['relevance', 'new', 'top']) {
    t.deepEqual(await search(site, `/search?q=walnut&sort=${sort}`), shown.toSorted())
    t.deepEqual(await search(dora, `/search?q=walnut&sort=${sort}`), [...shown, ...hidden].toSorted())
    t.deepEqual(await search(root, `/s/closed/search?q=walnut&restrict_sr=true&sort=${sort}`), hidden.toSorted())
  }
  const { documents, config } = site.running.app
  const audiences = await audiencesOf(documents, { account: eve.id, admin: false, gold: false }, false)
  const wanted = { text: 'walnut', field: undefined }
  const sought = await linkSearch(documents, wanted, {
    within: forAudiences(audiences),
    ownHost: new globalThis.URL(config.publicUrl).hostname,
  })
  for (const sort of searchSorts)
    t.deepEqual((await findLinks(documents, sought, sort).source.find({ limit: 300 })).map(({ id }) => id).toSorted(), shown.toSorted())
})

test.serial('comments in a private subsite leave the inbox of an account that may no longer view it, and what it counts', async (t) => {
  t.deepEqual(names(await eve.get('/message/mentions')), [])
  const count = async () => (await eve.get('/api/v1/me')).at('inbox_count')
  const mail = names(await eve.get('/message/unread')).length
  t.is(await count(), mail)
  const own = await say(eve, thread, 'mine')
  await say(dora, own, 'a reply')
  await waitUntilSettled(site)
  t.is(names(await eve.get('/message/inbox?limit=1')).length, 1)
  t.is(await count(), mail + 1)
  t.is((await eve.get(`/message/unread?limit=${mail + 1}`)).at('data.after'), null)
  said.push(own, ...names(await eve.get('/message/inbox?limit=1')))
})

const applied = async () => (await streamOf(site.running.stores.events, `audience-${closed}`)).map(({ data }) => JSON.parse(data))

/** The reaction has finished: nothing in the subsite has another audience. */
const finished = (audience: string) =>
  eventually(async () => {
    const { things, entries } = await findMisplaced(site.running.app.documents, closed, audience)
    return things.length + entries.length === 0
  })

test.serial('a subsite that turns public, leaves the rankings and turns private again changes what everybody finds', async (t) => {
  const listed = async (path: string) => (await walkThrough(site, path)).there.filter((id) => all.includes(id)).toSorted()
  await settle(ann, closed, { type: 'public', title: 'closed' })
  t.true(await finished('everybody'))
  await waitUntilSettled(site)
  t.deepEqual(await listed('/new'), [...shown, ...hidden].toSorted())
  t.deepEqual(await listed('/s/all/top?t=day'), [...shown, ...hidden].toSorted())
  t.deepEqual(await listed('/search?q=walnut'), [...shown, ...hidden].toSorted())
  t.deepEqual(await listed('/comments'), [...said, ...whispered].filter((id) => all.includes(id)).toSorted())
  t.is(names(await eve.get('/message/mentions?limit=100')).length, MANY)
  await settle(ann, closed, { allow_top: 'false', title: 'closed' })
  t.true(await finished('everybody-aside'))
  await waitUntilSettled(site)
  t.deepEqual(await listed('/new'), [...shown, ...hidden].toSorted())
  t.deepEqual(await listed('/s/all/top?t=day'), shown.toSorted())
  await settle(ann, closed, { type: 'private', allow_top: 'true', title: 'closed' })
  t.true(await finished(closed))
  await waitUntilSettled(site)
  t.deepEqual(await listed('/new'), shown.toSorted())
  t.deepEqual(await listed('/search?q=walnut'), shown.toSorted())
  t.is((await eve.get('/api/v1/me')).at('inbox_count'), names(await eve.get('/message/unread?limit=100')).length)
  const events = await applied()
  t.true(events.every(({ things, entries }) => things.length + entries.length <= 500))
  for (const audience of ['everybody', 'everybody-aside', closed]) t.true(events.some((event) => event.audience === audience))
})

test.serial('however often it turns in a row while that is carried out, the last turn holds', async (t) => {
  for (let n = 0; n < 4; n += 1) await settle(ann, closed, { type: n % 2 === 0 ? 'public' : 'private', title: 'closed' })
  await settle(ann, closed, { type: 'public', title: 'closed' })
  t.true(await finished('everybody'))
  await waitUntilSettled(site)
  t.true((await walkThrough(callerAt(site.url, {}), '/new')).there.includes(hidden[0] as string))
  await settle(ann, closed, { type: 'private', title: 'closed' })
  t.true(await finished(closed))
  await waitUntilSettled(site)
  t.false((await walkThrough(site, '/new')).there.includes(hidden[0] as string))
})

test.serial('the audit finds nothing', async (t) => {
  await waitUntilSettled(site)
  t.deepEqual(await findingsOf(t, site.running), [])
})
