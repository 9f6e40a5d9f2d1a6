import test from 'ava'
import { joinSite, startCast } from '../support/cast.ts'
import { appoint } from '../support/community.ts'
import { foundSubsite, id36, names, readThing, refusalOf, submit } from '../support/posting.ts'
import type { User } from '../support/site.ts'

/** Ann is the founder of every subsite here. */
const { site, ann, bob } = await startCast(['ann', 'bob'])
const tea = await foundSubsite(ann, 'tea')
await foundSubsite(ann, 'quiet')
test.after.always(() => site.stop())

test('a new link has a normalized title and url, and its author’s insightful vote', async (t) => {
  const answer = await bob.post('/api/submit', {
    sr: 'tea',
    kind: 'link',
    title: '  White \n tea ',
    url: 'example.com/White',
    api_type: 'json',
  })
  t.is(refusalOf(answer), '')
  const name = String(answer.at('json.data.name'))
  t.is(answer.at('json.data.id'), id36(name))
  t.is(answer.at('json.data.url'), `${site.url}/s/tea/comments/${id36(name)}/white_tea/`)
  t.like(await readThing(bob, name), {
    title: 'White tea',
    url: 'http://example.com/White',
    domain: 'example.com',
    author: 'bob',
    subsite: 'tea',
    subsite_id: tea,
    score: 2,
    ups: 1,
    downs: 0,
    likes: true,
    dislikes: null,
    is_self: false,
    selftext: '',
    selftext_html: null,
    num_comments: 0,
    edited: false,
    over_18: false,
    thumbnail: 'default',
    num_reports: null,
    banned_by: null,
  })
  t.is((await readThing(ann, name)).likes, null)
})

test('a new link is listed at once', async (t) => {
  const name = await submit(bob, 'tea', { url: 'http://example.com/listed' })
  t.true(names(await site.get('/s/tea/new?limit=100')).includes(name))
})

test('the url of a self-post is its own page, and its text is shown as written and as HTML', async (t) => {
  await submit(bob, 'tea', { url: 'http://notbanned.example/' })
  const name = await submit(bob, 'tea', { title: 'Thé & <b>', text: '*Hi* <script>' })
  t.like(await readThing(site, name), {
    is_self: true,
    domain: 'self.tea',
    url: `${site.url}/s/tea/comments/${id36(name)}/thé_b/`,
    selftext: '*Hi* <script>',
    selftext_html: '<!-- SC_OFF --><div class="md"><p><em>Hi</em> &lt;script&gt;</p>\n</div><!-- SC_ON -->',
    title: 'Thé & <b>',
    thumbnail: 'self',
  })
  const encoded = (await site.get(`/api/info?id=${name}`)).text
  t.true(encoded.includes('"title":"Thé &amp; &lt;b&gt;"'), 'without raw_json the three characters are entities')
})

test('the url "self" makes a self-post, and nsfw in a title marks it', async (t) => {
  const name = await submit(bob, 'tea', { title: 'NSFW stuff', url: 'self', kind: 'link', text: 'text' })
  t.like(await readThing(bob, name), { is_self: true, selftext: 'text', over_18: true })
})

const refused = test.macro(async (t, fields: Record<string, string>, expected: string) => {
  const answer = await bob.post('/api/submit', { sr: 'quiet', kind: 'link', title: 'x', url: 'http://example.org/', ...fields })
  t.is(refusalOf(answer), expected)
  t.is(answer.at('json.data'), undefined)
  t.deepEqual(names(await site.get('/s/quiet/new')), [], 'nothing was submitted')
})
test('submit refuses a missing kind', refused, { kind: '' }, 'INVALID_OPTION kind')
test('submit reports an unknown kind before any other problem', refused, { kind: 'video', sr: '', title: '' }, 'INVALID_OPTION kind')
test('submit refuses a missing subsite', refused, { sr: '' }, 'SUBSITE_REQUIRED sr')
test('submit refuses a blank subsite', refused, { sr: ' / ' }, 'SUBSITE_REQUIRED sr')
test('submit refuses an unknown subsite', refused, { sr: 'coffee_is_not_here' }, 'SUBSITE_NOEXIST sr')
test('submit refuses an aggregate such as all', refused, { sr: 'all' }, 'SUBSITE_NOTALLOWED sr')
test('submit refuses a blank title', refused, { title: ' \t\n ' }, 'NO_TEXT title')
test('submit refuses a title of invisible characters', refused, { title: '\u200b\u3164 \u2800\ufe0f' }, 'NO_TEXT title')
test('submit refuses a title with a control character', refused, { title: 'tea\u001b[2J' }, 'BAD_STRING title')
test('submit refuses a title that is too long', refused, { title: 'x'.repeat(301) }, 'TOO_LONG title')
test('submit reports an invalid title before an invalid url', refused, { title: '', url: '' }, 'NO_TEXT title')
test('submit refuses a link without a url', refused, { url: '' }, 'NO_URL url')
test('submit refuses a malformed url', refused, { url: 'http://exa mple/<' }, 'BAD_URL url')
test('submit refuses a dangerous url', refused, { url: 'javascript:alert(1)' }, 'BAD_URL url')
test('submit refuses a url with credentials', refused, { url: 'http://a:b@example.com/' }, 'BAD_URL url')
test('submit refuses a banned domain', refused, { url: 'http://banned.example/x' }, 'DOMAIN_BANNED url')
test('submit refuses a subdomain of a banned domain', refused, { url: 'HTTPS://www.sub.Banned.Example:8080/' }, 'DOMAIN_BANNED url')
test('submit refuses a text that is too long', refused, { kind: 'self', text: 'x'.repeat(40_001) }, 'TOO_LONG text')

