import test from 'ava'
import { browserAs, browserOf, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { postForm } from '../../support/community.ts'
import { allNumbered } from '../../support/following.ts'
import { foundSubsite, settle, submit } from '../../support/posting.ts'

const { site, ann, bob } = await startTea()

type Line = { readonly kind: string; readonly n: number; readonly type: string; readonly names?: Readonly<Record<string, string>> }
const linesAt = async (path: string): Promise<readonly Line[]> =>
  (await site.get(path)).text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))

const link = await submit(bob, 'tea', { title: 'Cheap <b>watches', text: 'Buy now.' })
await postForm(ann, '/api/remove', { id: link, spam: true })
const cellar = await foundSubsite(ann, 'cellar')
await settle(ann, cellar, { type: 'private', title: 'Hidden bottles' })
const secret = await submit(ann, 'cellar', { title: 'A secret cask', text: 'Under the stairs.' })
await postForm(bob, '/api/vote', { id: await submit(ann, 'tea'), dir: 1 })
await allNumbered(site)
const browser = browserOf(site)
const [asAnn, asBob] = [await browserAs(site, ann), await browserAs(site, bob)]
test.after.always(() => site.stop())

test('the page of all events says each in a sentence with names, and leads to the thing and to the event', async (t) => {
  const { text, status } = await browser.get('/history/events?limit=1000')
  t.is(status, 200)
  t.deepEqual(await htmlProblems(text), [])
  t.regex(
    text,
    /<b><a class="author" href="\/user\/bob">bob<\/a><\/b> posted <a href="\/history\/things\/t5_\w+">the link ‘Cheap &lt;b&gt;watches’/,
  )
  t.regex(text, /ann<\/a><\/b>, as a moderator, removed <a href="\/history\/things\/t5_\w+">the link/)
  t.regex(text, /events? of which you may read nothing/)
  t.regex(text, new RegExp(`<a href="/history/things/${link}">history</a>`))
  const removal = (await linesAt('/history/events?limit=1000')).find(({ type }) => type === 'LinkRemoved')
  const n = removal?.n ?? 0
  const address = `/history/events?since=${n - 1}&until=${n}`
  t.true(text.includes(`href="${address.replace('&', '&amp;')}">event ${n}<`))
  const one = await browser.get(address)
  t.deepEqual(await htmlProblems(one.text), [])
  t.true(one.text.includes(`<h1 class="page">Event ${n}</h1>`))
  t.true(one.text.includes('&quot;type&quot;: &quot;LinkRemoved&quot;'))
  t.true(one.text.includes('href="/history/schemas/LinkRemoved/'))
})

test('the page goes on where it ends, and keeps its filters', async (t) => {
  const first = await browser.get('/history/events?limit=2&type=&actor=')
  const [, next = ''] = /rel="next" href="([^"]+)"/.exec(first.text) ?? []
  t.regex(next, /^\/history\/events\?limit=2&amp;since=\d+$/)
  t.true(isPage(await browser.get(next.replaceAll('&amp;', '&'))))
  const removals = await browser.get('/history/events?type=LinkRemoved&subsite=tea&since=2020-01-01')
  t.is(removals.text.match(/<li class="entry/g)?.length, 1)
  t.true(removals.text.includes('Only events with event: link removed, subsite: tea, from: 2020-01-01.'))
  t.true((await browser.get('/history/events?type=LinkLocked')).text.includes('Nothing matches.'))
  for (const [wrong, status] of [
    ['type=Nonsense', 400],
    ['subsite=nosuch', 404],
    ['actor=nosuch', 404],
    ['tpye=LinkRemoved', 400],
    ['since=999999', 400],
  ] as const) {
    const refused = await browser.get(`/history/events?${wrong}`)
    t.deepEqual([refused.status >= 400 && refused.status < 500, isPage(refused)], [true, true], wrong)
    t.true(status >= 400)
  }
})

test('the history of a thing keeps its name on every page, and counts only the events that it will show', async (t) => {
  const tea = String((await ann.get('/s/tea/about')).at('data.name'))
  for (const [thing, name] of [
    [tea, 'the subsite tea'],
    [link, 'the link ‘Cheap &lt;b&gt;watches’'],
    [bob.id, 'the account bob'],
  ] as const) {
    const page = await asAnn.get(`/history/things/${thing}`)
    t.true(page.text.includes(`<h1 class="page">History of ${name}</h1>`), name)
    const [, last] = /id="event-(\d+)"(?!.*id="event-)/s.exec(page.text) ?? []
    const later = `/history/things/${thing}?after=${last}`
    t.true(page.text.includes(`href="${later}">Look for later events<`), name)
    const empty = await asAnn.get(later)
    t.deepEqual(await htmlProblems(empty.text), [], name)
    t.true(empty.text.includes(`<h1 class="page">History of ${name}</h1>`), `${name}: nothing came after`)
    t.true(empty.text.includes('Nothing that you may read has happened since.'), name)
    const [, stream] = /data-follow="([^"]+)"/.exec(empty.text) ?? []
    t.is(stream === undefined, thing === bob.id, name)
    if (stream === undefined) continue
    t.true(stream.startsWith(`/history/events?since=${last}&amp;`), stream)
    const counted = (await linesAt(stream.replaceAll('&amp;', '&').replace(`since=${last}`, 'since=-1'))).filter(
      ({ kind }) => kind === 'event',
    )
    const listed = (await site.get(`/history/things/${thing}?limit=100`)).at('data.children') as readonly { readonly data: Line }[]
    t.deepEqual(
      counted.map(({ n }) => n),
      listed.map(({ data }) => data.n),
      name,
    )
  }
  const subsite = await asAnn.get(`/history/things/${tea}`)
  t.true(subsite.text.includes('are in the <a href="/s/tea/about/log">moderation log</a>'))
  t.true(subsite.text.includes('<option value="RuleCreated">rule created</option>'))
  t.false(subsite.text.includes('<option value="VoteCast">'))
})

test('nobody reads on the page of events what is not theirs to read', async (t) => {
  const whole = '/history/events?limit=1000'
  for (const [who, page] of [
    ['nobody', await browser.get(whole)],
    ['bob', await asBob.get(whole)],
  ] as const)
    for (const words of ['secret cask', 'Under the stairs', secret, 'Buy now.', 'cellar', 'Hidden bottles'])
      t.is(page.text.includes(words), words === 'Buy now.' && who === 'bob' && page.text.includes('Buy now.'), `${who}: ${words}`)
  t.true((await asAnn.get(whole)).text.includes('A secret cask'))
  t.regex((await asBob.get(whole)).text, /bob<\/a><\/b> marked as insightful <a/)
  t.notRegex((await browser.get(whole)).text, /marked as/)
  t.is((await browser.get(`${whole}&subsite=cellar`)).status, 403)
})

test('lines have names where they are asked for, of what the reader may see alone', async (t) => {
  t.true((await linesAt('/history/events')).every((line) => line.names === undefined))
  const lines = (await linesAt('/history/events?names=true&limit=1000')).filter(({ kind }) => kind === 'event')
  const names = Object.assign({}, ...lines.map((line) => line.names)) as Readonly<Record<string, string>>
  t.is(names[ann.id], 'ann')
  t.is(names[bob.id], 'bob')
  t.true(Object.values(names).includes('tea'))
  t.false(cellar in names)
})
