import test from 'ava'
import { findingsOf } from '../support/auditing.ts'
import { startCast } from '../support/cast.ts'
import { appoint, dataOf, eventually, logEntries, postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import type { Answer, User } from '../support/site.ts'

const { site, ann, bob, carol, root } = await startCast(['ann', 'bob', 'carol', 'root'])
test.after.always(() => site.stop())

const REMOVED = 60

const idsOf = (page: Answer): readonly unknown[] => dataOf(page).map(({ id }) => id)

/** The names of the log's entries in its order. */
const whole = async (subsite: string): Promise<readonly unknown[]> => idsOf(await site.get(`/s/${subsite}/about/log?limit=500`))

/** Reads the log in pages, from the newest on and then back from the oldest. */
const paged = async (subsite: string, limit: number) => {
  const page = (anchor: string) => site.get(`/s/${subsite}/about/log?limit=${limit}&${anchor}`)
  const [there, back]: [unknown[], unknown[]] = [[], []]
  for (let after: unknown = ''; after !== null && there.length < 500; ) {
    const next = await page(`after=${after}`)
    there.push(...idsOf(next))
    after = next.at('data.after')
  }
  for (let before = there.at(-1); before !== null && back.length < 500; ) {
    const next = await page(`before=${before}`)
    back.unshift(...idsOf(next))
    before = next.at('data.before')
  }
  return { there, back: [...back, there.at(-1)] }
}

const blanked = (subsite: string, words: string) =>
  eventually(async () => !JSON.stringify(await logEntries(ann, subsite, 'limit=500')).includes(words))

const eraseAs = async (who: User) => postForm(root, '/api/erase_user', { name: who.name })

test.serial(
  'entries about what an erased account wrote keep their places: a client that pages reads each once, in the order of the acts',
  async (t) => {
    await foundSubsite(ann, 'stalls')
    const spam = await Promise.all(Array.from({ length: REMOVED }, (_, n) => submit(bob, 'stalls', { title: `cheap goods ${n}` })))
    const kept = await submit(carol, 'stalls', { title: 'a teapot' })
    const reply = await say(bob, kept, 'cheap goods here')
    for (const act of ['remove', 'approve']) await postForm(ann, `/api/${act}`, { id: reply })
    await Promise.all(spam.slice(0, 30).map((id) => postForm(ann, '/api/remove', { id })))
    for (const act of ['lock', 'unlock', 'lock', 'unlock']) await postForm(ann, `/api/${act}`, { id: kept })
    await Promise.all(spam.slice(30).map((id) => postForm(ann, '/api/remove', { id })))
    for (const act of ['approve', 'remove', 'approve', 'marknsfw', 'unmarknsfw']) await postForm(ann, `/api/${act}`, { id: kept })
    await waitUntilSettled(site)
    const before = await whole('stalls')
    t.is(before.length, REMOVED + 11)

    await eraseAs(bob)
    t.true(await blanked('stalls', 'cheap goods'))
    await waitUntilSettled(site)
    t.deepEqual(await whole('stalls'), before)
    for (const limit of [1, 7, 25]) t.deepEqual(await paged('stalls', limit), { there: before, back: before })
    t.deepEqual(await findingsOf(t, site.running), [])
  },
)

test.serial('a moderator who is erased keeps the places of her acts, beside those against her', async (t) => {
  await foundSubsite(ann, 'kettles')
  await appoint(ann, 'kettles', carol, '+all')
  const ban = { type: 'banned', name: 'root', api_type: 'json' }
  for (const note of ['was rude', 'was very rude']) await postForm(carol, '/s/kettles/api/friend', { ...ban, note })
  await postForm(carol, '/s/kettles/api/unfriend', ban)
  await postForm(ann, '/s/kettles/api/unfriend', { type: 'moderator', name: 'carol', api_type: 'json' })
  await waitUntilSettled(site)
  const before = await whole('kettles')
  await eraseAs(carol)
  t.true(await blanked('kettles', 'rude'))
  await waitUntilSettled(site)
  t.deepEqual(await whole('kettles'), before)
  t.deepEqual(await paged('kettles', 2), { there: before, back: before })
})
