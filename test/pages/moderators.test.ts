import { sitDown, testInBrowser } from '../support/browser.ts'
import { startTea } from '../support/cast.ts'
import { appoint, eventually, logEntries, postForm } from '../support/community.ts'
import { submit } from '../support/posting.ts'
import type { User } from '../support/site.ts'

const test = testInBrowser(async () => {
  const cast = await startTea(['carol'])
  await appoint(cast.ann, 'tea', cast.bob, '+posts')
  return cast
})

/** Links by bob that carol has reported, the newest last. */
const reported = async ({ ann, bob }: { readonly ann: User; readonly bob: User }, count: number): Promise<readonly string[]> => {
  const links: string[] = []
  for (let n = 0; n < count; n += 1) links.push(await submit(bob, 'tea', { title: `Advert ${links.length}` }))
  for (const id of links) await postForm(ann, '/api/report', { thing_id: id, reason: 'advert' })
  return links
}

/** Takes everything out of the queue, so that each test begins with its own. */
const clear = async (ann: User): Promise<void> => {
  const waiting = (await ann.get('/s/tea/about/modqueue?limit=100')).at('data.children') as readonly {
    readonly data: { readonly name: string }
  }[]
  for (const { data } of waiting) await postForm(ann, '/api/approve', { id: data.name })
}

const queue = '/s/tea/about/modqueue'
const actsOn = async (reader: User, id: string): Promise<readonly string[]> =>
  (await logEntries(reader, 'tea', `target=${id}`)).map(({ mod, action }) => `${mod} ${action}`)

test('a full queue is worked through by keys, each act is undone or sent, and none is sent twice', async (t) => {
  const { site, ann } = t.context
  await clear(ann)
  const links = await reported(t.context, 6)
  const { page, faults, leave } = await sitDown(site, { as: ann })
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
  await page.goto(queue)
  const shown = await page.locator('.queued').evaluateAll((cards) => cards.map(({ id }) => id))
  t.deepEqual(shown.toSorted(), links.toSorted())
  const card = (at: number) => page.locator('.queued').nth(at)
  const isHere = async (at: number) => (await card(at).getAttribute('class'))?.includes('here')

  t.true(await isHere(0))
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await page.keyboard.press('a')
  t.true(await page.locator('.undo').isVisible())
  t.true(await isHere(1), 'the next card is the current one')
  await page.keyboard.press('z')
  t.true(await page.locator('.undo').isHidden())
  t.true(await isHere(0))
  t.deepEqual(sent, [], 'nothing was sent that was undone')

  await page.keyboard.press('r')
  await Promise.all([page.waitForResponse(/\/api\/remove\?/), page.keyboard.press('a')])
  t.deepEqual(await actsOn(ann, String(shown[0])), ['ann removelink'], 'the next act sends the one before')
  await page.locator('.count b', { hasText: /^5$/ }).waitFor()
  await page.getByLabel('Search').fill('jr')
  await page.getByLabel('Search').press('s')
  t.is(await page.getByLabel('Search').inputValue(), 'jrs')
  await page.getByLabel('Search').blur()
  await page.keyboard.press('Control+s')
  await page.keyboard.press('?')
  await page.keyboard.press('r')
  t.is(await page.locator('.queued.done').count(), 2, 'keys do nothing in fields, with Ctrl, and once they are off')
  t.is(await page.locator('.queued kbd:visible').count(), 0)
  await page.keyboard.press('?')
  await page.keyboard.press('x')
  t.true(await card(2).getByRole('checkbox').isChecked())
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByRole('button', { name: 'Remove the chosen' }).click()
  await page.waitForURL(`**${queue}`)
  await page.getByText('Advert').first().waitFor()
  t.is(await page.locator('.queued').count(), 2)
  t.deepEqual(await actsOn(ann, String(shown[1])), ['ann approvelink'], 'a form that leaves the page sends what waits')
  t.deepEqual(await actsOn(ann, String(shown[3])), ['ann removelink'])

  await page.keyboard.press('s')
  await page.getByRole('link', { name: 'mod log' }).click()
  await page.locator('.entry', { hasText: 'as spam' }).first().waitFor()
  t.is(sent.filter((path) => path === '/api/remove').length, 2)
  t.deepEqual(faults, [])
  await leave()
})

test('without scripts a queue is worked through by buttons, one by one and several at once', async (t) => {
  const { site, ann } = t.context
  await clear(ann)
  const links = await reported(t.context, 4)
  const { page, faults, leave } = await sitDown(site, { as: ann, scripts: false })
  await page.goto(queue)
  const card = (id: string | undefined) => page.locator(`#${id}`)
  await card(links[0]).getByRole('button', { name: 'Approve' }).click()
  await card(links[1]).waitFor()
  t.is(await card(links[0]).count(), 0)
  for (const id of links.slice(1, 3)) await card(id).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Mark the chosen as spam' }).click()
  await card(links[3]).waitFor()
  t.is(await page.locator('.queued').count(), 1)
  await page.getByRole('button', { name: 'Approve the chosen' }).click()
  t.true((await page.getByRole('alert').innerText()).includes('Nothing was chosen'))
  for (const id of links.slice(1, 3)) t.deepEqual(await actsOn(ann, String(id)), ['ann removelink'])
  t.deepEqual(faults, [])
  await leave()
})

test('two moderators at once decide nothing twice, and each sees what the other did', async (t) => {
  const { site, ann, bob } = t.context
  await clear(ann)
  const [first = '', second = ''] = await reported(t.context, 2)
  const one = await sitDown(site, { as: ann })
  const other = await sitDown(site, { as: bob })
  const plain = await sitDown(site, { as: bob, scripts: false })
  const streamed = other.page.waitForResponse(/about\/log$/)
  for (const { page } of [one, other, plain]) await page.goto(queue)
  await streamed

  await one.page.locator(`#${first}`).getByRole('button', { name: 'Remove' }).click()
  await Promise.all([
    one.page.waitForResponse(/\/api\/remove\?/),
    one.page.locator(`#${second}`).getByRole('button', { name: 'Approve' }).click(),
  ])
  const told = other.page.locator(`#${first}`).getByRole('alert')
  await told.waitFor()
  t.is(await told.innerText(), 'ann removed this.')
  await plain.page.locator(`#${first}`).getByRole('button', { name: 'Approve' }).click()
  t.regex(await plain.page.getByRole('alert').first().innerText(), /ann/)
  t.deepEqual(await actsOn(ann, first), ['ann removelink'])

  await one.page.goto('/s/tea')
  t.true(await eventually(async () => (await actsOn(ann, second)).includes('ann approvelink')), 'leaving the page sends')
  for (const { faults, leave } of [one, other, plain]) {
    t.deepEqual(faults, [])
    await leave()
  }
})
