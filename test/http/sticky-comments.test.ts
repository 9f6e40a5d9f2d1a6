import { findingsOf } from '../support/auditing.ts'
import { five, startCast } from '../support/cast.ts'
import { eventually, logOf, postForm, recordsNothing } from '../support/community.ts'
import { distinguish, newComment, stick } from '../support/distinguishing.ts'
import { readThing, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

/** The top-level comments of a thread in order, and those of them that are stickied. */
const top = async (reader: Caller, link: string, query = '') => {
  const page = await reader.get(`/comments/${link.slice(3)}${query}`)
  const comments = (page.at('1.data.children') as readonly { readonly data: Record<string, unknown> }[]).map(({ data }) => data)
  return { order: comments.map(({ name }) => name), stickied: comments.filter(({ stickied }) => stickied).map(({ name }) => name) }
}

test.serial('a stickied comment is first in every sort and stickied in lists, and fills a thread of one comment', async (t) => {
  const { site, ann, bob, carol, dave } = t.context
  const { link, comment } = await newComment(t.context)
  const liked = await say(bob, link, 'Liked')
  for (const voter of [ann, carol, dave]) await postForm(voter, '/api/vote', { id: liked, dir: 1 })
  const answer = await stick(ann, comment)
  t.like(answer.at('json.data.things.0.data'), { name: comment, distinguished: 'moderator', stickied: true })
  for (const sort of ['top', 'new', 'old', 'confidence', 'random', 'qa']) {
    const { order, stickied } = await top(dave, link, `?sort=${sort}`)
    t.deepEqual([order[0], stickied], [comment, [comment]], sort)
  }
  t.deepEqual(await top(site, link, '?limit=1&showmore=false'), { order: [comment], stickied: [comment] })
  t.true((await readThing(bob, comment)).stickied)
})

test.serial('a stickied comment shows its score to moderators only, and its replies are left out', async (t) => {
  const { ann, carol, dave } = t.context
  const { link, comment } = await newComment(t.context)
  const reply = await say(carol, comment, 'below')
  await stick(ann, comment)
  const page = await dave.get(`/comments/${link.slice(3)}`)
  t.like(page.at('1.data.children.0.data'), { score_hidden: true, score: 1, ups: 1, downs: 0 })
  t.deepEqual(page.at('1.data.children.0.data.replies.data.children.0.data.children'), [reply.slice(3)])
  t.false((await ann.get(`/comments/${link.slice(3)}`)).at('1.data.children.0.data.score_hidden'))
})

test.serial(
  'a comment that is stickied replaces the one before it, both with log entries; stickying it again changes nothing',
  async (t) => {
    const { site, ann, dave } = t.context
    const { name, link, comment } = await newComment(t.context)
    const second = await say(ann, link, 'Second')
    await stick(ann, comment)
    t.true(await recordsNothing(site, () => stick(ann, comment)))
    await stick(ann, second)
    t.deepEqual((await top(dave, link)).stickied, [second])
    t.deepEqual(await logOf(dave, name), [
      `ann sticky ${second}`,
      `ann unsticky ${comment} replaced`,
      `ann distinguish ${second}`,
      `ann sticky ${comment}`,
      `ann distinguish ${comment}`,
    ])
  },
)

test.serial('a comment that is distinguished without sticky, or no longer distinguished, is not stickied', async (t) => {
  const { ann, dave } = t.context
  const { name, link, comment } = await newComment(t.context)
  const stickied = async () => (await top(dave, link)).stickied
  await stick(ann, comment)
  await distinguish(ann, comment, 'yes')
  t.deepEqual(await stickied(), [])
  await stick(ann, comment)
  t.deepEqual(await stickied(), [comment])
  await stick(ann, comment, 'no')
  t.deepEqual(await stickied(), [])
  t.is((await logOf(dave, name))[0], `ann unsticky ${comment}`)
})

test.serial('a stickied comment that is removed or deleted is unstickied, and stays so when it is approved', async (t) => {
  const { ann, dave } = t.context
  const { name, link, comment } = await newComment(t.context)
  await say(dave, comment, 'keeps its place')
  await stick(ann, comment)
  await postForm(ann, '/api/remove', { id: comment, spam: 'false' })
  t.true(await eventually(async () => (await logOf(dave, name))[0] === `ann unsticky ${comment}`))
  await postForm(ann, '/api/approve', { id: comment })
  t.deepEqual((await top(dave, link)).stickied, [])
  await stick(ann, comment)
  t.deepEqual((await top(dave, link)).stickied, [comment])
  const before = await logOf(dave, name)
  await postForm(ann, '/api/del', { id: comment })
  const other = await say(ann, link, 'Other')
  t.true(await eventually(async () => (await top(dave, link)).stickied.length === 0))
  await stick(ann, other)
  t.deepEqual(await logOf(dave, name), [`ann sticky ${other}`, `ann distinguish ${other}`, ...before], 'nothing of the deletion')
})

test.serial('only a top-level comment can be sticky, and only with the permission to distinguish', async (t) => {
  const { site, ann, dave, root } = t.context
  const { name, link, comment } = await newComment(t.context)
  const own = await submit(ann, name)
  const [reply, ofDave, removed] = [await say(ann, comment), await say(dave, link), await say(ann, link)]
  await postForm(ann, '/api/remove', { id: removed, spam: 'false' })
  t.true(
    await recordsNothing(site, async () => {
      const refused = async (who: Caller, id: string) => {
        const answer = await stick(who, id)
        return `${answer.status} ${answer.at('reason')}`
      }
      t.is(await refused(ann, reply), '400 COMMENT_NOT_STICKYABLE')
      t.is(await refused(ann, removed), '400 COMMENT_NOT_STICKYABLE')
      t.is((await stick(ann, own)).status, 400, 'a link')
      t.is((await stick(dave, ofDave)).status, 403)
      t.is((await stick(ann, ofDave)).status, 403, 'of somebody else')
    }),
  )
  const official = await say(root, link, 'Official')
  t.like((await stick(root, official, 'admin')).at('json.data.things.0.data'), { distinguished: 'admin', stickied: true })
})

test.serial('votes on a stickied comment change its score and no karma', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { link, comment } = await newComment(t.context)
  const other = await say(ann, link, 'Other')
  const karma = async () => Number((await bob.get('/user/ann/about')).at('data.comment_karma'))
  const ups = async () => Number(((await ann.get(`/api/info?id=${comment}`)).at('data.children.0.data') as { ups: number }).ups)
  const before = await karma()
  await postForm(bob, '/api/vote', { id: comment, dir: 1 })
  t.is(await karma(), before + 2)
  await stick(ann, comment)
  await postForm(carol, '/api/vote', { id: comment, dir: 1 })
  await postForm(bob, '/api/vote', { id: comment, dir: 11 })
  t.deepEqual([await karma(), await ups()], [before + 2, 2])
  await postForm(carol, '/api/vote', { id: other, dir: 1 })
  t.is(await karma(), before + 4, 'others earn as before')
  await distinguish(ann, comment, 'no')
  await postForm(bob, '/api/vote', { id: comment, dir: -1 })
  t.deepEqual([await karma(), await ups()], [before + 5, 2])
  t.deepEqual(await findingsOf(t, site.running), [])
})
