import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'
import { commentSorts } from '../../src/domain/subsite-settings.ts'
import { type AnyEndpoint, toEndpointName } from '../../src/http/contract/endpoint.ts'
import { JsonOrMedia, Media } from '../../src/http/contract/schemas/answers.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { allPages } from '../../src/http/pages/all.ts'
import { commentSortWords } from '../../src/http/pages/parts/comment-sorts.ts'
import { browserAs, browserHeaders, browserOf, htmlProblems, isPage } from '../support/browser-requests.ts'
import { startTea } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { adminAddresses, closedAddresses, pageAddresses, partsOfPages, withoutPage } from '../support/page-rows.ts'
import { foundSubsite, say, settle, submit } from '../support/posting.ts'
import { callerAt, startSite } from '../support/site.ts'
import { edit } from '../support/wiki.ts'

const { site, ann, bob, root } = await startTea(['root'])
const link = await submit(ann, 'tea')
const comment = await say(bob, link, 'good <b>water</b>')
await settle(ann, String((await ann.get('/s/tea/about')).at('data.name')), { wikimode: 'anyone' })
for (const page of ['index', 'brewing/green']) await edit(bob, 'tea', page, `# All about ${page}\n\n<script>x</script>`)
await compose(ann, 'bob', 'Leaves', 'Which <b>water</b>?')
const message = String((await firstMail(bob, 'messages'))?.data.id)
const scene = { link: link.slice(3), comment: comment.slice(3), message }
const browser = browserOf(site)
const [asAnn, asBob, asRoot] = [await browserAs(site, ann), await browserAs(site, bob), await browserAs(site, root)]
test.after.always(() => site.stop())

const answersJson = ({ method, answers }: AnyEndpoint): boolean => {
  const success = answers?.[200]
  return method === 'GET' && success !== undefined && (!(success instanceof Media) || success instanceof JsonOrMedia)
}

test('every GET that answers JSON has a page, or a reason for none', (t) => {
  const paged = new Set<string>(allPages.map(({ of }) => of))
  t.deepEqual([...paged].toSorted(), Object.keys(pageAddresses).toSorted(), 'a page has a row of addresses')
  for (const endpoint of endpoints.filter(answersJson)) {
    const name = toEndpointName(endpoint)
    t.true(paged.has(name) !== name in withoutPage, `${name}: a page (src/http/pages/all.ts) or a reason (test/support/page-rows.ts)`)
  }
})

test('every reason for no page is of a GET without one, and every answer that is said to be a part of pages is asked by one', (t) => {
  const names = new Set(endpoints.filter(answersJson).map(toEndpointName))
  t.deepEqual(
    Object.keys(withoutPage).filter((name) => !names.has(name)),
    [],
    'a reason for nothing',
  )
  const root = new URL('../../src/http/', import.meta.url)
  const asking = readdirSync(new URL('pages/', root), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && file !== 'wire-types.ts',
  )
  const texts = [...asking.map((file) => `pages/${file}`), 'pipeline/page-writing.ts'].map((file) =>
    readFileSync(new URL(file, root), 'utf8'),
  )
  const isAsked = (name: string): boolean =>
    texts.some((text) => text.includes(`'${name}'`) || text.includes(`'${name.replace('GET ', '')}'`))
  // these are asked for every page, by the step that makes them
  const ofFrame = ['GET /s/{sub}/about']
  t.deepEqual(
    partsOfPages.filter((name) => !isAsked(name) && !ofFrame.includes(name)),
    [],
    'no page asks it',
  )
  t.deepEqual(
    Object.keys(withoutPage).filter((name) => !partsOfPages.includes(name) && isAsked(name)),
    [],
    'a page asks it, so it is a part of pages',
  )
})

