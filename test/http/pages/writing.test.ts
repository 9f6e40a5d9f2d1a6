import test from 'ava'
import { limits } from '../../../src/domain/text-limits.ts'
import { browserAs, browserOf, destinationOf, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { newcomer, startTea } from '../../support/cast.ts'
import { dataOf } from '../../support/community.ts'
import { foundSubsite, readThing, say, submit } from '../../support/posting.ts'

const { site, ann, bob, carol } = await startTea(['carol'])
const link = await submit(ann, 'tea')
const comment = await say(bob, link, 'good <b>water</b>')
await ann.post('/api/compose', { to: 'bob', subject: 'Leaves', text: 'Which *tea*?' })
const asBob = await browserAs(site, bob)
const asCarol = await browserAs(site, carol)
const browser = browserOf(site)
test.after.always(() => site.stop())

/** The address of the conversation that ann began. */
const conversation = async () => `/message/messages/${String((await bob.get('/message/messages')).at('data.children.0.data.id'))}`
const permalink = async (id: string) => String((await readThing(bob, id)).permalink)

/** The values that nobody types of the form for an action on a page. */
const hiddenOf = (page: string, action: string): Readonly<Record<string, string>> => {
  const form = page.split('<form ').find((one) => one.includes(`action="${action}"`)) ?? ''
  return Object.fromEntries(
    Array.from(form.split('</form>')[0]?.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g) ?? [], ([, name, value]) => [name, value]),
  )
}

/** Pages with a form: where it stands, where it is posted to, and what is typed. */
const forms = async () => [
  { page: '/submit', action: '/api/submit', typed: { kind: 'self', sr: 'tea', title: 'A pot', text: 'clay' } },
  { page: '/s/tea/submit', action: '/api/submit', typed: { kind: 'link', title: 'A pot', url: 'https://example.com/pot' } },
  { page: `/report?id=${link}`, action: '/api/report?form_method=POST', typed: { reason: 'Spam' } },
  { page: '/message/compose?to=ann', action: '/api/compose', typed: { to: 'ann', subject: 'Hello', text: 'there' } },
  { page: await conversation(), action: '/api/comment', typed: { text: 'green' } },
  { page: await permalink(link), action: '/api/comment', typed: { text: 'more' } },
  { page: `${await permalink(comment)}?edit=${comment}`, action: '/api/editusertext', typed: { text: 'better' } },
  { page: `${await permalink(comment)}?delete=${comment}`, action: '/api/del', typed: {} },
]

