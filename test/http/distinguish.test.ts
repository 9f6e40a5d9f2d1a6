import anyTest, { type TestFn } from 'ava'
import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, logOf, unchanged } from '../support/community.ts'
import { found, refusalOf, say, submit, thing } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

const test = anyTest as TestFn<Five>

test.before(async (t) => {
  t.context = await startCast(five)
})
test.after.always((t) => t.context.site.stop())

let named = 0
/** A subsite of ann's with a post of bob's, who wants no replies in his inbox, and a comment of hers under it. */
const scene = async ({ ann, bob }: Five, sendreplies = false) => {
  const name = `said${named++}`
  await found(ann, name)
  const link = await submit(bob, name, { sendreplies })
  const comment = await say(ann, link, 'As I said')
  return { name, link, comment }
}

const distinguish = (who: Caller, id: string, how: string) => who.post('/api/distinguish', { id, how, api_type: 'json' })
const told = async (who: Caller, comment: string) =>
  dataOf(await who.get('/message/inbox?limit=100')).filter(({ name }) => name === comment)

test.serial('a moderator speaks as such, and is plain again: an entry each', async (t) => {
  const { site, ann, dave } = t.context
  const { name, comment } = await scene(t.context)
  const own = await submit(ann, name)
  for (const id of [comment, own]) {
    const answer = await distinguish(ann, id, 'yes')
    t.is(answer.at('json.data.things.0.data.name'), id)
    t.is(answer.at('json.data.things.0.data.distinguished'), 'moderator')
    t.is((await thing(dave, id)).distinguished, 'moderator')
    t.true(await unchanged(site, () => distinguish(ann, id, 'yes')))
    t.is((await ann.post('/api/distinguish/no', { id })).at('json.data.things.0.data.distinguished'), null)
    t.is((await thing(dave, id)).distinguished, null)
  }
  t.deepEqual(await logOf(dave, name), [
    `ann distinguish ${own} remove`,
    `ann distinguish ${own}`,
    `ann distinguish ${comment} remove`,
    `ann distinguish ${comment}`,
  ])
})

test.serial('admins speak as such or specially, which is no entry', async (t) => {
  const { bob, root } = t.context
  const { name, link } = await scene(t.context)
  const comment = await say(root, link)
  for (const how of ['admin', 'special']) {
    t.is((await distinguish(root, comment, how)).at('json.data.things.0.data.distinguished'), how)
    t.is((await thing(bob, comment)).distinguished, how)
  }
  await distinguish(root, comment, 'no')
  t.is((await thing(bob, comment)).distinguished, null)
  t.deepEqual(await logOf(bob, name), [])
})

test.serial('the first time, a top-level comment is in the inbox of the link’s author exactly once', async (t) => {
  const { ann, bob } = t.context
  const { comment, link } = await scene(t.context)
  t.is((await told(bob, comment)).length, 0)
  await distinguish(ann, comment, 'yes')
  t.like((await told(bob, comment))[0], { new: true, subject: 'post reply', distinguished: 'moderator' })
  await done(bob, '/api/read_message', { id: comment })
  await distinguish(ann, comment, 'no')
  await distinguish(ann, comment, 'yes')
  t.deepEqual(
    (await told(bob, comment)).map((data) => data.new),
    [false],
    'not again',
  )
  const reply = await say(ann, comment)
  await distinguish(ann, reply, 'yes')
  t.is((await told(bob, reply)).length, 0, 'not a reply to a comment')
  await done(ann, '/api/remove', { id: comment })
  t.is((await told(bob, comment)).length, 0)
  await done(ann, '/api/approve', { id: comment })
  t.is((await told(bob, comment)).length, 1, link)
  const wanted = await scene(t.context, true)
  await distinguish(ann, wanted.comment, 'yes')
  t.is((await told(bob, wanted.comment)).length, 1, 'who wants replies has it already')
})

test.serial('distinguish is for authors with posts there, and admins', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  const { name, link, comment } = await scene(t.context)
  await appoint(ann, name, carol, '+mail')
  const [ofCarol, ofDave] = [await say(carol, link), await say(dave, link)]
  t.true(
    await unchanged(site, async () => {
      t.is((await distinguish(ann, link, 'yes')).status, 403, 'of somebody else')
      t.is((await distinguish(root, link, 'admin')).status, 403, 'also for an admin')
      t.is((await distinguish(carol, ofCarol, 'yes')).status, 403, 'only with mail')
      for (const how of ['yes', 'no', 'admin', 'special']) t.is((await distinguish(dave, ofDave, how)).status, 403, how)
      for (const how of ['admin', 'special', 'maybe', '']) t.is((await distinguish(ann, comment, how)).status, 403, how)
      for (const id of ['t1_zzzz', 't5_zzzz', 'nonsense', '']) t.is((await distinguish(ann, id, 'yes')).status, 404, id)
      for (const caller of [site, await site.appOnly()]) t.is(refusalOf(await distinguish(caller, comment, 'yes')), 'USER_REQUIRED')
      t.is((await distinguish(await ann.withScopes('read', 'edit'), comment, 'yes')).status, 403)
      const { cookie } = await ann.session()
      t.is(
        (await site.post('/api/distinguish', { id: comment, how: 'yes' }, { Cookie: cookie })).status,
        403,
        'a session without its modhash',
      )
    }),
  )
  t.is(refusalOf(await distinguish(await ann.withScopes('modposts'), comment, 'yes')), '')
  await done(bob, '/api/del', { id: link })
  t.is((await distinguish(bob, link, 'yes')).status, 404, 'deleted')
})