test('a title can have 300 characters and a text 40,000', async (t) => {
  const name = await submit(bob, 'tea', { title: 'x'.repeat(300), text: 'y'.repeat(40_000) })
  t.is(String((await readThing(bob, name)).selftext).length, 40_000)
})

/** A link of bob's, its permalink, and requests of ann's to submit its url in lower case. */
const submittedBefore = async (domain: string) => {
  const url = `https://${domain}/Path?q=1`
  const first = await submit(bob, 'tea', { title: 'First one', url })
  const again = (fields = {}) => ann.post('/api/submit', { sr: 'tea', kind: 'link', title: 'again', url: url.toLowerCase(), ...fields })
  return { permalink: `/s/tea/comments/${id36(first)}/first_one/`, again }
}

test('a url submitted before is refused with the permalink of the link, regardless of case, www, default port and fragment', async (t) => {
  const { permalink, again } = await submittedBefore('Repost.example')
  const same = ['https://repost.example/path?q=1', 'https://www.REPOST.example/Path?q=1#part', 'HTTPS://repost.example:443/path?q=1']
  for (const url of same) {
    const answer = await again({ url })
    t.is(refusalOf(answer), 'ALREADY_SUB url')
    t.is(answer.at('json.redirect'), permalink)
  }
  t.is((await again({ extension: 'json' })).at('json.redirect'), `${permalink}.json`)
})

test('a url of another scheme, port, path or hash route is another', async (t) => {
  const { again } = await submittedBefore('Another.example')
  t.is(refusalOf(await again({ url: 'https://another.example:80/path?q=1' })), '')
  for (const url of ['http://another.example/path?q=1', 'https://another.example/path/?q=1', 'https://another.example/path?q=1#!x'])
    t.is(refusalOf(await again({ url })), '', url)
})

test('a url submitted before can be submitted with resubmit, or in another subsite', async (t) => {
  const { again } = await submittedBefore('Resubmitted.example')
  t.is(refusalOf(await again({ resubmit: 'true' })), '')
  await foundSubsite(ann, 'repost_elsewhere')
  t.is(refusalOf(await again({ sr: 'repost_elsewhere' })), '')
})

test('concurrent submissions of one url make one link, and the others get its permalink', async (t) => {
  const at = () => ann.post('/api/submit', { sr: 'tea', kind: 'link', title: 'Clicked twice', url: 'https://twice.example/' })
  const answers = await Promise.all([at(), at(), at(), at()])
  t.deepEqual(answers.map(refusalOf).toSorted(), ['', 'ALREADY_SUB url', 'ALREADY_SUB url', 'ALREADY_SUB url'])
})

test('the url of a removed link cannot be submitted again', async (t) => {
  const first = await submit(bob, 'tea', { url: 'https://removed.example/' })
  await ann.post('/api/remove', { id: first })
  const again = { sr: 'tea', kind: 'link', title: 'x', url: 'https://removed.example/' }
  t.is(refusalOf(await bob.post('/api/submit', again)), 'ALREADY_SUB url')
})

test('the url of a deleted link can be submitted again', async (t) => {
  const first = await submit(bob, 'tea', { url: 'https://gone.example/' })
  await bob.post('/api/del', { id: first })
  t.is(refusalOf(await bob.post('/api/submit', { sr: 'tea', kind: 'link', title: 'x', url: 'https://gone.example/' })), '')
})

test('a subsite for links or for self-posts takes only these', async (t) => {
  await foundSubsite(ann, 'links_only', { link_type: 'link' })
  await foundSubsite(ann, 'texts_only', { link_type: 'self' })
  const refusal = async (sr: string, url?: string) =>
    refusalOf(await bob.post('/api/submit', { sr, kind: url === undefined ? 'self' : 'link', title: 'x', url }))
  t.is(await refusal('links_only'), 'NO_SELFS sr')
  t.is(await refusal('texts_only', 'http://example.com/z'), 'NO_LINKS sr')
})