test('pages of forms and of mail are valid, for accounts alone, and the same JSON for clients', async (t) => {
  const boxes = ['inbox', 'unread', 'sent', 'messages', 'comments', 'selfreply', 'mentions'].map((box) => `/message/${box}`)
  for (const page of [...(await forms()).map((one) => one.page), ...boxes]) {
    const shown = await asBob.get(page)
    t.is(shown.status, 200, page)
    t.true(isPage(shown), page)
    t.deepEqual(await htmlProblems(shown.text), [], page)
    t.notRegex(shown.text, /<b>water|undefined|\[object|NaN/, page)
    t.false(isPage(await bob.get(page)), page)
    if (page.includes('/comments/')) continue
    const refused = await browser.get(page)
    t.true(refused.status === 401 || refused.status === 403, page)
    t.true(isPage(refused) && refused.text.includes('<a class="button main" href="/login?dest='), page)
  }
})

test('a form is refused without its modhash, with that of another account, and from another site', async (t) => {
  for (const { page, action, typed } of await forms()) {
    const hidden = hiddenOf((await asBob.get(page)).text, action)
    t.is(hidden.uh, asBob.modhash, page)
    const { uh: _, ...without } = hidden
    for (const fields of [without, { ...without, uh: asCarol.modhash }]) {
      const refused = await asBob.post(action, { ...fields, ...typed })
      t.is(refused.status, 403, page)
      t.true(isPage(refused), page)
      for (const value of Object.values(typed)) if (value.length > 8) t.true(refused.text.includes(value), page)
    }
    t.is((await asBob.post(action, { ...hidden, ...typed }, { 'Sec-Fetch-Site': 'cross-site' })).status, 403, page)
  }
})

test('a refused form shows its page again, with what was typed and the reason at its field', async (t) => {
  const cases = [
    ['/s/tea/submit', '/api/submit', { kind: 'self', title: '', text: 'long <b>ago</b>' }, 'title-about', 'long &lt;b&gt;ago'],
    ['/submit', '/api/submit', { kind: 'self', title: 'Kept "title"', sr: 'nosuch' }, 'sr-about', 'Kept &quot;title&quot;'],
    ['/message/compose', '/api/compose', { to: 'nobody_here', subject: 'Kept', text: 'long ago' }, 'to-about', 'long ago'],
    [`${await permalink(comment)}?edit=${comment}`, '/api/editusertext', { text: `${'x'.repeat(10_001)}` }, 'text-about', 'xxxxx'],
  ] as const
  for (const [page, action, typed, place, kept] of cases) {
    const refused = await asBob.post(action, { ...hiddenOf((await asBob.get(page)).text, action), ...typed })
    t.true(refused.status >= 400 && refused.status < 500, page)
    t.true(isPage(refused), page)
    t.regex(refused.text, new RegExp(`class="reason" id="${place}"`), page)
    t.true(refused.text.includes(kept), page)
    t.deepEqual(await htmlProblems(refused.text), [], page)
    const hint = place.replace('-about', '-hint')
    if (place !== 'to-about')
      t.regex(refused.text, new RegExp(`aria-describedby="${place} ${hint}".*class="hint" id="${hint}">[^<]`, 's'), page)
  }
})

test('a form that is sent twice posts once, and leads to what it made', async (t) => {
  const fields = { ...hiddenOf((await asBob.get('/s/tea/submit')).text, '/api/submit'), kind: 'self', title: 'Once only', text: '' }
  const sent = await Promise.all([1, 2].map(() => asBob.post('/api/submit', fields)))
  const [place] = sent.map(({ headers }) => String(headers.get('location')))
  t.regex(String(place), /^\/s\/tea\/comments\/\w+\/once_only\/$/)
  t.deepEqual(
    sent.map(({ status, headers }) => [status, headers.get('location')]),
    [
      [303, place],
      [303, place],
    ],
  )
  t.is((await asBob.get(String(place))).status, 200)
})

test('a comment leads to its place in the thread; a reply, an edit and a deletion are pages that ask', async (t) => {
  const path = await permalink(link)
  const said = await asBob.post('/api/comment', { ...hiddenOf((await asBob.get(path)).text, '/api/comment'), text: 'a leaf' })
  t.is(said.status, 303)
  const [, id] = /#(t1_\w+)$/.exec(String(said.headers.get('location'))) ?? []
  t.is(said.headers.get('location'), `${path}#${id}`)
  const own = await asBob.get(path)
  t.true(own.text.includes(`id="${id}"`) && own.text.includes(`?edit=${id}#reply`) && own.text.includes(`?delete=${id}#reply`))
  t.false((await asCarol.get(path)).text.includes(`?edit=${id}`), 'others have no such links')

  const editing = `${await permalink(String(id))}?edit=${id}`
  const asked = await asBob.get(editing)
  t.true(asked.text.includes('a leaf</textarea>'))
  t.regex(asked.text, /<a class="button" href="[^"]+">Cancel<\/a>/)
  t.false((await asCarol.get(editing)).text.includes('action="/api/editusertext"'))
  const edited = await asBob.post('/api/editusertext', { ...hiddenOf(asked.text, '/api/editusertext'), text: 'a bud' })
  t.deepEqual([edited.status, (await readThing(bob, String(id))).body], [303, 'a bud'])

  const deleting = `${await permalink(String(id))}?delete=${id}`
  t.false((await asCarol.get(deleting)).text.includes('action="/api/del"'))
  const before = await asBob.get(deleting)
  t.is((await readThing(bob, String(id))).author, 'bob', 'asking deletes nothing')
  t.is((await asBob.post('/api/del', hiddenOf(before.text, '/api/del'))).status, 303)
  t.not((await readThing(ann, String(id))).author, 'bob')
})

test('a report leads to where the thing was, and names the rules of its subsite', async (t) => {
  await ann.post('/s/tea/api/add_subsite_rule', { short_name: 'No coffee', description: '', kind: 'all' })
  const reported = await say(ann, link, 'coffee!')
  const page = `/report?id=${reported}`
  const shown = await asBob.get(page)
  t.true(shown.text.includes('name="reason" value="No coffee">'), 'no reason is chosen before the reporter chooses one')
  t.true(shown.text.includes('coffee!'))
  t.deepEqual((await bob.get(page)).at('rules'), ['No coffee'])
  const action = '/api/report?form_method=POST'
  const sent = await asBob.post(action, { ...hiddenOf(shown.text, action), reason: 'No coffee', other_reason: ' ' })
  t.is(sent.status, 303)
  t.is(destinationOf(sent), `${await permalink(link)}?reported=1`)
  t.true((await asBob.get(String(sent.headers.get('location')))).text.includes('<p class="note" role="status">It was reported.</p>'))
  const waiting = dataOf(await ann.get('/s/tea/about/reports?only=comments'))
  t.deepEqual(waiting.find(({ name }) => name === reported)?.user_reports, [['No coffee', 1]])
  t.is((await asBob.get('/report?id=t1_zzzzz')).status, 404)
  t.is((await asBob.get('/report?id=x')).status, 404)
})

test('a reason that a reporter types goes before the rule that they chose', async (t) => {
  const action = '/api/report?form_method=POST'
  for (const chosen of [{}, { reason: 'Spam' }]) {
    const reported = await say(ann, link, 'tea bags')
    const page = await asBob.get(`/report?id=${reported}`)
    await asBob.post(action, { ...hiddenOf(page.text, action), ...chosen, other_reason: 'a bag' })
    t.deepEqual((await readThing(ann, reported)).user_reports, [['a bag', 1]])
  }
})

test('what a viewer may not read cannot be looked at through the form for a report', async (t) => {
  const message = String((await bob.get('/message/messages')).at('data.children.0.data.name'))
  t.is((await asBob.get(`/report?id=${message}`)).status, 200)
  t.is((await bob.get(`/report?id=${message}`)).at('thing'), null)
  t.is((await asCarol.get(`/report?id=${message}`)).status, 403)
  await carol.post('/api/site_admin', { name: 'closed', title: 'Closed', type: 'private', link_type: 'any' })
  const secret = await submit(carol, 'closed', { title: 'Nobody knows' })
  for (const page of [`/report?id=${secret}`, '/s/closed/submit']) {
    const refused = await asBob.get(page)
    t.is(refused.status, 403, page)
    t.false(refused.text.includes('Nobody knows') || refused.text.includes('Submit to closed'), page)
  }
})

test('a message is marked as read by a button and answered on the page of its conversation', async (t) => {
  const inbox = await asBob.get('/message/unread')
  t.true(inbox.text.includes('Leaves') && inbox.text.includes('<em>tea</em>'))
  const [, id] = /formaction="\/api\/read_message\?id=(t6_\w+)"/.exec(inbox.text) ?? []
  t.truthy(id)
  t.is((await bob.get('/message/unread')).at('data.children.0.data.new'), true, 'looking marks nothing')
  const marked = await asBob.post(`/api/read_message?id=${id}`, { uh: asBob.modhash }, { Referer: `${site.url}/message/inbox` })
  t.deepEqual([marked.status, marked.headers.get('location')], [303, '/message/inbox'])
  t.true((await asBob.get('/message/inbox')).text.includes(`/api/unread_message?id=${id}`))
  const page = await conversation()
  const sent = await asBob.post('/api/comment', { ...hiddenOf((await asBob.get(page)).text, '/api/comment'), text: 'Oolong.' })
  t.is(sent.status, 303)
  t.regex(String(sent.headers.get('location')), new RegExp(`^${page}#t6_\\w+$`))
  t.true((await asBob.get(page)).text.includes('Oolong.'))
  t.is((await asCarol.get(page)).status, 403)
})

test('the form for a subsite is refused with what was typed, and leads to the new subsite', async (t) => {
  t.like((await bob.get('/subsites/create?name=cups')).body, { name: 'cups', captcha: null })
  const page = await asBob.get('/subsites/create?name=no%20name')
  const fields = { ...hiddenOf(page.text, '/api/site_admin'), title: 'Cups', type: 'public', link_type: 'any' }
  const refused = await asBob.post('/api/site_admin', { ...fields, name: 'no name' })
  t.true(refused.text.includes('value="Cups"') && refused.text.includes('class="reason" id="name-about"'))
  const founded = await asBob.post('/api/site_admin', { ...fields, name: 'cups' })
  t.deepEqual([founded.status, founded.headers.get('location')], [303, '/s/cups'])
  t.true((await asBob.get('/s/cups')).text.includes('Cups'))
})

test('an address that was submitted before leads to the earlier link, and may be submitted again', async (t) => {
  const fields = { ...hiddenOf((await asBob.get('/s/tea/submit')).text, '/api/submit'), kind: 'link', url: 'https://example.com/twice' }
  const first = await asBob.post('/api/submit', { ...fields, title: 'First' })
  const refused = await asBob.post('/api/submit', { ...fields, title: 'Second' })
  t.is(refused.status, 409)
  t.true(refused.text.includes(`<a href="${first.headers.get('location')}">`) && refused.text.includes('name="resubmit"'))
  t.is((await asBob.post('/api/submit', { ...fields, title: 'Second', resubmit: 'true' })).status, 303)
})

test('a form for logging in that a page posts to the interface itself begins a session', async (t) => {
  const answer = await browser.post('/api/login', { user: 'carol', passwd: carol.password, dest: '/s/tea' })
  t.deepEqual([answer.status, answer.headers.get('location')], [303, '/s/tea'])
  const [cookie = ''] = /^[\w-]+=[^;]+/.exec(answer.headers.getSetCookie()[0] ?? '') ?? []
  t.true((await browser.get('/s/tea', { Cookie: cookie })).text.includes('href="/user/carol"'))
})

test('the form for a submission knows what its subsite takes, and is filled by its address', async (t) => {
  await ann.post('/api/site_admin', { name: 'pots', title: 'Pots', type: 'public', link_type: 'link', submit_text: 'Only *clay*.' })
  const page = await asBob.get('/s/pots/submit?title=A%20pot&url=https://example.com/p')
  t.true(page.text.includes('<em>clay</em>') && page.text.includes('value="A pot"') && page.text.includes('value="https://example.com/p"'))
  t.false(page.text.includes('value="self"'))
  t.like((await bob.get('/s/pots/submit')).body, { subsite: 'pots', kinds: ['link'], captcha: null })
  t.like((await bob.get('/submit')).body, { subsite: null, kinds: ['link', 'self'] })
})

test('a form for a submission offers the flair that its viewer may choose, and posts the link with it', async (t) => {
  await ann.post('/api/site_admin', { name: 'cafe', title: 'Cafe', type: 'public', link_type: 'any' })
  const api = (endpoint: string) => `/s/cafe/api/${endpoint}`
  const template = (text: string, more: object = {}) =>
    ann.post(api('flairtemplate'), { text, css_class: 'blue', flair_type: 'LINK_FLAIR', api_type: 'json', ...more })
  await template('Question <b>')
  t.true((await (await browserAs(site, ann)).get('/s/cafe/submit')).text.includes('>Question &lt;b&gt;</option>'))
  t.false((await asBob.get('/s/cafe/submit')).text.includes('flair_id'), 'only moderators choose flair there')
  const self = {
    flair_enabled: true,
    flair_position: 'right',
    link_flair_position: 'right',
    link_flair_self_assign_enabled: true,
    api_type: 'json',
  }
  await ann.post(api('flairconfig'), self)
  t.false((await asBob.get('/s/cafe/submit')).text.includes('flair_text'), 'no flair there takes other words')
  await template('Other', { text_editable: true })
  const page = await asBob.get('/s/cafe/submit')
  t.deepEqual(await htmlProblems(page.text), [])
  const [, question = ''] = /<option value="([^"]+)">Question/.exec(page.text) ?? []
  const fields = { ...hiddenOf(page.text, '/api/submit'), kind: 'self', text: '', flair_text: 'mine', sr: 'cafe' }
  const refused = await asBob.post('/api/submit', { ...fields, title: '', flair_id: question })
  t.true(
    refused.text.includes(`<option value="${question}" selected>`) &&
      refused.text.includes('name="flair_text" type="text" autocomplete="off" value="mine"'),
  )
  t.regex((await asBob.post('/api/submit', { ...fields, title: 'x', flair_id: 'unknown' })).text, /class="reason" id="flair_id-about"/)
  const sent = await asBob.post('/api/submit', { ...fields, title: 'Which beans?', flair_id: question })
  t.is(sent.status, 303)
  t.true(
    (await asBob.get(String(sent.headers.get('location')))).text.includes('<span class="badge flair flair-blue">Question &lt;b&gt;</span>'),
  )
})

