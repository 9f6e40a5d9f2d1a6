import { sitDown, testInBrowser } from '../support/browser.ts'
import { newcomer, startCast } from '../support/cast.ts'
import { picture } from '../support/pictures.ts'
import { submit } from '../support/posting.ts'

const test = testInBrowser(() => startCast(['bob'], { captcha: false }))

for (const scripts of [false, true])
  test(`with scripts ${scripts ? 'on' : 'off'} a founder makes a subsite, gives it flair, a wiki and a look, and reads its traffic`, async (t) => {
    t.timeout(120_000)
    const { site, bob } = t.context
    const ann = await newcomer(site)
    const name = scripts ? 'green' : 'black'
    const { page, faults, leave } = await sitDown(site, { as: ann, scripts })
    const button = (words: string) => page.getByRole('button', { name: words, exact: true })

    await page.goto('/subsites/create')
    await page.getByLabel('Name').fill(name)
    await page.getByLabel('Title').fill('Tea')
    await page.getByLabel('Text of the sidebar').fill('All about **leaves**')
    await button('Found the subsite').click()
    t.is(new URL(page.url()).pathname, `/s/${name}`)

    await page.getByRole('link', { name: 'Your flair here' }).click()
    await page.getByLabel('Readers choose their own').check()
    await page.getByLabel('Authors choose that of their posts').check()
    await page.locator('form:has(#flair_enabled)').getByRole('button', { name: 'Save' }).click()
    const templates = page.locator('#user-flair')
    await templates.getByLabel('Words of a new one').fill('Brewer')
    await templates.getByRole('button', { name: 'Add it' }).click()
    t.true(await page.locator('#user-flair .badge').getByText('Brewer').isVisible())
    await page.getByLabel('Flair', { exact: true }).selectOption({ label: 'Brewer' })
    await button('Choose it').click()
    t.true(await page.locator('main .card').first().getByText('Brewer').first().isVisible())

    await page.goto(`/s/${name}/about/edit`)
    await page.getByLabel('Everybody', { exact: true }).check()
    await button('See what changes').click()
    await button('Save').click()
    await page.goto(`/s/${name}/wiki/pages`)
    await page.getByLabel('Name').fill('brewing')
    await page.getByLabel('Text').fill('# Water\n\nSoft.')
    await button('Create it').click()
    t.is(new URL(page.url()).pathname, `/s/${name}/wiki/brewing`)
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByLabel('Text').fill('# Water\n\nVery soft.')
    await button('Save').click()
    await page.getByRole('link', { name: 'revisions' }).click()
    await button('Compare them').click()
    t.is(await page.locator('.diff_new').innerText(), '+\tVery soft.')
    await page.getByRole('link', { name: 'revisions' }).click()
    await button('revert to it').click()
    await page.goto(`/s/${name}/wiki/brewing`)
    t.true(await page.getByText('Soft.', { exact: true }).isVisible())

    await page.goto(`/s/${name}/about/stylesheet`)
    await page
      .getByLabel('File')
      .setInputFiles({ name: 'banner.png', mimeType: 'image/png', buffer: await picture({ width: 640, height: 192 }) })
    await page.getByLabel('the banner: 10:3').check()
    await button('Upload it').click()
    t.true(await page.getByAltText('the banner').isVisible())
    await page.getByLabel('CSS').fill('.md { color: #123456 }')
    await button('Preview').click()
    t.true(await page.getByText('It is not saved yet.').isVisible())
    if (scripts)
      t.is(
        await page.evaluate("getComputedStyle(document.querySelector('.note .card > .frame > div').shadowRoot.querySelector('.md')).color"),
        'rgb(18, 52, 86)',
      )
    await button('Save').click()
    await page.goto(`/s/${name}`)
    t.true(await page.getByText(`styled by the moderators of ${name}`).isVisible())

    await submit(bob, name, { title: 'A pot' })
    await page.goto(`/s/${name}/about/traffic`)
    t.is(await page.locator('figure.plot svg').count(), 3)
    t.true(await page.getByText(/; these are from 20\d\d-\d\d-\d\d to 20/).isVisible())
    t.deepEqual(faults, [])
    await leave()
  })
