import { findingsOf } from '../support/auditing.ts'
import { five, startCast } from '../support/cast.ts'
import { appoint, dataOf, logOf, postForm, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { distinguish, newComment, stick } from '../support/distinguishing.ts'
import { compose, firstMail } from '../support/mail.ts'
import { readThing, refusalOf, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

const told = async (who: Caller, comment: string) =>
  dataOf(await who.get('/message/inbox?limit=100')).filter(({ name }) => name === comment)

test.serial('a moderator can distinguish and undistinguish a comment, each with a log entry', async (t) => {
  const { site, ann, dave } = t.context
  const { name, comment } = await newComment(t.context)
  const own = await submit(ann, name)
  for (const id of [comment, own]) {
    const answer = await distinguish(ann, id, 'yes')
    t.is(answer.at('json.data.things.0.data.name'), id)
    t.is(answer.at('json.data.things.0.data.distinguished'), 'moderator')
    t.is((await readThing(dave, id)).distinguished, 'moderator')
    t.true(await recordsNothing(site, () => distinguish(ann, id, 'yes')))
    t.is((await ann.post('/api/distinguish/no', { id })).at('json.data.things.0.data.distinguished'), null)
    t.is((await readThing(dave, id)).distinguished, null)
  }
  t.deepEqual(await logOf(dave, name), [
    `ann distinguish ${own} remove`,
    `ann distinguish ${own}`,
    `ann distinguish ${comment} remove`,
    `ann distinguish ${comment}`,
  ])
})

test.serial('admins can distinguish as admin or special, without a log entry', async (t) => {
  const { bob, root } = t.context
  const { name, link } = await newComment(t.context)
  const comment = await say(root, link)
  for (const how of ['admin', 'special']) {
    t.is((await distinguish(root, comment, how)).at('json.data.things.0.data.distinguished'), how)
    t.is((await readThing(bob, comment)).distinguished, how)
  }
  await distinguish(root, comment, 'no')
  t.is((await readThing(bob, comment)).distinguished, null)
  t.deepEqual(await logOf(bob, name), [])
})

test.serial('an admin outside the moderation of a subsite can distinguish an own link and remove the mark', async (t) => {
  const { site, bob, root } = t.context
  const { name } = await newComment(t.context)
  const link = await submit(root, name)
  for (const [how, shown] of [
    ['admin', 'admin'],
    ['special', 'special'],
    ['no', null],
  ] as const) {
    t.is((await distinguish(root, link, how)).at('json.data.things.0.data.distinguished'), shown)
    t.is((await readThing(bob, link)).distinguished, shown)
    t.true(await recordsNothing(site, () => distinguish(root, link, how)))
  }
  t.deepEqual(await logOf(bob, name), [])
})

test.serial('of all changes of a mark, each to that of a moderator and the removal of that one are log entries', async (t) => {
  const { bob, root } = t.context
  const { name, link } = await newComment(t.context)
  const ways = ['no', 'yes', 'admin', 'special'] as const
  for (const id of [await submit(root, name), await say(root, link)])
    for (const before of ways)
      for (const after of ways) {
        await distinguish(root, id, before)
        const earlier = await logOf(bob, name)
        await distinguish(root, id, after)
        const made = (await logOf(bob, name)).slice(0, -earlier.length || undefined)
        const entry =
          after === 'yes' ? [`root distinguish ${id}`] : before === 'yes' && after === 'no' ? [`root distinguish ${id} remove`] : []
        t.deepEqual(made, before === after ? [] : entry, `${before} to ${after}`)
      }
})

/** The fullname of a message that somebody has just sent. */
const sentBy = async (who: Caller, to: string): Promise<string> => {
  await compose(who, to)
  return String((await firstMail(who, 'sent'))?.data.name)
}

test.serial('an admin can distinguish an own message as admin or special, and remove the mark', async (t) => {
  const { site, bob, root } = t.context
  const message = await sentBy(root, 'bob')
  const shown = async () => {
    await waitUntilSettled(site)
    return (await firstMail(bob))?.data
  }
  t.like(await shown(), { name: message, distinguished: 'admin' })
  t.true(await recordsNothing(site, () => distinguish(root, message, 'admin')), 'as all messages of admins are')
  for (const [how, distinguished] of [
    ['no', null],
    ['special', 'special'],
    ['admin', 'admin'],
  ] as const) {
    const answer = await distinguish(root, message, how)
    t.like(answer.at('json.data.things.0'), { kind: 't6', data: { name: message, distinguished } })
    t.like(await shown(), { name: message, distinguished })
  }
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial('an admin can distinguish an own message in the mail of a subsite as by a moderator, without a log entry', async (t) => {
  const { site, ann, root } = t.context
  const { name } = await newComment(t.context)
  const message = await sentBy(root, `#${name}`)
  t.is((await distinguish(root, message, 'yes')).at('json.data.things.0.data.distinguished'), 'moderator')
  await waitUntilSettled(site)
  t.like(dataOf(await ann.get(`/s/${name}/about/message/inbox`))[0], { name: message, distinguished: 'moderator' })
  t.deepEqual(await logOf(ann, name), [])
})

test.serial('a message can be distinguished only by its author, who is an admin', async (t) => {
  const { site, ann, bob, root } = t.context
  const { name } = await newComment(t.context)
  const [ofBob, toMods, ofAnn, ofRoot] = [
    await sentBy(bob, 'root'),
    await sentBy(bob, `#${name}`),
    await sentBy(ann, `#${name}`),
    await sentBy(root, 'bob'),
  ]
  t.true(
    await recordsNothing(site, async () => {
      for (const how of ['yes', 'no', 'admin', 'special']) {
        t.is((await distinguish(bob, ofBob, how)).status, 403, how)
        t.is((await distinguish(ann, ofAnn, how)).status, 403, `${how}, although she moderates there`)
        t.is((await distinguish(bob, ofRoot, how)).status, 403, `${how} of an admin`)
        for (const id of [ofBob, toMods]) t.is((await distinguish(root, id, how)).status, 403, `${how} of somebody else`)
      }
    }),
  )
})

test.serial('a private message can neither be distinguished as by a moderator nor be stickied', async (t) => {
  const { site, root } = t.context
  const message = await sentBy(root, 'bob')
  t.true(
    await recordsNothing(site, async () => {
      t.is((await distinguish(root, message, 'yes')).status, 403, 'there is no moderator in a private message')
      t.is((await stick(root, message, 'special')).status, 400, 'nothing to stick it to')
    }),
  )
})

test.serial('the first distinction of a top-level comment puts it into the inbox of the link’s author exactly once', async (t) => {
  const { ann, bob } = t.context
  const { comment } = await newComment(t.context)
  t.is((await told(bob, comment)).length, 0)
  await distinguish(ann, comment, 'yes')
  t.like((await told(bob, comment))[0], { new: true, subject: 'post reply', distinguished: 'moderator' })
  await postForm(bob, '/api/read_message', { id: comment })
  await distinguish(ann, comment, 'no')
  await distinguish(ann, comment, 'yes')
  t.deepEqual(
    (await told(bob, comment)).map((data) => data.new),
    [false],
    'not again',
  )
})

test.serial('an author of a link who wants replies has a distinguished one only once', async (t) => {
  const { ann, bob } = t.context
  const { comment } = await newComment(t.context, true)
  await distinguish(ann, comment, 'yes')
  t.is((await told(bob, comment)).length, 1)
})

test.serial('the distinction of a reply to a comment puts nothing into the inbox of the link’s author', async (t) => {
  const { ann, bob } = t.context
  const { comment } = await newComment(t.context)
  const reply = await say(ann, comment)
  await distinguish(ann, reply, 'yes')
  t.is((await told(bob, reply)).length, 0)
})

test.serial('a distinguished comment is not in the inbox of the link’s author while it is removed', async (t) => {
  const { ann, bob } = t.context
  const { comment } = await newComment(t.context)
  await distinguish(ann, comment, 'yes')
  t.is((await told(bob, comment)).length, 1)
  await postForm(ann, '/api/remove', { id: comment })
  t.is((await told(bob, comment)).length, 0)
  await postForm(ann, '/api/approve', { id: comment })
  t.is((await told(bob, comment)).length, 1)
})

test.serial('nobody but its author can distinguish a thing, not even an admin', async (t) => {
  const { site, ann, root } = t.context
  const { link } = await newComment(t.context)
  t.true(
    await recordsNothing(site, async () => {
      t.is((await distinguish(ann, link, 'yes')).status, 403, 'a moderator')
      t.is((await distinguish(root, link, 'admin')).status, 403, 'an admin')
    }),
  )
})

test.serial('an author who is no admin can distinguish only with the permission posts, and only as a moderator', async (t) => {
  const { site, ann, carol, dave } = t.context
  const { name, link, comment } = await newComment(t.context)
  await appoint(ann, name, carol, '+mail')
  const [ofCarol, ofDave] = [await say(carol, link), await say(dave, link)]
  t.true(
    await recordsNothing(site, async () => {
      t.is((await distinguish(carol, ofCarol, 'yes')).status, 403, 'only with mail')
      for (const how of ['yes', 'no', 'admin', 'special']) t.is((await distinguish(dave, ofDave, how)).status, 403, how)
      for (const how of ['admin', 'special', 'maybe', '']) t.is((await distinguish(ann, comment, how)).status, 403, how)
    }),
  )
})

test.serial('what is unknown, deleted or of a kind without a mark is not found to be distinguished', async (t) => {
  const { site, ann, bob, root } = t.context
  const { link } = await newComment(t.context)
  await postForm(bob, '/api/del', { id: link })
  t.true(
    await recordsNothing(site, async () => {
      for (const id of ['t1_zzzz', 't5_zzzz', 'nonsense', '']) t.is((await distinguish(ann, id, 'yes')).status, 404, id)
      t.is((await distinguish(root, 't6_zzzz', 'admin')).status, 404)
      t.is((await distinguish(bob, link, 'yes')).status, 404, 'deleted')
    }),
  )
})

test.serial('to distinguish needs an account, with the scope modposts or the modhash of its session', async (t) => {
  const { site, ann } = t.context
  const { comment } = await newComment(t.context)
  t.true(
    await recordsNothing(site, async () => {
      for (const caller of [site, await site.appOnly()]) t.is(refusalOf(await distinguish(caller, comment, 'yes')), 'USER_REQUIRED')
      t.is((await distinguish(await ann.withScopes('read', 'edit'), comment, 'yes')).status, 403)
      const { cookie } = await ann.session()
      const withoutModhash = await site.post('/api/distinguish', { id: comment, how: 'yes' }, { Cookie: cookie })
      t.is(withoutModhash.status, 403)
    }),
  )
  t.is(refusalOf(await distinguish(await ann.withScopes('modposts'), comment, 'yes')), '')
})
