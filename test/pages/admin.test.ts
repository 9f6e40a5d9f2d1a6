import { reactionQueue } from '../../src/reactions/queue.ts'
import { sitDown, testInBrowser } from '../support/browser.ts'
import { startTea } from '../support/cast.ts'
import { say, submit } from '../support/posting.ts'

const test = testInBrowser(() => startTea(['root'], { logLevel: 'fatal' }))

for (const scripts of [false, true])
  test(`an admin suspends an account and reads why reactions wait, grants credits, erases a comment and reads the log, with scripts ${scripts ? 'on' : 'off'}`, async (t) => {
    const { site, bob, root } = t.context
    const noisy = await site.register(`noisy_${scripts ? 'pots' : 'cups'}`)
    const link = await submit(bob, 'tea', { title: `A kettle ${scripts}` })
    const secret = await say(noisy, link, 'somebody’s address')
    const { page, faults, leave } = await sitDown(site, { as: root, scripts })
    const button = (words: string) => page.getByRole('button', { name: words, exact: true })
    const linkTo = (words: string) => page.getByRole('link', { name: words, exact: true })

    await page.goto('/')
    await linkTo('admin').click()
    await page.getByText('Ready.').waitFor()
    await page.getByText('None: everything that follows from an act is done.').waitFor()
    t.is(await page.getByRole('row', { name: 'Requests' }).count(), 1)

    await linkTo('accounts').click()
    await page.getByLabel('Username').fill(noisy.name.toUpperCase())
    await button('Find').click()
    await page.getByLabel('Days').fill('0')
    await page.getByLabel('Why').fill('adverts')
    await button('Suspend it').click()
    t.is(await page.getByLabel('Days').getAttribute('aria-invalid'), 'true')
    t.is(await page.getByLabel('Why').inputValue(), 'adverts', 'a mistake loses nothing')
    await page.getByLabel('Days').fill('3')
    await button('Suspend it').click()
    await page.getByText('Saved.').waitFor()
    await page.getByText('It is suspended until').waitFor()
    t.is((await noisy.post('/api/submit', { sr: 'tea', kind: 'self', title: 'More', api_type: 'json' })).status, 403)
    const queue = reactionQueue(site.running.stores.vault)
    const id = `00000000-0000-5000-8000-00000000000${Number(scripts)}`
    await queue.put({
      id,
      type: 'LinkRemoved',
      stream: `link-${link}`,
      revision: 0,
      position: '0',
      error: 'no kettle',
      tries: 1_000,
      since: Date.now(),
    })
    await linkTo('the service').click()
    await page.getByText('1 event waits for what follows from it.').waitFor()
    t.regex(await page.locator('.entry.stern').first().innerText(), new RegExp(`^LinkRemoved in link-${link}: .+`))
    await linkTo(`link-${link}`).click()
    await page.getByRole('heading', { name: `History of the link ‘A kettle ${scripts}’` }).waitFor()
    await queue.remove({ id })
    await page.goto(`/admin/accounts?name=${noisy.name}`)
    await button('Lift the suspension').click()
    await page.getByText('A suspended account reads').waitFor()
    await page.getByLabel('Credits').fill('5')
    await button('Grant them').click()
    await page.getByText('5 credits').waitFor()

    await page.goto(`/comments/${link.slice(3)}`)
    const comment = page.locator('article.comment', { hasText: 'somebody’s address' })
    await comment.getByRole('link', { name: 'more' }).click()
    await page.getByRole('link', { name: 'Erase it for good…' }).click()
    await page.getByText('It cannot be undone.').waitFor()
    await page.getByLabel('Why').fill('ordered by a court')
    await button('Erase it for good').click()
    await page.locator(`#${secret}`, { hasText: '[erased]' }).waitFor()

    await linkTo('Admin').click()
    await linkTo('log of the site').click()
    const said = await page.locator('.entry').allInnerTexts()
    t.regex(said[0] ?? '', new RegExp(`^root granted ${noisy.name} 5 credits`))
    t.regex(said[1] ?? '', new RegExp(`^root lifted the suspension of ${noisy.name}`))
    t.regex(said[2] ?? '', new RegExp(`^root suspended ${noisy.name} until`))
    t.deepEqual(faults, [])
    await leave()
  })
