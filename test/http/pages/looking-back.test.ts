import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { browserOf, htmlProblems } from '../../support/browser-requests.ts'
import { startCast } from '../../support/cast.ts'
import { postForm } from '../../support/community.ts'
import { allNumbered } from '../../support/following.ts'
import { foundSubsite, say, settle, submit } from '../../support/posting.ts'

const { site, ann } = await startCast(['ann'])
test.after.always(() => site.stop())

/** Waits until the second is over, and returns its time as the field of the page sends it. */
const endOfSecond = async (): Promise<string> => {
  await sleep(1_010 - (Date.now() % 1_000))
  return new Date().toISOString().slice(0, 19)
}

const card = async (t: ExecutionContext, thing: string, at: string): Promise<string> => {
  const { status, text } = await browserOf(site).get(`/history/things/${thing}?at=${at}`)
  t.is(status, 200)
  t.deepEqual(await htmlProblems(text), [])
  return /<section class="card">.*?<\/section>/s.exec(text)?.[0] ?? ''
}

test('the history of a comment and of an account shows each as it was at a time', async (t) => {
  const early = await endOfSecond()
  await foundSubsite(ann, 'pots')
  const { id, name } = await site.register('potter')
  const comment = await say(ann, await submit(ann, 'pots'), 'Of *clay* <b>')
  const then = await endOfSecond()
  await endOfSecond()
  await postForm(ann, '/api/editusertext', { thing_id: comment, text: 'Of tin' })
  await endOfSecond()
  await allNumbered(site)
  t.regex(await card(t, comment, early), /It was not there yet/)
  t.regex(await card(t, comment, then), /<p>by ann<\/p>\s*<p class="meta">A text that was replaced or taken away since/)
  t.regex(
    await card(t, comment, new Date().toISOString().slice(0, 19)),
    /<p>by ann <span class="badge">edited<\/span><\/p>\s*<div class="text"><div class="md"><p>Of tin/,
  )
  t.regex(await card(t, id, early), /It was not there yet/)
  t.regex(await card(t, id, then), new RegExp(`<b>${name}</b></p>\\s*<p class="meta">Registered`))
})

test('the history of a subsite shows its title, type and texts as they were at a time', async (t) => {
  const early = await endOfSecond()
  const tea = await foundSubsite(ann, 'tea')
  await settle(ann, tea, { title: 'Green tea', public_description: 'Leaves <b>', description: 'All about *leaves*' })
  const then = await endOfSecond()
  await endOfSecond()
  await settle(ann, tea, { title: 'Black tea', public_description: 'Bags', type: 'restricted', over_18: 'true' })
  await endOfSecond()
  await allNumbered(site)

  const of = (at: string) => card(t, tea, at)
  const green = await of(then)
  for (const words of [
    `As it was at ${then.replace('T', ' ')} UTC`,
    '<b>Green tea</b> <span class="badge">public</span>',
    'Leaves &lt;b&gt;',
    '<em>leaves</em>',
  ])
    t.true(green.includes(words), `${words}: ${green}`)
  t.regex(
    await of(new Date().toISOString().slice(0, 19)),
    /<b>Black tea<\/b> <span class="badge">restricted, over 18<\/span><\/p>\s*<p>Bags</,
  )
  t.regex(await of(early), /It was not there yet/)
  t.is(await of('yesterday'), '', 'what is no time is not looked back at')
})
