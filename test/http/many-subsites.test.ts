import test from 'ava'
import { startTea } from '../support/cast.ts'
import { foundSubsite, names, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'

/** Three relationships with each are more ids than one look-up takes. On servers fewer, of two queries: the stand-in for MongoDB is slow. */
const MANY = servers ? 220 : 334

const { site, ann } = await startTea()
test.after.always(() => site.stop())

test('listings over no subsite are empty pages with any anchor', async (t) => {
  const stranger = await site.register('stranger')
  const link = await submit(ann, 'tea')
  for (const scope of ['/s/mod', '/s/contrib', '/s/friends'])
    for (const sort of ['hot', 'new', 'top', 'top?t=hour', 'top?t=year', 'fun?t=day'])
      for (const paging of ['', `after=${link}`, `before=${link}`, 'after=t3_zzzzzz']) {
        const address = `${scope}/${sort}${sort.includes('?') ? '&' : '?'}${paging}`
        const answer = await stranger.get(address)
        t.is(answer.status, 200, `${address}: ${answer.text}`)
        t.deepEqual(names(answer), [], address)
      }
  for (const address of ['/s/mod/about/log', '/message/moderator', '/message/moderator?after=t4_1', '/subs/mine/moderator']) {
    const answer = await stranger.get(address)
    t.true(answer.status < 500, `${address}: ${answer.text}`)
  }
})

test('an account can moderate, and read links of, more subsites than one look-up takes', async (t) => {
  const busy = await site.register('busy')
  const subsites = Array.from({ length: MANY }, (_, n) => `busy_${n}`)
  const settled = async (name: string) => {
    await foundSubsite(busy, name, { type: 'private' })
    return submit(busy, name)
  }
  const links: string[] = []
  for (let n = 0; n < subsites.length; n += 30) links.push(...(await Promise.all(subsites.slice(n, n + 30).map(settled))))
  const addresses = ['/subs/mine/moderator', '/subs/mine/subscriber', '/message/moderator', '/s/mod/about/log', '/s/mod/top?t=day']
  for (const address of addresses) {
    const answer = await busy.get(address)
    t.is(answer.status, 200, `${address}: ${answer.text}`)
  }
  t.is(names(await busy.get(`/by_id/${links.join(',')}?sr_detail=true`)).length, links.length)
  for (const address of ['/s/mod/hot', '/s/mod/new', '/s/subscribed/new', '/s/mod/top?t=day']) {
    const walked: string[] = []
    for (let after: unknown = ''; after !== null; ) {
      const page = await busy.get(`${address}${address.includes('?') ? '&' : '?'}limit=100&after=${after}`)
      walked.push(...names(page))
      after = page.at('data.after')
    }
    t.deepEqual(walked.toSorted(), links.toSorted(), address)
  }
})
