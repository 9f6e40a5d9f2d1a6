import test from 'ava'
import { browserAs, destinationOf, htmlProblems } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { appoint, dataOf, postForm } from '../../support/community.ts'
import { compose, firstMail } from '../../support/mail.ts'
import { foundSubsite, readThing, say, submit } from '../../support/posting.ts'
import type { User } from '../../support/site.ts'

const { site, ann, bob, carol, dave, root } = await startTea(['carol', 'dave', 'root'])
await appoint(ann, 'tea', carol, '+mail')
test.after.always(() => site.stop())

const pathOf = async (name: string): Promise<string> => String((await readThing(ann, name)).permalink)

/** The forms of a page with their hidden fields, by the words of their buttons; the buttons of its one form among them. */
const formsOf = (page: string): ReadonlyMap<string, { readonly action: string; readonly hidden: Readonly<Record<string, string>> }> => {
  const plain = (text = '') => text.replaceAll('&amp;', '&')
  const buttons = Array.from(
    page.matchAll(/form="act" formaction="([^"]+)" class="[^"]*">([^<]+)</g),
    ([, action, words = '']) => [words, { action: plain(action), hidden: {} }] as const,
  )
  const forms = page.split('<form ').flatMap((form) => {
    const [, action] = /^class="[^"]*" method="post" action="([^"]+)"/.exec(form) ?? []
    const [, words = ''] = /<button type="submit" class="[^"]*">([^<]+)</.exec(form) ?? []
    const hidden = Object.fromEntries(
      Array.from(form.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g), ([, name = '', value]) => [name, plain(value)]),
    )
    return action === undefined ? [] : [[words, { action: plain(action), hidden }] as const]
  })
  // the first of equal buttons is the newest
  return new Map([...buttons, ...forms].toReversed())
}

/** Presses a button of a page, as a person who typed this into its form. */
const press = async (who: User, page: string, words: string, typed: Readonly<Record<string, string>> = {}) => {
  const browsing = await browserAs(site, who)
  const shown = await browsing.get(page)
  const form = formsOf(shown.text).get(words)
  if (!form) throw new Error(`${page} has no button ‘${words}’ for ${who.name}: ${[...formsOf(shown.text).keys()].join(', ')}`)
  const answer = await browsing.post(form.action, { uh: browsing.modhash, ...form.hidden, ...typed }, { Referer: `${site.url}${page}` })
  if (answer.status !== 303) throw new Error(`${words}: ${answer.status} ${/class="refused"[^<]*<|<code>\w+/.exec(answer.text)?.[0]}`)
  return String(destinationOf(answer))
}

const buttonsFor = async (who: User, page: string): Promise<readonly string[]> => {
  const { text } = await (await browserAs(site, who)).get(page)
  if ((await htmlProblems(text)).length > 0) throw new Error((await htmlProblems(text)).join('\n'))
  return [...formsOf(text).keys()]
}

const ofModerators = ['Approve', 'Remove', 'Spam', 'Ignore reports', 'Count reports again']