for (const [name, addressesOf] of Object.entries(pageAddresses))
  for (const address of addressesOf(scene))
    test(`${address} is a valid page of ${name} for all who may read it, and the same JSON for clients`, async (t) => {
      const isOpen = endpoints.find((endpoint) => toEndpointName(endpoint) === name)?.login === 'anyone'
      for (const caller of isOpen ? [browser, asBob, asAnn] : [asAnn]) {
        const page = await caller.get(address)
        t.is(page.status, 200)
        t.true(isPage(page))
        t.deepEqual(await htmlProblems(page.text), [])
        t.regex(String(page.headers.get('content-security-policy')), /script-src 'self'.*require-trusted-types-for 'script'/)
        t.is(page.text.match(/name="uh"/g)?.length ?? 0, page.text.match(/<form [^>]*method="post"/g)?.length ?? 0)
        t.notRegex(page.text, /<b>water|<script>x|undefined|\[object|NaN/)
        t.is(page.text.includes(asAnn.modhash), caller === asAnn)
      }
      const open = await browser.get(address)
      t.false(/name="uh"/.test(open.text))
      if (!isOpen) {
        t.true(isPage(open) && (open.status === 401 || open.status === 403))
        t.deepEqual(await htmlProblems(open.text), [])
        t.is(open.text.includes('>Log in</a> <a class="button"'), open.status === 401 || open.text.includes('USER_REQUIRED'))
      }
      for (const headers of [{}, { Accept: '*/*' }, { Accept: 'application/json' }]) t.false(isPage(await site.get(address, headers)))
      const json = address.replace(/\/?(?=\?|$)/, '/.json')
      t.regex(String((await browser.get(json)).headers.get('content-type')), /^application\/(?:json|x-ndjson)/)
    })

test('the pages that are for moderators alone are valid', async (t) => {
  for (const address of closedAddresses) {
    const page = await asAnn.get(address)
    t.is(page.status, 200, address)
    t.true(isPage(page))
    t.deepEqual(await htmlProblems(page.text), [], address)
    t.true([403, 404].includes((await asBob.get(address)).status), address)
  }
})

test('the pages that are for admins alone are valid, and tell nobody else anything', async (t) => {
  for (const address of adminAddresses) {
    const page = await asRoot.get(address)
    t.is(page.status, 200, address)
    t.true(isPage(page))
    t.deepEqual(await htmlProblems(page.text), [], address)
    t.notRegex(page.text, /undefined|\[object|NaN/, address)
    for (const other of [asAnn, asBob, browser]) {
      const refused = await other.get(address)
      t.true(isPage(refused) && (refused.status === 401 || refused.status === 403), address)
    }
  }
})

test('who asks decides what a listing is', async (t) => {
  const kinds: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
    ['Chromium', browserHeaders, true],
    ['Firefox', { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }, true],
    ['lynx', { Accept: 'text/html, text/plain, text/sgml, text/css, */*;q=0.01' }, true],
    ['curl, requests, fetch', { Accept: '*/*' }, false],
    ['no Accept at all', { Accept: '' }, false],
    ['a client of JSON', { Accept: 'application/json' }, false],
    ['JSON before HTML', { Accept: 'application/json, text/html;q=0.5' }, false],
    ['Java', { Accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'User-Agent': 'Java/21.0.1' }, false],
    ['a preview robot', { Accept: '*/*', 'User-Agent': 'facebookexternalhit/1.1' }, true],
    ['another preview robot', { 'User-Agent': 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)' }, true],
    ['a browser with Basic credentials', { ...browserHeaders, Authorization: 'Basic YTpi' }, false],
  ]
  // again from the cache
  for (const [who, headers, wanted] of [...kinds, ...kinds, ...kinds]) {
    const answer = await callerAt(site.url, headers).get('/s/tea')
    t.is(isPage(answer), wanted, who)
    t.is(answer.headers.get('vary'), 'Accept, Accept-Encoding, Authorization, Cookie', who)
    t.is(/^private/.test(String(answer.headers.get('cache-control'))), /robot|Java/.test(who), who)
  }
  t.false(isPage(await browser.get('/s/tea?jsonp=f')))
  t.is((await browser.get('/s/tea.rss')).headers.get('content-type')?.split(';')[0], 'application/atom+xml')
  t.true(isPage(await browser.request('HEAD', '/s/tea')))
  t.false(isPage(await browser.get('/api/v1/me')), 'without a page it is JSON')
})

test('a page is cached apart from the JSON of its address, and each viewer has their own', async (t) => {
  await foundSubsite(ann, 'quiet')
  for (let n = 0; n < 4; n++) {
    const anonymous = await browser.get('/s/quiet/new')
    t.true(isPage(anonymous))
    t.is((await site.get('/s/quiet/new')).at('kind'), 'Listing')
    const own = await asBob.get('/s/quiet/new')
    t.true(own.text.includes('/user/bob'))
    t.false(anonymous.text.includes(asBob.modhash))
    t.is((await browser.get('/s/quiet/new')).headers.get('etag'), anonymous.headers.get('etag'))
  }
})

test('a cached page shows what has changed at once, in its frame as well', async (t) => {
  for (let n = 0; n < 3; n++) t.false((await browser.get('/s/tea/hot')).text.includes('Only green'))
  await ann.post('/api/site_admin', { sr: `t5_${'x'}`, title: 'x' })
  const about = await ann.get('/s/tea/about')
  await ann.post('/api/site_admin', {
    sr: String(about.at('data.name')),
    title: 'Only green',
    description: 'Green tea.',
    type: 'public',
    link_type: 'any',
  })
  t.true((await browser.get('/s/tea/hot')).text.includes('Only green'))
})

test('a vote is a form: it goes back to its page, which shows it, and is needed with the modhash, from this site', async (t) => {
  const voted = await submit(ann, 'tea')
  const page = { Referer: `${site.url}/s/tea/new` }
  const answer = await asBob.post(`/api/vote?id=${voted}&dir=1`, { uh: asBob.modhash }, page)
  t.is(answer.status, 303)
  t.is(answer.headers.get('location'), `/s/tea/new#${voted}`)
  t.regex(String(answer.headers.get('set-cookie')), /^rostra_seen=\d{20}; Path=\/; Max-Age=10; HttpOnly; SameSite=Lax$/)
  const shown = await asBob.get('/s/tea/new')
  t.regex(shown.text, new RegExp(`formaction="/api/vote\\?id=${voted}&amp;dir=11" class="vote insightful on" aria-pressed="true"`))
  t.is((await asBob.post(`/api/vote?id=${voted}&dir=-1`, { uh: asBob.modhash, dest: '/s/all' }, page)).headers.get('location'), '/s/all')
  for (const dest of ['//evil.example', 'https://evil.example/', '/\\evil'])
    t.is(
      (await asBob.post(`/api/vote?id=${voted}&dir=11`, { uh: asBob.modhash, dest }, { Referer: 'https://evil.example/x' })).headers.get(
        'location',
      ),
      `/#${voted}`,
    )
  for (const uh of ['', 'wrong', (await browserAs(site, ann)).modhash]) {
    const refused = await asBob.post(`/api/vote?id=${voted}&dir=1`, { uh }, page)
    t.is(refused.status, 403)
    t.true(isPage(refused) && refused.text.includes('INVALID_MODHASH'))
    t.deepEqual(await htmlProblems(refused.text), [])
  }
  const forged = await asBob.post(`/api/vote?id=${voted}&dir=1`, { uh: asBob.modhash }, { ...page, 'Sec-Fetch-Site': 'cross-site' })
  t.is(forged.status, 403)
  t.is((await bob.get(`/by_id/${voted}`)).at('data.children.0.data.likes'), null)
})

test('a refused form shows its page again, with what was typed and the reason at its field; one that is sent twice posts once', async (t) => {
  const path = String((await ann.get(`/by_id/${link}`)).at('data.children.0.data.permalink'))
  const form = { uh: asBob.modhash, thing_id: link, form_page: path, form_position: '00000000000000000001' }
  const refused = await asBob.post('/api/comment', { ...form, text: `${'x'.repeat(10_001)}<b>` })
  t.is(refused.status, 400)
  t.true(isPage(refused))
  t.regex(
    refused.text,
    /<textarea id="text"[^>]*aria-invalid="true"[^>]*>\nxxx[^<]*&lt;b&gt;<\/textarea><span class="reason" id="text-about">this is too long/,
  )
  t.deepEqual(await htmlProblems(refused.text), [])
  const before = Number((await bob.get(`/by_id/${link}`)).at('data.children.0.data.num_comments'))
  const sent = await Promise.all([1, 2].map(() => asBob.post('/api/comment', { ...form, text: 'once' }, { Referer: site.url + path })))
  t.deepEqual(
    sent.map(({ status }) => status),
    [303, 303],
  )
  t.is((await bob.get(`/by_id/${link}`)).at('data.children.0.data.num_comments'), before + 1)
  t.is((await asBob.post('/api/comment', { ...form, text: 'another' })).status, 303)
  t.is((await bob.get(`/by_id/${link}`)).at('data.children.0.data.num_comments'), before + 2)
})

test('a button that is refused shows its page again, with the reason above it', async (t) => {
  const gone = await submit(ann, 'tea')
  await ann.post('/api/lock', { id: gone })
  const refused = await asBob.post(`/api/lock?id=${gone}`, { uh: asBob.modhash, form_page: '/s/tea/new' })
  t.is(refused.status, 403)
  t.regex(refused.text, /<main id="main"><p class="refused" role="alert">[^<]+<\/p>/)
  t.true(refused.text.includes(`id="${gone}"`))
  t.deepEqual(await htmlProblems(refused.text), [])
})

test('a refusal is a page with the same status, reason and request id', async (t) => {
  const missing = await browser.get('/nothing/here')
  t.is(missing.status, 404)
  t.true(isPage(missing))
  t.true(missing.text.includes('NOT_FOUND') && missing.text.includes(String(missing.headers.get('x-request-id'))))
  t.deepEqual(await htmlProblems(missing.text), [])
  t.is((await browser.get('/s/nosuch')).status, 404)
  t.is((await browser.get('/s/tea/comments/zzzzz')).status, 404)
})

test('an empty front page leads to where subsites are chosen and founded, an empty subsite to neither', async (t) => {
  const empty = await startSite()
  t.teardown(empty.stop)
  const visitor = browserOf(empty)
  const ways = ({ text }: { readonly text: string }) => [
    ...(/<p class="empty">(.*?)<\/p>/.exec(text)?.[1] ?? '').matchAll(/href="([^"]*)"/g),
  ]
  for (const path of ['/', '/new', '/top']) {
    const page = await visitor.get(path)
    t.deepEqual(await htmlProblems(page.text), [], path)
    t.deepEqual(
      ways(page).map(([, address]) => address),
      ['/subs/popular', '/subsites/create'],
      path,
    )
    for (const [, address = ''] of ways(page))
      t.regex((await visitor.get(address)).text, /Found a subsite|There are no subsites|Log in/, address)
  }
  await postForm(await empty.register('ann'), '/api/site_admin', { name: 'tea', title: 'Tea' })
  const page = await visitor.get('/s/tea')
  t.true(page.text.includes('There are no links here yet.'))
  t.deepEqual(ways(page), [])
})

test('the orders of comments that pages name are those of threads', (t) => {
  t.deepEqual(Object.keys(commentSortWords).toSorted(), [...commentSorts].toSorted())
})

test('the linkSorts of pages are those of listings, and a subsite may be named like one', async (t) => {
  await foundSubsite(ann, 'fun')
  const titleOf = async (path: string) => /<title>([^<]*)/.exec((await browser.get(path)).text)?.[1] ?? ''
  t.false((await titleOf('/s/fun')).includes(': fun'))
  t.true((await titleOf('/s/fun/top')).includes(': top'))
})

test('with PAGES=off browsers get what they got before', async (t) => {
  const { site: plain, bob: other } = await startTea([], { pages: false })
  try {
    t.is((await browserOf(plain).get('/s/tea')).at('kind'), 'Listing')
    t.true((await browserOf(plain).get('/')).text.includes('A JSON API for programs'))
    const session = await browserAs(plain, other)
    const thing = await submit(other, 'tea')
    const comment = await say(other, thing, 'water')
    for (const address of Object.values(pageAddresses).flatMap((of) =>
      of({ link: thing.slice(3), comment: comment.slice(3), message: '1' }),
    )) {
      const [shown, json] = [await browserOf(plain).get(address), await plain.get(address)]
      if (address.split('?')[0] !== '/') t.deepEqual([shown.status, shown.text], [json.status, json.text], address)
      t.regex(String((await session.get(address)).headers.get('content-type')), address.split('?')[0] === '/' ? /html/ : /json/, address)
    }
    for (const path of ['/login', '/register']) t.is((await browserOf(plain).get(path)).text, (await site.get(path)).text)
    const posted = await submit(other, 'tea')
    t.is((await session.post(`/api/vote?id=${posted}&dir=1`, { uh: session.modhash })).text, '{}')
  } finally {
    await plain.stop()
  }
})

test('the style sheet and the script are small, and kept for a year', async (t) => {
  const { text } = await browser.get('/s/tea')
  for (const [pattern, most] of [
    [/href="(\/site\/rostra-\w+\.css)"/, 24 * 1024],
    [/src="(\/site\/rostra-\w+\.js)"/, 8 * 1024],
  ] as const) {
    const address = pattern.exec(text)?.[1] ?? ''
    const file = await browser.get(address)
    t.is(file.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    t.true(file.text.length <= most, `${address} has ${file.text.length} bytes`)
    const older = await browser.get(address.replace(/-\w+/, '-000000000000'))
    t.deepEqual([older.headers.get('cache-control'), older.text === file.text], ['no-cache', true])
  }
  t.is((await browser.get('/site/other-000000000000.css')).status, 404)
})

test('a form that makes something leads to its page', async (t) => {
  const form = {
    sr: 'tea',
    kind: 'self',
    title: 'A new pot',
    text: 'clay',
    uh: asBob.modhash,
    form_page: '/s/tea',
    form_position: '00000000000000000002',
  }
  const made = await asBob.post('/api/submit', form)
  t.is(made.status, 303)
  t.regex(String(made.headers.get('location')), /^\/s\/tea\/comments\/\w+\/a_new_pot\/$/)
  t.is((await asBob.post('/api/submit', form)).headers.get('location'), made.headers.get('location'))
})

test('where votes are hidden at first a page says so in words, and leads to why; moderators and authors see them', async (t) => {
  const badge = '<a class="badge" href="/docs/help#votes">votes shown later</a>'
  const sub = String((await ann.get('/s/tea/about')).at('data.name'))
  await settle(ann, sub, { comment_score_hide_mins: '60' })
  const theirs = await submit(ann, 'tea')
  const thread = `/comments/${theirs.slice(3)}`
  for (const address of ['/s/tea/new', thread, `/s/tea/comments`]) t.true((await browser.get(address)).text.includes(badge), address)
  await say(bob, theirs, 'hidden')
  const badgesIn = async (who: typeof browser) => (await who.get(thread)).text.split(badge).length - 1
  t.deepEqual(await Promise.all([browser, asBob, asAnn].map(badgesIn)), [2, 1, 0])
  await settle(ann, sub, { comment_score_hide_mins: '0' })
})

test('the pages for logging in, registering and consent stand in the frame, valid, with a way back', async (t) => {
  for (const path of ['/login?dest=/s/tea', '/register?dest=/s/tea']) {
    const page = await browser.get(path)
    t.true(isPage(page) && page.text.includes('<header class="head">'))
    t.deepEqual(await htmlProblems(page.text), [])
    t.is(page.headers.get('cache-control'), 'no-store')
    t.false((await site.get(path)).text.includes('<header class="head">'))
    t.is(page.text.includes('href="/docs/help#a-forgotten-password"'), path.startsWith('/login'))
  }
  const failed = await browser.post('/post/login', { user: 'bo<b', passwd: 'wrong password', dest: '/s/tea' })
  t.true(isPage(failed) && failed.text.includes('value="bo&lt;b"'))
  t.regex(failed.text, /id="passwd"[^>]*aria-invalid="true"/)
  t.deepEqual(await htmlProblems(failed.text), [])
  const short = await browser.post('/post/reg', { user: 'newcomer', passwd: 'x', passwd2: 'x', dest: '/s/tea' })
  t.regex(short.text, /value="newcomer"/)
  t.regex(short.text, /<span class="reason" id="passwd-about">/)
  const entered = await browser.post('/post/reg', { user: 'newcomer', passwd: 'long enough', passwd2: 'long enough', dest: '/s/tea' })
  t.deepEqual([entered.status, entered.headers.get('location')], [302, '/s/tea'])
  const out = await asBob.post('/logout?dest=/', { uh: 'wrong' })
  t.is(out.status, 403)
})

test('logging in or registering leads back to the page before it, never to a form for that or to an act', async (t) => {
  const backFrom = (page: string): readonly string[] =>
    Array.from(page.matchAll(/href="\/(?:login|register)\?dest=([^"]*)"/g), ([, dest = '']) => decodeURIComponent(dest))
  const from = { Referer: `${site.url}/register?dest=%2Flogin%3Fdest%3D%252Fs%252Ftea` }
  const pages = [
    await browser.get('/s/tea'),
    await browser.get('/login?dest=/s/tea'),
    await browser.get('/register?dest=%2Flogin%3Fdest%3D%252Fs%252Ftea'),
    await browser.post(
      '/post/login',
      { user: 'bob', passwd: 'wrong password', dest: '/s/tea' },
      { Referer: `${site.url}/login?dest=/s/tea` },
    ),
    await browser.post('/post/reg', { user: 'x', passwd: 'x', passwd2: 'x', dest: '/s/tea' }, from),
    await browser.post(`/api/vote?id=${link}&dir=1`, {}, { Referer: `${site.url}/s/tea` }),
  ]
  for (const { text } of pages) for (const dest of backFrom(text).filter((one) => !one.startsWith('/login'))) t.is(dest, '/s/tea')
  t.true(pages.every(({ text }) => backFrom(text).includes('/s/tea')))
  for (const dest of ['//evil.example', 'https://evil.example/', '/\\evil.example', '/%09/evil.example'])
    t.false(
      backFrom((await browser.get(`/login?dest=${encodeURIComponent(dest)}`)).text).some((one) => one.includes('//') || one.includes('\\')),
      dest,
    )
})

test('robots may read pages, and whoever finds a vulnerability is told whom to tell where somebody is named', async (t) => {
  t.regex((await browser.get('/robots.txt')).text, /^User-agent: \*\nDisallow: \/api\/\n/)
  t.is((await site.get('/.well-known/security.txt')).status, 404)
  const { site: named } = await startTea([], { securityContact: 'mailto:security@rostra.example' })
  try {
    const { text } = await named.get('/.well-known/security.txt')
    t.true(text.startsWith('Contact: mailto:security@rostra.example\nExpires: '))
    const expires = Date.parse(/^Expires: (\S+)$/m.exec(text)?.[1] ?? '')
    t.true(expires > Date.now() && expires < Date.now() + 365 * 86_400_000)
  } finally {
    await named.stop()
  }
})
