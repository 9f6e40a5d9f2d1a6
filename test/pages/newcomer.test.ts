import { sitDown, testInBrowser } from '../support/browser.ts'
import { startCast } from '../support/cast.ts'

const test = testInBrowser(() => startCast([]))

for (const scripts of [false, true])
  test(`a newcomer registers, founds a subsite, posts, comments, votes, moderates and reads the log, with scripts ${scripts ? 'on' : 'off'}`, async (t) => {
    const { site } = t.context
    const { page, faults, leave } = await sitDown(site, { scripts })
    const name = scripts ? 'pots' : 'cups'
    const button = (words: string) => page.getByRole('button', { name: words })
    const link = (words: string) => page.getByRole('link', { name: words, exact: true })

    await page.goto('/')
    await link('Register').click()
    await page.getByLabel('Username').fill(`newcomer_${name}`)
    await page.getByLabel('Password', { exact: true }).fill('a pot of tea')
    await page.getByLabel('Password again').fill('a pot of coffee')
    await button('Register').click()
    t.is(await page.getByLabel('Username').inputValue(), `newcomer_${name}`, 'a mistake loses nothing but the passwords')
    await page.getByLabel('Password', { exact: true }).fill('a pot of tea')
    await page.getByLabel('Password again').fill('a pot of tea')
    await button('Register').click()
    await page.waitForURL(`${site.url}/`)

    await link('subsites').click()
    await link('Found a subsite').click()
    await page.getByLabel('Name').fill('no good name')
    await page.getByLabel('Title').fill('Pots and cups')
    await button('Found the subsite').click()
    t.is(await page.getByLabel('Title').inputValue(), 'Pots and cups')
    t.is(await page.getByLabel('Name').getAttribute('aria-invalid'), 'true')
    await page.getByLabel('Name').fill(name)
    await button('Found the subsite').click()
    await page.waitForURL(`${site.url}/s/${name}`)
    t.is(await page.locator('.place a').innerText(), 'Pots and cups')

    await link('Submit').click()
    await page.getByLabel('A text').check()
    await page.getByLabel('Title').fill('Which clay?')
    await page.getByLabel('Text', { exact: true }).fill('I have *two* kinds.')
    await button('Post').click()
    await page.waitForURL(/\/comments\/\w+\/which_clay\/$/)
    t.is(await page.locator('.post em').innerText(), 'two')

    await page.getByLabel('Your comment').fill('Red clay.')
    await button('Send').click()
    const comment = page.locator('article.comment')
    t.true((await comment.innerText()).includes('Red clay.'))
    await comment.getByRole('button', { name: 'funny' }).click()
    await comment.locator('button.funny[aria-pressed=true]').waitFor()
    await page.reload()
    t.is(await comment.locator('button.funny').getAttribute('aria-pressed'), 'true', 'the vote was given')

    await link('queue').last().click()
    await link('unmoderated').click()
    await page.locator('.queued', { hasText: 'Which clay?' }).getByRole('button', { name: 'Approve' }).click()
    await link('mod log').click()
    await page.locator('.entry', { hasText: 'approved' }).waitFor()
    t.regex(await page.locator('.entry').first().innerText(), new RegExp(`^newcomer_${name} approved the link ‘Which clay\\?’`))
    t.deepEqual(faults, [])
    await leave()
  })