test.serial('further acts on a link are there for those who may do them, and each does what it says', async (t) => {
  const link = await submit(bob, 'tea', { title: 'A pot' })
  const page = `${await pathOf(link)}?acts=${link}`
  const common = ['Save under it']
  const has = async (who: User, words: readonly string[]): Promise<void> => {
    const buttons = await buttonsFor(who, page)
    for (const word of words) t.true(buttons.includes(word), `${word} for ${who.name}`)
  }
  const hasNone = async (who: User, words: readonly string[]): Promise<void> => {
    const buttons = await buttonsFor(who, page)
    for (const word of words) t.false(buttons.includes(word), `${word} for ${who.name}`)
  }
  await has(dave, common)
  await hasNone(dave, [...ofModerators, 'Lock', 'Mark as ‘over 18’', 'Send me no replies', 'Gild it', 'Speak as a moderator'])
  await hasNone(carol, [...ofModerators, 'Lock'])
  await has(bob, [...common, 'Mark as ‘over 18’', 'Send me no replies'])
  await hasNone(bob, [...ofModerators, 'Speak as a moderator'])
  await has(ann, [...common, ...ofModerators, 'Lock', 'Mark as ‘over 18’'])
  await hasNone(ann, ['Send me no replies', 'Speak as a moderator', 'Gild it'])
  await has(root, [...ofModerators, 'Gild it'])

  t.is(await press(dave, page, 'Save under it', { category: 'to read' }), `${page}#${link}`)
  t.deepEqual((await dave.get('/api/saved_categories')).at('categories'), [{ category: 'to read' }])
  const isNow = async (name: string, value: unknown): Promise<unknown> => t.deepEqual((await readThing(ann, link))[name], value, name)
  await press(bob, page, 'Mark as ‘over 18’')
  await isNow('over_18', true)
  await press(bob, page, 'Take away ‘over 18’')
  await isNow('over_18', false)
  await press(ann, page, 'Lock')
  await isNow('locked', true)
  await press(ann, page, 'Unlock')
  await isNow('locked', false)
  await press(ann, page, 'Pin in the first place')
  await isNow('stickied', true)
  await press(ann, page, 'Unpin')
  await isNow('stickied', false)
  await press(ann, page, 'Begin the contest mode')
  await isNow('contest_mode', true)
  await press(ann, page, 'End the contest mode')
  await isNow('contest_mode', false)
  await press(ann, page, 'Suggest it', { sort: 'qa' })
  await isNow('suggested_sort', 'qa')
  await press(ann, page, 'Ignore reports')
  await postForm(dave, '/api/report', { thing_id: link, reason: 'advert' })
  const waiting = async () => dataOf(await ann.get('/s/tea/about/reports')).map(({ name }) => name)
  t.false((await waiting()).includes(link))
  await press(ann, page, 'Count reports again')
  await postForm(carol, '/api/report', { thing_id: link, reason: 'advert' })
  t.true((await waiting()).includes(link))
  await press(ann, page, 'Remove')
  await isNow('removed', true)
  await hasNone(ann, ['Remove'])
  await has(ann, ['Approve', 'Spam'])
  await press(ann, page, 'Spam')
  await hasNone(ann, ['Remove', 'Spam'])
  await press(ann, page, 'Approve')
  await isNow('removed', false)
  await hasNone(ann, ['Approve'])
  await has(ann, ['Remove', 'Spam'])
  await press(bob, page, 'Send me no replies')
  await say(dave, link, 'unheard')
  t.false(dataOf(await bob.get('/message/selfreply')).some(({ body }) => body === 'unheard'))
  await press(bob, page, 'Send me the replies')
  await say(dave, link, 'heard')
  t.true(dataOf(await bob.get('/message/selfreply')).some(({ body }) => body === 'heard'))
})

test.serial('a removed thing says so to its author, and by whom to those who are told, and to nobody else', async (t) => {
  const link = await submit(bob, 'tea', { title: 'A cracked pot' })
  const comment = await say(bob, link, 'it leaks')
  const [post, reply] = [await pathOf(link), await pathOf(comment)]
  await postForm(ann, '/api/remove', { id: link, spam: false })
  await postForm(ann, '/api/remove', { id: comment, spam: true })
  const textFor = async (who: User, page: string) => (await (await browserAs(site, who)).get(page)).text
  const ofLink = `<a class="badge bad" href="/s/tea/about/log?target=${link}">removed by ann</a>`
  const ofComment = `<a class="badge bad" href="/s/tea/about/log?target=${comment}">removed as spam by ann</a>`
  const withoutName = (badge: string) => badge.replace(' by ann', '')
  for (const page of [post, '/user/bob', '/s/tea/about/spam'])
    for (const badge of [ofLink, ofComment]) t.true((await textFor(root, page)).includes(badge), page)
  for (const page of [post, '/user/bob']) {
    for (const badge of [ofLink, ofComment]) t.true((await textFor(bob, page)).includes(withoutName(badge)), page)
    t.false(/badge bad|removed by/.test(await textFor(dave, page)), page)
  }
  const missing = await textFor(dave, reply)
  t.deepEqual(await htmlProblems(missing), [])
  t.true(missing.includes('The comment at this address is not shown'))
  t.false(missing.includes('One comment and its replies.'))
  t.true(missing.includes(`<a href="${post}">The whole thread</a>`))
  t.true(missing.includes(`<a href="/s/tea/about/log?target=${comment}">the moderation log about it</a>`))
  t.true((await textFor(ann, reply)).includes('One comment and its replies.'))
})

test.serial('an account is blocked on its page, whose refusal then leads to the list of those blocked', async (t) => {
  t.is(await press(dave, '/user/carol', 'Block'), '/prefs/blocked?done=1')
  const refused = await (await browserAs(site, dave)).get('/user/carol')
  t.is(refused.status, 403)
  t.true(refused.text.includes('href="/prefs/blocked"'))
  t.deepEqual(await htmlProblems(refused.text), [])
  t.true((await buttonsFor(dave, '/prefs/blocked')).includes('Unblock'))
  await press(dave, '/prefs/blocked', 'Unblock')
  t.is((await (await browserAs(site, dave)).get('/user/carol')).status, 200)
  t.false((await buttonsFor(carol, '/user/carol')).includes('Block'), 'nobody blocks themselves')
})

