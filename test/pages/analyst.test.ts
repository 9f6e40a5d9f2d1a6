import { sitDown, testInBrowser } from '../support/browser.ts'
import { startTea } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { allNumbered } from '../support/following.ts'
import { say, settle, submit } from '../support/posting.ts'

const test = testInBrowser(async () => startTea(['carol']))

for (const scripts of [false, true])
  test(`an analyst finds out who removed a link, how, and what followed, from its permalink, with scripts ${scripts ? 'on' : 'off'}`, async (t) => {
    const { site, ann, bob, carol } = t.context
    const link = await submit(bob, 'tea', { title: 'Cheap watches', text: 'Buy **now**.' })
    const before = new Date().toISOString().slice(0, 16)
    await say(carol, link, 'Not again.')
    await postForm(ann, '/api/lock', { id: link })
    await postForm(ann, '/api/remove', { id: link, spam: true })
    await postForm(ann, '/api/approve', { id: link })
    await postForm(ann, '/api/remove', { id: link, spam: true })
    await allNumbered(site)
    const { page, faults, leave } = await sitDown(site, { scripts })
    const to = (name: string) => page.getByRole('link', { name, exact: true })
    await page.goto(`/comments/${link.slice(3)}`)
    // the first click
    await to('history').click()
    t.is(await page.getByRole('heading', { level: 1 }).innerText(), 'History of the link ‘Cheap watches’')
    const removal = page.locator('.entry.stern', { hasText: 'removed' }).last()
    t.regex(await removal.innerText(), /^ann, as a moderator, removed the link ‘Cheap watches’ by bob as spam/)
    t.is(await page.locator('.entry').count(), 5, 'posted, locked, removed, approved, removed')
    t.regex(await page.locator('.entry').first().innerText(), /^bob posted the link ‘Cheap watches’ in tea/)
    const [proof] = await Promise.all([page.waitForEvent('download'), removal.getByRole('link', { name: 'proof' }).click()])
    t.truthy(await proof.path())
    // the second click: the entry of the moderation log
    await removal.getByRole('link', { name: 'mod log' }).click()
    t.regex(await page.locator('.entry').first().innerText(), /^ann removed the link ‘Cheap watches’ by bob as spam/)
    // the third: the account of the author
    await page.locator('.entry').first().getByRole('link', { name: 'bob', exact: true }).click()
    await to('history').click()
    t.is(await page.getByRole('heading', { level: 1 }).innerText(), 'History of the account bob')
    t.true((await page.locator('.entry').first().innerText()).includes('registered'))

    await page.goto(`/history/things/${link}`)
    await page.getByLabel('As it was at (UTC)').fill(before)
    await page.getByRole('button', { name: 'Look back' }).click()
    const card = await page.locator('section.card').first().innerText()
    t.true(card.toLowerCase().includes(`as it was at ${before.replace('T', ' ')} utc`))
    t.true(card.includes('It was not there yet'), 'the minute began before the link was posted')
    await page.goto(`/history/things/${link}?at=${new Date().toISOString().slice(0, 19)}`)
    const now = await page.locator('section.card').first().innerText()
    t.regex(now, /Cheap watches by bob locked\s+\[removed\]/)
    t.is(await page.getByLabel('As it was at (UTC)').inputValue(), new URL(page.url()).searchParams.get('at') ?? '')

    await page.goto(`/history/things/${link}`)
    const later = page.locator('[data-follow] a')
    t.is(await later.innerText(), 'Look for later events')
    await postForm(ann, '/api/unlock', { id: link })
    await allNumbered(site)
    if (scripts) await page.getByRole('link', { name: 'Show 1 new event' }).waitFor()
    t.is(await page.locator('.entry').count(), 5, 'what is being read stays as it is')
    await later.click()
    t.regex(await page.locator('.entry').first().innerText(), /^ann, as a moderator, unlocked the link ‘Cheap watches’ by bob/)
    t.deepEqual(faults, [])
    await leave()
  })

test('a page of the history, and one in the style of its subsite, asks for four things beside its icon, and no more', async (t) => {
  const { site, ann, bob } = t.context
  const link = await submit(bob, 'tea', { title: 'A pot', text: 'Of clay.' })
  await settle(ann, String((await ann.get('/s/tea/about')).at('data.name')), { description: 'All about *leaves*' })
  await postForm(ann, '/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: '.md { color: red } .flair-hot { color: #a00 }' })
  const flaired = await submit(bob, 'tea', { title: 'A kettle', text: 'Of tin.' })
  await postForm(ann, '/s/tea/api/flair', { link: flaired, text: 'Hot', css_class: 'hot' })
  await allNumbered(site)
  for (const [address, own] of [
    [`/history/things/${link}`, '/site/history-'],
    ['/s/tea', '/s/tea/stylesheets/'],
    [`/comments/${link.slice(3)}`, '/s/tea/stylesheets/'],
    [`/comments/${flaired.slice(3)}`, '/s/tea/stylesheets/'],
  ] as const) {
    const { page, leave } = await sitDown(site)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.goto(address, { waitUntil: 'networkidle' })
    const counted = asked.filter((path) => !/^\/(?:favicon|history\/events)/.test(path))
    t.is(counted.length, 4, asked.join(' '))
    t.true(counted.some((path) => path.startsWith(own)))
    if (address.includes(flaired.slice(3)))
      t.is(await page.evaluate("getComputedStyle(document.querySelector('main .flair-hot')).color"), 'rgb(170, 0, 0)')
    await leave()
  }
})
