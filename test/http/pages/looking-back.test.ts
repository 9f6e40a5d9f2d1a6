import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { browserOf, htmlProblems } from '../../support/browser-requests.ts'
import { startCast } from '../../support/cast.ts'
import { allNumbered } from '../../support/following.ts'
import { foundSubsite, settle } from '../../support/posting.ts'

const { site, ann } = await startCast(['ann'])
test.after.always(() => site.stop())

/** Waits until the second is over, and returns its time as the field of the page sends it. */
const endOfSecond = async (): Promise<string> => {
  await sleep(1_010 - (Date.now() % 1_000))
  return new Date().toISOString().slice(0, 19)
}

test('the history of a subsite shows its title, type and texts as they were at a time', async (t) => {
  const early = await endOfSecond()
  const tea = await foundSubsite(ann, 'tea')
  await settle(ann, tea, { title: 'Green tea', public_description: 'Leaves <b>', description: 'All about *leaves*' })
  const then = await endOfSecond()
  await endOfSecond()
  await settle(ann, tea, { title: 'Black tea', public_description: 'Bags', type: 'restricted', over_18: 'true' })
  await endOfSecond()
  await allNumbered(site)

  const card = async (at: string): Promise<string> => {
    const { status, text } = await browserOf(site).get(`/history/things/${tea}?at=${at}`)
    t.is(status, 200)
    t.deepEqual(await htmlProblems(text), [])
    return /<section class="card">.*?<\/section>/s.exec(text)?.[0] ?? ''
  }
  const green = await card(then)
  for (const words of [
    `As it was at ${then.replace('T', ' ')} UTC`,
    '<b>Green tea</b> <span class="badge">public</span>',
    'Leaves &lt;b&gt;',
    '<em>leaves</em>',
  ])
    t.true(green.includes(words), `${words}: ${green}`)
  t.regex(
    await card(new Date().toISOString().slice(0, 19)),
    /<b>Black tea<\/b> <span class="badge">restricted, over 18<\/span><\/p>\s*<p>Bags</,
  )
  t.regex(await card(early), /It was not there yet/)
  t.is(await card('yesterday'), '', 'what is no time is not looked back at')
})