test.serial('a moderator’s button is refused if another one decided since the page was made', async (t) => {
  const link = await submit(bob, 'tea')
  const page = `${await pathOf(link)}?acts=${link}`
  const browsing = await browserAs(site, ann)
  const form = formsOf((await browsing.get(page)).text).get('Approve')
  await postForm(root, '/api/remove', { id: link, spam: false })
  const late = await browsing.post(form?.action ?? '', { uh: browsing.modhash, form_page: page })
  t.is(late.status, 409)
  t.regex(late.text, /<p class="refused" role="alert">/)
  t.is((await readThing(ann, link)).removed, true)
})

test.serial('moderators and admins mark what they wrote themselves', async (t) => {
  const comment = await say(ann, await submit(bob, 'tea'), 'be kind')
  const page = `${await pathOf(comment)}?acts=${comment}`
  await press(ann, page, 'Speak as a moderator, above all others')
  t.like(await readThing(ann, comment), { distinguished: 'moderator', stickied: true })
  await press(ann, page, 'Take the mark away')
  t.like(await readThing(ann, comment), { distinguished: null, stickied: false })
  const reply = await say(root, comment, 'indeed')
  const other = `${await pathOf(reply)}?acts=${reply}`
  t.false((await buttonsFor(root, other)).includes('Speak as a moderator, above all others'), 'a reply cannot stand above all')
  await press(root, other, 'Speak as an admin')
  t.is((await readThing(ann, reply)).distinguished, 'admin')
})

test.serial('an admin erases a comment on a page that says what it does, and nobody else is asked', async (t) => {
  const comment = await say(bob, await submit(bob, 'tea'), 'a secret recipe')
  const path = await pathOf(comment)
  for (const who of [ann, bob]) {
    const { text } = await (await browserAs(site, who)).get(`${path}?erase=${comment}`)
    t.false(text.includes('/api/erase_thing') || text.includes('Erase it'), who.name)
  }
  t.true((await (await browserAs(site, root)).get(`${path}?acts=${comment}`)).text.includes(`?erase=${comment}#reply`))
  const shown = await (await browserAs(site, root)).get(`${path}?erase=${comment}`)
  t.regex(shown.text, /becomes \[erased\] for everybody and for ever[^<]*It cannot be undone\./)
  t.deepEqual(await htmlProblems(shown.text), [])
  t.is((await readThing(ann, comment)).body, 'a secret recipe', 'asking erases nothing')
  t.is(await press(root, `${path}?erase=${comment}`, 'Erase it for good', { reason: 'a court' }), `${path}`)
  t.is((await readThing(ann, comment)).body, '[erased]')
})

test.serial('gold is given with credits, and once however often its button is pressed', async (t) => {
  const comment = await say(ann, await submit(bob, 'tea'), 'golden')
  const page = `${await pathOf(comment)}?acts=${comment}`
  await postForm(root, '/api/v1/gold/grant/dave', { csites: 3 })
  const credits = async () => (await dave.get('/api/v1/me')).at('gold_csites')
  const browsing = await browserAs(site, dave)
  const form = formsOf((await browsing.get(page)).text).get('Gild it')
  await Promise.all([1, 2].map(() => browsing.post(form?.action ?? '', { ...form?.hidden })))
  t.is(await credits(), 2)
  t.is((await readThing(ann, comment)).gilded, 1)
  await press(dave, '/user/bob', 'Give it', { months: '2' })
  t.is(await credits(), 0)
  t.false((await buttonsFor(dave, '/user/bob')).includes('Give it'), 'without credits there is nothing to give')
  t.false((await buttonsFor(dave, page)).includes('Gild it'))
  const without = { ...form?.hidden, uh: '', form_position: '1' }
  t.is((await browsing.post(form?.action ?? '', without)).status, 403)
})

test.serial('a message is folded and shown in full, and its author is blocked, by buttons', async (t) => {
  await compose(dave, 'bob', 'Leaves', 'Which water?')
  const letter = String((await firstMail(bob, 'messages'))?.data.name)
  t.false((await buttonsFor(bob, '/message/messages')).includes('fold'), 'what was not read is not folded')
  await press(bob, '/message/messages', 'mark read')
  await press(bob, '/message/messages', 'fold')
  t.regex((await (await browserAs(site, bob)).get('/message/messages')).text, /<summary>What it says<\/summary>/)
  await press(bob, '/message/messages', 'show in full')
  t.is((await firstMail(bob, 'messages'))?.data.is_collapsed, false)
  await press(bob, '/message/messages', 'block dave')
  t.true((await bob.get('/prefs/blocked')).text.includes('"dave"'))
  t.not((await firstMail(bob, 'messages'))?.data.name, letter)
})

