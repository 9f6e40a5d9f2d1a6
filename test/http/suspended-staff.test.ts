import { startTea } from '../support/cast.ts'
import { appoint, done, settled, unchanged } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { found, submit } from '../support/posting.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['moe', 'root', 'rex'], { admins: ['root', 'rex', 'rob'] }))

test.serial('a suspended moderator neither reads nor marks the mail that moderators share', async (t) => {
  const { site, ann, bob, moe, root } = t.context
  await appoint(ann, 'tea', moe, '+mail')
  await compose(bob, '#tea', 'a question')
  const id = String((await firstMail(bob, 'sent'))?.data.name)
  await settled(site)
  const conversation = `/message/messages/${id.slice('t6_'.length)}`
  t.is((await moe.get(conversation)).status, 200)
  await done(moe, '/api/read_message', { id })
  await done(moe, '/api/collapse_message', { id })

  await done(root, '/api/suspend_user', { name: 'moe', duration: 3 })
  await settled(site)
  t.is((await moe.get(conversation)).status, 403)
  t.true(
    await unchanged(site, async () => {
      for (const path of ['/api/unread_message', '/api/uncollapse_message']) await moe.post(path, { id })
    }),
  )
  t.is((await ann.get(conversation)).status, 200)
  await done(ann, '/api/unread_message', { id })
})

test.serial('the account record of a suspended moderator shows neither unread mail of subsites nor a filled queue', async (t) => {
  const { site, ann, bob, root } = t.context
  const dora = await site.register('dora')
  await appoint(ann, 'tea', dora, '+mail,+posts')
  await compose(bob, '#tea', 'another question')
  await done(bob, '/api/report', { thing_id: await submit(ann, 'tea'), reason: 'rude' })
  await settled(site)
  const counters = async () => {
    const { body } = await dora.get('/api/v1/me')
    return body as Readonly<Record<string, unknown>>
  }
  t.like(await counters(), { is_mod: true, has_mod_mail: true })
  t.true(Number((await counters()).mod_queue_count) > 0)
  await done(root, '/api/suspend_user', { name: 'dora', duration: 3 })
  await settled(site)
  t.like(await counters(), { is_mod: true, has_mod_mail: false, mod_queue_count: 0 })
})

test.serial('a suspended admin can neither erase others nor read their mail', async (t) => {
  const { site, bob, rex, root } = t.context
  await submit(bob, 'tea')
  await compose(bob, 'ann', 'between us')
  const conversation = `/message/messages/${String((await firstMail(bob, 'sent'))?.data.id)}`
  await settled(site)
  t.is((await rex.get(conversation)).status, 200)
  t.is((await rex.get('/message/reported')).status, 200)

  await done(root, '/api/suspend_user', { name: 'rex', duration: 3 })
  t.true(
    await unchanged(site, async () => {
      const refused = await rex.post('/api/erase_user', { name: 'bob', api_type: 'json' })
      t.is(refused.at('json.errors.0.0') ?? refused.at('reason'), 'IN_TIMEOUT')
    }),
  )
  t.is((await rex.get(conversation)).status, 403)
  t.is((await rex.get('/message/reported')).at('reason'), 'IN_TIMEOUT')
})

test.serial('an admin has no authority while suspended, also over pages read before', async (t) => {
  const { ann, site } = t.context
  const [root, rob] = [t.context.root, await site.register('rob')]
  await found(ann, 'closed', { type: 'private' })
  const path = 'user/ann/m/hers'
  const model = JSON.stringify({ subreddits: [{ name: 'tea' }], visibility: 'private' })
  t.is((await ann.request('POST', `/api/multi/${path}`, { form: { model } })).status, 201)
  await settled(site)
  const reads = ['/s/closed/about', '/s/closed/new', `/api/multi/${path}`, `/${path}`, '/user/ann/saved', '/s/closed/about/edit']
  const statuses = async () => Promise.all(reads.map(async (read) => (await rob.get(read)).status))
  // twice, since what is asked for again is cached
  for (const _ of [1, 2]) t.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200])

  await done(root, '/api/suspend_user', { name: 'rob', duration: 3 })
  t.deepEqual(await statuses(), [403, 403, 404, 404, 403, 403])
  t.true(
    await unchanged(site, async () => {
      t.is((await rob.post('/api/subscribe', { action: 'sub', sr: 'closed' })).status, 403)
      t.is((await rob.post('/api/multi/copy', { from: path, to: 'user/rob/m/copied' })).at('reason'), 'MULTI_NOT_FOUND')
    }),
  )

  await done(root, '/api/unsuspend_user', { name: 'rob' })
  t.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200])
})
