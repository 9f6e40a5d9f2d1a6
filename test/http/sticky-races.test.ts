import { findingsOf } from '../support/auditing.ts'
import { logOf, waitUntilSettled } from '../support/community.ts'
import { type Crowded, crowd, noFaults, recordedOn, startCrowded } from '../support/crowd.ts'
import { stick } from '../support/distinguishing.ts'
import { interpose } from '../support/interpose.ts'
import { readThing, refusalOf, say, submit } from '../support/posting.ts'
import type { Answer } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(startCrowded)

/** A link of bob's, a comment of ann's on it, and the moderation log of both. */
const scene = async ({ ann, bob }: Crowded) => {
  const link = await submit(bob, 'tea')
  const comment = await say(ann, link)
  const entries = async () => (await logOf(ann, 'tea')).filter((entry) => entry.includes(comment) || entry.includes(link)).toReversed()
  return { link, comment, entries }
}

test.serial('a comment removed between being distinguished and stickied stays distinguished, and the request succeeds', async (t) => {
  const { site, ann, mods } = t.context
  const { comment, entries } = await scene(t.context)
  interpose(site, 'after', 'comment', () => mods[1]?.post('/api/remove', { id: comment, spam: false }) as Promise<unknown>)
  const answer = await stick(ann, comment)
  t.is(refusalOf(answer), '')
  t.like(answer.at('json.data.things.0.data'), { name: comment, distinguished: 'moderator', stickied: false })
  t.deepEqual(await entries(), [`ann distinguish ${comment}`, `mod_1 removecomment ${comment} remove`])
})

test.serial('a comment deleted between being distinguished and stickied is not stickied, and the request succeeds', async (t) => {
  const { site, ann } = t.context
  const { comment, entries } = await scene(t.context)
  interpose(site, 'after', 'comment', () => ann.post('/api/del', { id: comment }))
  t.is(refusalOf(await stick(ann, comment)), '')
  t.deepEqual(await entries(), [`ann distinguish ${comment}`])
})

test.serial('a comment made plain before it is stickied, by another request of its author, is not stickied', async (t) => {
  const { site, ann } = t.context
  for (const before of ['no', 'yes']) {
    const { comment, entries } = await scene(t.context)
    const plain = () => ann.post('/api/distinguish', { id: comment, how: 'no', api_type: 'json' })
    await ann.post('/api/distinguish', { id: comment, how: before, api_type: 'json' })
    const earlier = await entries()
    if (before === 'no') interpose(site, 'after', 'comment', plain)
    else interpose(site, 'before', 'stickycomment', plain)
    t.is(refusalOf(await stick(ann, comment)), '')
    t.like(await readThing(ann, comment), { distinguished: null, stickied: false }, before)
    const made = (await entries()).slice(earlier.length)
    t.deepEqual(made.slice(0, 1), [`ann distinguish ${comment}${before === 'no' ? '' : ' remove'}`])
    t.is(made.filter((entry) => entry.includes(' sticky ')).length, made.filter((entry) => entry.includes(' unsticky ')).length)
  }
})

test.serial('a comment removed before the decision to distinguish and sticky it is refused without an entry', async (t) => {
  const { site, ann, mods } = t.context
  for (const how of ['yes', 'no']) {
    const { comment, entries } = await scene(t.context)
    interpose(site, 'before', 'comment', () => mods[1]?.post('/api/remove', { id: comment, spam: false }) as Promise<unknown>)
    const answer = await stick(ann, comment, how)
    t.deepEqual([answer.status, answer.at('reason')], [400, 'COMMENT_NOT_STICKYABLE'])
    t.deepEqual(await entries(), [`mod_1 removecomment ${comment} remove`])
  }
})

test.serial('a comment on a link that is locked, removed or deleted meanwhile is distinguished and stickied', async (t) => {
  const { site, ann, bob } = t.context
  for (const moment of ['before', 'after'] as const)
    for (const path of ['lock', 'remove', 'del']) {
      const { link, comment, entries } = await scene(t.context)
      interpose(site, moment, 'comment', () => (path === 'del' ? bob : ann).post(`/api/${path}`, { id: link }))
      const answer = await stick(ann, comment)
      t.like(answer.at('json.data.things.0.data'), { distinguished: 'moderator', stickied: true }, `${moment} ${path}`)
      const own = (await entries()).filter((entry) => entry.includes(comment))
      t.deepEqual(own, [`ann distinguish ${comment}`, `ann sticky ${comment}`], `${moment} ${path}`)
    }
})

/** A link with a comment of each moderator. */
const thread = async ({ bob, mods }: Crowded) => {
  const link = await submit(bob, 'tea')
  return { link, own: await Promise.all(mods.map(async (mod) => ({ mod, comment: await say(mod, link) }))) }
}

test.serial('of requests to sticky comments that are removed meanwhile, those refused make no entry and the others do', async (t) => {
  const { site, ann, mods } = t.context
  for (const order of [1, 21, 43]) {
    const threads = await Promise.all([1, 2, 3, 4].map(() => thread(t.context)))
    const own = threads.flatMap((one) => one.own)
    const answered = new Map<string, Answer>()
    const acts = own.flatMap(({ mod, comment }, n) => {
      const judge = (path: string) => () => (mods[(n + 1) % mods.length] ?? ann).post(`/api/${path}`, { id: comment })
      const asked = async () => {
        const answer = await stick(mod, comment)
        answered.set(comment, answer)
        return answer
      }
      return [asked, judge('remove'), judge('approve'), judge('approve')]
    })
    noFaults(t, await crowd(acts.map((_, n) => acts[(n * order) % acts.length] as () => Promise<Answer>)))
    await waitUntilSettled(site)
    const entries = await logOf(ann, 'tea')
    for (const { mod, comment } of own) {
      const answer = answered.get(comment)
      const made = entries.filter((entry) => entry === `${mod.name} distinguish ${comment}` || entry === `${mod.name} sticky ${comment}`)
      if (answer?.status === 200) t.true(made.includes(`${mod.name} distinguish ${comment}`), answer.text)
      else t.deepEqual([answer?.at('reason'), made], ['COMMENT_NOT_STICKYABLE', []])
      const recorded = (await recordedOn(t.context, `comment-${comment}`)).slice(1)
      t.is(entries.filter((entry) => entry.includes(comment) && !entry.includes('sticky')).length, recorded.length)
    }
    for (const { link, own: comments } of threads) {
      const recorded = await recordedOn(t.context, `stickycomment-${link}`)
      const ids = comments.map(({ comment }) => comment)
      t.is(entries.filter((entry) => / (un)?sticky /.test(entry) && ids.some((id) => entry.includes(id))).length, recorded.length)
      const last = recorded.at(-1)
      const leads = last?.type === 'CommentStickied' ? (last.data.target as { readonly id: string }).id : undefined
      const shown = await Promise.all(ids.map((id) => readThing(ann, id)))
      const stickied = shown.filter((data) => data.stickied === true)
      t.deepEqual(
        stickied.map(({ name, banned_by }) => [name, banned_by]),
        leads === undefined ? [] : [[leads, null]],
      )
    }
  }
})

test.serial('after concurrent commands the read models match the log', async (t) => {
  t.deepEqual(await findingsOf(t, t.context.site.running), [])
})
