import test from 'ava'
import { joinSite, startTea } from '../support/cast.ts'
import { foundSubsite, names, readThing, refusalOf, say, submit } from '../support/posting.ts'
import type { User } from '../support/site.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

const vote = (who: User, id: string, dir: number | string) => who.post('/api/vote', { id, dir })

const marksOf = async (who: User, id: string) => {
  const { likes, dislikes, ups, downs, score } = await readThing(who, id)
  return { likes, dislikes, ups, downs, score }
}

const karmaOf = async (who: User) => {
  const { link_karma, comment_karma } = (await who.get('/api/v1/me')).body as {
    readonly link_karma: number
    readonly comment_karma: number
  }
  return { link_karma, comment_karma }
}

const ways: Readonly<Record<string, readonly number[]>> = { none: [], insightful: [1], funny: [-1], both: [1, -1] }
const after: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  none: { 1: 'insightful', [-1]: 'funny', 11: 'none', [-11]: 'none', 0: 'none' },
  insightful: { 1: 'insightful', [-1]: 'both', 11: 'none', [-11]: 'insightful', 0: 'none' },
  funny: { 1: 'both', [-1]: 'funny', 11: 'funny', [-11]: 'none', 0: 'none' },
  both: { 1: 'both', [-1]: 'both', 11: 'funny', [-11]: 'insightful', 0: 'none' },
}

for (const [state, moves] of Object.entries(after)) {
  test(`from ${state} each direction leads to the marks of the table, on links and comments`, async (t) => {
    const author = await site.register(`author_${state}`)
    const link = await submit(author, 'tea')
    for (const [dir, expected] of Object.entries(moves)) {
      for (const id of [await submit(author, 'tea'), await say(author, link)]) {
        for (const step of ways[state] ?? []) await vote(bob, id, step)
        const answer = await vote(bob, id, dir)
        t.deepEqual([answer.status, answer.text], [200, '{}'])
        const [u, d] = [expected === 'insightful' || expected === 'both', expected === 'funny' || expected === 'both']
        t.deepEqual(await marksOf(bob, id), {
          likes: u || null,
          dislikes: d || null,
          ups: 1 + Number(u),
          downs: Number(d),
          score: 2 + 2 * Number(u) + Number(d),
        })
      }
    }
  })
}

test('votes give the author karma of the kind of the thing, and taking them back removes it', async (t) => {
  const { karma_author: author } = await joinSite(site, 'karma_author')
  const [link, self] = [await submit(author, 'tea', { url: 'http://example.com/karma' }), await submit(author, 'tea')]
  const comment = await say(author, self)
  for (const id of [link, self, comment]) for (const dir of [1, -1, 1]) await vote(bob, id, dir)
  t.deepEqual(await karmaOf(author), { link_karma: 6, comment_karma: 3 })
  await vote(bob, comment, 11)
  await vote(bob, link, -11)
  t.deepEqual(await karmaOf(author), { link_karma: 5, comment_karma: 1 })
  await vote(bob, comment, 1)
  t.deepEqual(await karmaOf(author), { link_karma: 5, comment_karma: 3 })
})

test('votes on one’s own things count, but give no karma', async (t) => {
  const { self_voter: author } = await joinSite(site, 'self_voter')
  const link = await submit(author, 'tea')
  await vote(author, link, 11)
  t.deepEqual(await marksOf(author, link), { likes: null, dislikes: null, ups: 0, downs: 0, score: 0 })
  await vote(author, link, 1)
  await vote(author, link, -1)
  t.deepEqual(await marksOf(author, link), { likes: true, dislikes: true, ups: 1, downs: 1, score: 3 })
  t.deepEqual(await karmaOf(author), { link_karma: 1, comment_karma: 0 })
})

for (const dir of ['', '2', '20', '1.0', 'up', '-2'])
  test(`dir ${JSON.stringify(dir)} is a bad request`, async (t) => {
    const link = await submit(ann, 'tea')
    const refused = await vote(bob, link, dir)
    t.deepEqual([refused.status, refused.at('fields')], [400, ['dir']])
    t.like(await marksOf(bob, link), { likes: null, dislikes: null, ups: 1, downs: 0 })
  })