test('a subsite for links takes self-posts from its founder and moderators with the permission posts', async (t) => {
  await foundSubsite(ann, 'links_mostly', { link_type: 'link' })
  const { clerk_1: clerk, keeper_1: keeper } = await joinSite(site, 'clerk_1', 'keeper_1')
  await appoint(ann, 'links_mostly', clerk, '+mail,+config')
  await appoint(ann, 'links_mostly', keeper, '+posts')
  const refusal = async (who: User) => refusalOf(await who.post('/api/submit', { sr: 'links_mostly', kind: 'self', title: 'x' }))
  t.deepEqual([await refusal(ann), await refusal(keeper), await refusal(clerk)], ['', '', 'NO_SELFS sr'])
})

test('only members can submit to restricted and private subsites', async (t) => {
  for (const type of ['restricted', 'private']) {
    const name = `sub_${type}`
    await foundSubsite(ann, name, { type })
    t.is(refusalOf(await bob.post('/api/submit', { sr: name, kind: 'self', title: 'x' })), 'SUBSITE_NOTALLOWED sr', type)
    t.is(refusalOf(await ann.post(`/s/${name}/api/friend`, { type: 'contributor', name: 'bob' })), '')
    t.is(refusalOf(await bob.post('/api/submit', { sr: name, kind: 'self', title: 'x' })), '', type)
  }
})

test('a banned account cannot submit', async (t) => {
  await foundSubsite(ann, 'strict_place')
  const eve = await site.register('eve_banned')
  await ann.post('/s/strict_place/api/friend', { type: 'banned', name: 'eve_banned' })
  t.is(refusalOf(await eve.post('/api/submit', { sr: 'strict_place', kind: 'self', title: 'x' })), 'SUBSITE_NOTALLOWED sr')
})

test('a filtered link is visible to its author and the moderators only', async (t) => {
  await foundSubsite(ann, 'filtered', { spam_selfposts: 'all' })
  const name = await submit(bob, 'filtered', { text: 'secret' })
  for (const sort of ['hot', 'new', 'top', 'fun']) {
    t.deepEqual(names(await bob.get(`/s/filtered/${sort}`)), [name], sort)
    t.deepEqual(names(await site.get(`/s/filtered/${sort}`)), [], sort)
  }
  t.is((await readThing(bob, name)).selftext, 'secret')
  t.is((await readThing(site, name)).selftext, '[removed]')
  t.like(await readThing(ann, name), { selftext: 'secret', banned_by: true })
})

test('a subsite that filters self-posts filters neither links nor self-posts of its moderators', async (t) => {
  await foundSubsite(ann, 'half_filtered', { spam_selfposts: 'all', spam_links: 'low' })
  await submit(bob, 'half_filtered')
  const link = await submit(bob, 'half_filtered', { url: 'http://example.com/fine' })
  const own = await submit(ann, 'half_filtered', { text: 'by a moderator' })
  t.deepEqual(names(await site.get('/s/half_filtered/new')), [own, link])
})

test('submitting, voting and commenting need an account', async (t) => {
  const link = await submit(bob, 'tea')
  const app = await site.appOnly()
  for (const caller of [site, app])
    for (const path of ['submit', 'comment', 'vote', 'del', 'editusertext', 'save', 'unsave', 'hide', 'unhide'])
      t.is(refusalOf(await caller.post(`/api/${path}`, { id: link, thing_id: link, dir: 1, text: 'x' })), 'USER_REQUIRED', path)
})

test('a token needs the scope', async (t) => {
  const link = await submit(bob, 'tea')
  const reader = await bob.withScopes('read')
  for (const path of ['submit', 'comment', 'vote', 'del', 'editusertext', 'save', 'hide']) {
    const answer = await reader.post(`/api/${path}`, { id: link, thing_id: link, text: 'x', dir: 1 })
    t.is(answer.status, 403, path)
    t.regex(String(answer.headers.get('www-authenticate')), /error="insufficient_scope"$/, path)
  }
})

test('a submission repeated with the same Idempotency-Key makes one link', async (t) => {
  const fields = { sr: 'tea', kind: 'self', title: 'once only' }
  const key = { 'Idempotency-Key': 'submit-1' }
  const [first, second] = [await bob.post('/api/submit', fields, key), await bob.post('/api/submit', fields, key)]
  t.is(first.text, second.text)
  t.is((await bob.post('/api/submit', { ...fields, title: 'another' }, key)).status, 422)
})