test('mail to moderators is read by those with the permission, who write and answer in the name of their subsite', async (t) => {
  await ann.post('/api/site_admin', { name: 'office', title: 'Office', type: 'public', link_type: 'any' })
  await bob.post('/api/compose', { to: '/s/office', subject: 'A question', text: 'Which *desk*?' })
  const asAnn = await browserAs(site, ann)
  for (const path of ['/s/office/about/message/inbox', '/about/message/inbox', '/s/office/about/message/unread']) {
    const page = await asAnn.get(path)
    t.true(page.text.includes('A question') && page.text.includes('<em>desk</em>'), path)
    t.false(page.text.includes('/api/del_msg'), 'mail to moderators is not one account’s to delete')
    if (path.startsWith('/s/')) t.is((await asBob.get(path)).status, 403, path)
  }
  const [, id] = /formaction="\/api\/read_message\?id=(t6_\w+)"/.exec((await asAnn.get('/s/office/about/message/unread')).text) ?? []
  t.is((await asAnn.post(`/api/read_message?id=${id}`, { uh: asAnn.modhash })).status, 303)
  t.true((await asAnn.get('/s/office/about/message/unread')).text.includes('Nothing here.'))
  const form = await asAnn.get('/message/compose?from_sr=office&to=bob')
  t.true(form.text.includes('<option value="office" selected>the moderators of office</option>'))
  t.deepEqual(await htmlProblems(form.text), [])
  t.false((await asBob.get('/message/compose?from_sr=office')).text.includes('value="office"'))
  t.false(((await bob.get('/message/compose')).at('senders') as readonly string[]).includes('office'))
  const fields = { ...hiddenOf(form.text, '/api/compose'), from_sr: 'office', to: 'bob', subject: 'An answer' }
  t.true((await asAnn.post('/api/compose', { ...fields, text: '' })).text.includes('<option value="office" selected>'))
  t.is((await asAnn.post('/api/compose', { ...fields, text: 'By the window.' })).status, 303)
  t.regex((await asBob.get('/message/inbox')).text, /the moderators of office to .*bob/)
  const forged = { ...hiddenOf((await asBob.get('/message/compose')).text, '/api/compose'), ...fields, uh: asBob.modhash, text: 'forged' }
  t.is((await asBob.post('/api/compose', { ...forged, to: 'carol' })).status, 403)
})