test('a missing thing is 404, one that takes no votes 400, and both come before the direction', async (t) => {
  const link = await submit(bob, 'tea')
  const comment = await say(bob, link)
  await bob.post('/api/del', { id: comment })
  await bob.post('/api/del', { id: link })
  for (const id of ['t5_zzzz', 't1_zzzz', 'nonsense', '', link, comment]) t.is((await vote(ann, id, 7)).status, 404, id)
  for (const id of [bob.id, 't6_zzzz', 't4_1']) t.is((await vote(ann, id, 1)).status, 400, id)
})

test('outsiders cannot vote in a private subsite', async (t) => {
  await foundSubsite(ann, 'private_votes', { type: 'private' })
  const link = await submit(ann, 'private_votes')
  t.is((await vote(bob, link, 1)).status, 403)
  await ann.post('/s/private_votes/api/friend', { type: 'contributor', name: 'bob' })
  t.is((await vote(bob, link, 1)).status, 200)
  t.is((await readThing(ann, link)).ups, 2)
})

test('a banned account can vote, and votes do not restore a removed thing', async (t) => {
  await foundSubsite(ann, 'votes_strict')
  await ann.post('/s/votes_strict/api/friend', { type: 'banned', name: 'bob' })
  const link = await submit(ann, 'votes_strict')
  await ann.post('/api/remove', { id: link })
  t.is((await vote(bob, link, 1)).status, 200)
  t.is((await readThing(ann, link)).ups, 2)
  t.deepEqual(names(await ann.get('/s/votes_strict/top')), [])
})

test('concurrent identical votes count once; contradictory ones leave one state with matching counts', async (t) => {
  const link = await submit(ann, 'tea')
  await Promise.all(Array.from({ length: 32 }, () => vote(bob, link, 1)))
  t.like(await marksOf(bob, link), { likes: true, ups: 2 })
  const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => vote(bob, link, [1, 11, -1, -11][n % 4] ?? 1)))
  t.deepEqual(
    answers.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
  )
  const { likes, dislikes, ups, downs, score } = await marksOf(bob, link)
  t.deepEqual([ups, downs], [1 + Number(likes === true), Number(dislikes === true)])
  t.is(score, 2 * Number(ups) + Number(downs))
})

test('upvoted and downvoted list links by the time of the first vote, to their owner only', async (t) => {
  const { lister: voter } = await joinSite(site, 'lister')
  const [one, two, three] = [await submit(ann, 'tea'), await submit(ann, 'tea'), await submit(ann, 'tea')]
  const comment = await say(ann, one)
  for (const id of [one, two, three, comment]) await vote(voter, id, 1)
  await vote(voter, two, -1)
  await vote(voter, one, 11)
  await vote(voter, one, 1)
  t.deepEqual(names(await voter.get('/user/lister/upvoted')), [three, two, one])
  t.deepEqual(names(await voter.get('/user/lister/downvoted')), [two])
  await vote(voter, three, 11)
  t.deepEqual(names(await voter.get('/user/lister/upvoted')), [two, one])
  t.is((await ann.get('/user/lister/upvoted')).status, 403)
  t.is((await site.get('/user/lister/downvoted')).status, 403)
})

test('a vote changes the rankings at once', async (t) => {
  await foundSubsite(ann, 'ranks')
  const [first, second] = [await submit(ann, 'ranks'), await submit(ann, 'ranks')]
  t.deepEqual(names(await site.get('/s/ranks/top')), [second, first])
  await vote(bob, first, 1)
  for (const sort of ['hot', 'top', 'insightful']) t.deepEqual(names(await bob.get(`/s/ranks/${sort}`)), [first, second], sort)
  await vote(bob, second, -1)
  t.deepEqual(names(await bob.get('/s/ranks/fun')), [second, first])
  t.deepEqual(names(await bob.get('/s/ranks/new')), [second, first])
})

test('rank is recorded or ignored, never refused', async (t) => {
  const link = await submit(ann, 'tea')
  for (const rank of ['5', '1', '-3', 'x']) t.is((await bob.post('/api/vote', { id: link, dir: 1, rank })).status, 200)
  t.is((await readThing(bob, link)).ups, 2)
  t.is(refusalOf(await site.post('/api/vote', { id: link, dir: 1 })), 'USER_REQUIRED')
})