test.serial('the mail to moderators is muted by those who may, and a subsite that writes is blocked and unblocked', async (t) => {
  await compose(dave, '/s/tea', 'Hello', 'there')
  t.false((await buttonsFor(carol, '/s/tea/about/message/inbox')).includes('mute the author'), 'carol has no ‘access’')
  await press(ann, '/s/tea/about/message/inbox', 'mute the author')
  const muted = async () => (await ann.get('/s/tea/about/muted')).text.includes('"dave"')
  t.true(await muted())
  await press(ann, '/s/tea/about/message/inbox', 'end the mute')
  t.false(await muted())

  await compose(dave, '/s/tea', 'Once more', 'please')
  await postForm(ann, '/api/compose', { to: 'dave', from_sr: 'tea', subject: 'Tea', text: 'No.' })
  await press(dave, '/message/messages', 'block tea')
  t.is((await firstMail(dave, 'messages'))?.data.subject, '[message from a blocked subsite]')
  await press(dave, '/message/messages', 'unblock tea')
  t.is((await firstMail(dave, 'messages'))?.data.subject, 'Tea')

  await postForm(ann, '/api/compose', { to: 'dave', from_sr: 'tea', subject: '[message from a blocked subsite]', text: 'No.' })
  t.true((await buttonsFor(dave, '/message/messages')).includes('block tea'), 'no subject takes the button away')
})

test.serial('a subsite is left out of all and shown again, and an approval is given back', async (t) => {
  await foundSubsite(ann, 'cups')
  await postForm(ann, '/s/cups/api/friend', { type: 'contributor', name: 'dave' })
  await press(dave, '/s/cups', 'leave it out of /s/all')
  t.deepEqual(
    dataOf(await dave.get('/subs/mine/muted')).map(({ display_name }) => display_name),
    ['cups'],
  )
  await press(dave, '/subs/mine/muted', 'show it in /s/all again')
  t.deepEqual(dataOf(await dave.get('/subs/mine/muted')), [])
  t.false((await buttonsFor(ann, '/s/cups')).includes('leave it out of /s/all'), 'nobody mutes what they moderate')
  await press(dave, '/subs/mine/contributor', 'give the approval back')
  t.deepEqual(dataOf(await dave.get('/subs/mine/contributor')), [])
})

test.serial('a multi is renamed and copied by forms', async (t) => {
  await postForm(dave, '/api/multi', { model: JSON.stringify({ display_name: 'Drinks', subreddits: [{ name: 'tea' }] }) })
  await press(dave, '/prefs/multis', 'Rename it', { display_name: 'Hot drinks' })
  await press(dave, '/prefs/multis', 'Copy it', { display_name: 'Others' })
  const mine = (await dave.get('/api/multi/mine')).body as readonly { readonly data: { readonly path: string } }[]
  t.deepEqual(mine.map(({ data }) => data.path).toSorted(), ['/user/dave/m/hot_drinks', '/user/dave/m/others'])
})

test.serial('a multi of somebody else is copied by a button on its page, which its owner does not have', async (t) => {
  await postForm(carol, '/api/multi', {
    model: JSON.stringify({ display_name: 'Sweets', visibility: 'public', subreddits: [{ name: 'tea' }] }),
  })
  const path = '/user/carol/m/sweets'
  await press(dave, path, 'Copy this multi')
  t.is((await dave.get('/api/multi/user/dave/m/sweets')).at('data.copied_from'), path)
  t.false((await buttonsFor(carol, path)).includes('Copy this multi'))
})

test.serial('reported messages are read and erased by admins alone', async (t) => {
  await compose(dave, 'carol', 'Buy', 'cheap watches')
  const letter = String((await firstMail(carol, 'messages'))?.data.name)
  await postForm(carol, '/api/report', { thing_id: letter, reason: 'advert' })
  t.is((await (await browserAs(site, carol)).get('/message/reported')).status, 403)
  const page = `/message/reported?erase=${letter}`
  const { text } = await (await browserAs(site, root)).get(page)
  t.true(text.includes('cheap watches') && text.includes('advert'))
  t.deepEqual(await htmlProblems(text), [])
  await press(root, page, 'Erase it for good', { reason: 'a court' })
  t.is((await firstMail(dave, 'sent'))?.data.body, '[erased]')
})