/** Forms that a moderator may get wrong, with the page they stand on: at first refused, then done. */
const corrected = [
  {
    page: '/s/tea/about/banned',
    action: '/s/tea/api/friend',
    wrong: { type: 'banned', name: 'nobody_at_all' },
    right: { type: 'banned', name: 'carol' },
  },
  {
    page: '/s/tea/about/rules',
    action: '/s/tea/api/add_subsite_rule',
    wrong: { kind: 'all' },
    right: { kind: 'all', short_name: 'Be kind', description: 'Always.' },
  },
  { page: '/s/tea/new', action: `/api/save`, wrong: { id: link, category: 'to-read!' }, right: { id: link, category: 'toread' } },
  { page: '/s/tea', action: '/api/save', wrong: { id: 't5_zzzzzz' }, right: { id: link } },
]

test('a form that is refused, corrected and sent again leads back to its page, not to the address of the act', async (t) => {
  const asAnn = await browserAs(site, ann)
  for (const { page, action, wrong, right } of corrected) {
    const refused = await asAnn.post(action, { uh: asAnn.modhash, form_page: page, ...wrong })
    t.true(refused.status >= 400 && isPage(refused), page)
    const shown = new Set(
      [...refused.text.matchAll(/name="form_page" value="([^"]*)"/g)].map(([, value = '']) => value.replaceAll('&amp;', '&')),
    )
    t.deepEqual([...shown], [page], `${action}: each form of the page that is shown again names it`)
    // the browser shows that page at the address of the act
    const referer = new URL(action, site.url).href
    const done = await asAnn.post(action, { uh: asAnn.modhash, form_page: page, ...right }, { Referer: referer })
    t.is(done.status, 303, action)
    const location = String(done.headers.get('location'))
    t.is(location.replace(/#.*$/, ''), page)
    t.is((await asAnn.get(location)).status, 200, location)
  }
})

test('an empty subsite says how to begin, and a thread how to comment without an account', async (t) => {
  await foundSubsite(ann, 'empty')
  const asAnn = await browserAs(site, ann)
  const [keeper, member, nobody] = await Promise.all([asAnn, asBob, browser].map(async (who) => (await who.get('/s/empty')).text))
  t.regex(keeper ?? '', /<a href="\/s\/empty\/submit">Post the first<\/a>, write <a href="\/s\/empty\/about\/rules">/)
  t.regex(member ?? '', /<a href="\/s\/empty\/submit">Post the first<\/a>\./)
  t.notRegex(nobody ?? '', /Post the first/)
  const first = await submit(ann, 'empty')
  const thread = await permalink(first)
  t.true((await browser.get(thread)).text.includes(`<a href="/login?dest=${encodeURIComponent(thread)}">Log in</a> or`))
  t.notRegex((await asBob.get(thread)).text, /to comment\./)
  await ann.post('/api/lock', { id: first })
  t.notRegex((await browser.get(thread)).text, /to comment\./)
  t.regex((await asAnn.get('/about/log')).text, /<a class="meta" href="\/s\/empty\/about\/log">/)
  t.notRegex((await asAnn.get('/s/empty/about/log')).text, /<a class="meta" href="\/s\/empty\/about\/log">/)
})

test('a text keeps its line ends in a form, however browsers send them', async (t) => {
  const written = await say(bob, link, 'one\n\ntwo')
  const form_page = `${await permalink(written)}?edit=${written}`
  const edit = (text: string) => asBob.post('/api/editusertext', { uh: asBob.modhash, form_page, thing_id: written, text })
  t.is((await edit('one\r\n\r\nthree')).status, 303)
  t.is((await readThing(bob, written)).body, 'one\n\nthree')
  const longest = 'x\n'.repeat(limits.comment / 2 - 1)
  t.is((await edit(longest.replaceAll('\n', '\r\n'))).status, 303, 'the browser counted each line end as one character')
  t.is((await readThing(bob, written)).body, longest)
})

test('a text is not lost when its form is gone: after a session ended, a thread was locked, or what it answers was deleted', async (t) => {
  await foundSubsite(ann, 'drafts')
  const user = await newcomer(site)
  const writer = await browserAs(site, user)
  const thread = await submit(ann, 'drafts')
  const parent = await say(ann, thread)
  const form_page = await permalink(thread)
  const lost = await browserAs(site, user)
  await lost.post('/logout', { uh: lost.modhash })
  const answer = (who: typeof writer, fields: Readonly<Record<string, string>>) =>
    who.post('/api/comment', { uh: who.modhash, form_page, thing_id: thread, text: 'a long <b>draft</b>\r\nof mine', ...fields })
  const late = async () => {
    await ann.post('/api/lock', { id: thread })
    const locked = await answer(writer, {})
    await ann.post('/api/unlock', { id: thread })
    return locked
  }
  await ann.post('/api/del', { id: parent })
  for (const [what, refused] of [
    ['logged out', await answer(lost, {})],
    ['locked', await late()],
    ['deleted', await answer(writer, { thing_id: parent })],
  ] as const) {
    t.true(refused.status >= 400 && isPage(refused), what)
    t.regex(refused.text, /role="alert"/, what)
    t.regex(refused.text, /<textarea id="typed-text" rows="8" readonly>\na long &lt;b&gt;draft&lt;\/b&gt;\r?\nof mine<\/textarea>/, what)
    t.deepEqual(await htmlProblems(refused.text), [], what)
  }
  const again = await answer(writer, { text: '' })
  t.false(again.text.includes('typed-text'), 'nothing was typed')
  const tooLong = await answer(writer, { text: 'x'.repeat(limits.comment + 1) })
  t.false(tooLong.text.includes('typed-text'), 'its own form shows it')
})

test('a form that was refused is judged anew when it is sent again as it was', async (t) => {
  await foundSubsite(ann, 'anew')
  const thread = await submit(ann, 'anew')
  const form_page = await permalink(thread)
  const who = await browserAs(site, await newcomer(site))
  const { form_position = '' } = hiddenOf((await who.get(form_page)).text, '/api/comment')
  t.regex(form_position, /^\d+$/)
  const send = () => who.post('/api/comment', { uh: who.modhash, form_page, form_position, thing_id: thread, text: 'once more' })
  await ann.post('/api/lock', { id: thread })
  t.is((await send()).status, 403)
  await ann.post('/api/unlock', { id: thread })
  t.deepEqual(
    (await Promise.all([send(), send()])).map(({ status }) => status),
    [303, 303],
  )
  t.is((await readThing(ann, thread)).num_comments, 1, 'and still posts once')
})
