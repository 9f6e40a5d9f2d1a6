import { type Cast, startTea } from '../support/cast.ts'
import { appoint, postForm, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { foundSubsite, submit } from '../support/posting.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['moe', 'root'], { admins: ['root', 'rae', 'ray', 'rex', 'rob'] }))

test.serial('a suspended moderator neither reads nor marks the mail that moderators share', async (t) => {
  const { site, ann, bob, moe, root } = t.context
  await appoint(ann, 'tea', moe, '+mail')
  await compose(bob, '#tea', 'a question')
  const id = String((await firstMail(bob, 'sent'))?.data.name)
  await waitUntilSettled(site)
  const conversation = `/message/messages/${id.slice('t6_'.length)}`
  t.is((await moe.get(conversation)).status, 200)
  await postForm(moe, '/api/read_message', { id })
  await postForm(moe, '/api/collapse_message', { id })

  await postForm(root, '/api/suspend_user', { name: 'moe', duration: 3 })
  await waitUntilSettled(site)
  t.is((await moe.get(conversation)).status, 403)
  t.true(
    await recordsNothing(site, async () => {
      for (const path of ['/api/unread_message', '/api/uncollapse_message']) await moe.post(path, { id })
    }),
  )
  t.is((await ann.get(conversation)).status, 200)
  await postForm(ann, '/api/unread_message', { id })
})

test.serial('the account record of a suspended moderator shows neither unread mail of subsites nor a filled queue', async (t) => {
  const { site, ann, bob, root } = t.context
  const dora = await site.register('dora')
  await appoint(ann, 'tea', dora, '+mail,+posts')
  await compose(bob, '#tea', 'another question')
  await postForm(bob, '/api/report', { thing_id: await submit(ann, 'tea'), reason: 'rude' })
  await waitUntilSettled(site)
  const counters = async () => {
    const { body } = await dora.get('/api/v1/me')
    return body as Readonly<Record<string, unknown>>
  }
  t.like(await counters(), { is_mod: true, has_mod_mail: true })
  t.true(Number((await counters()).mod_queue_count) > 0)
  await postForm(root, '/api/suspend_user', { name: 'dora', duration: 3 })
  await waitUntilSettled(site)
  t.like(await counters(), { is_mod: true, has_mod_mail: false, mod_queue_count: 0 })
})

test.serial('a suspended admin cannot erase others', async (t) => {
  const { site, bob, root } = t.context
  const rex = await site.register('rex')
  await submit(bob, 'tea')
  await postForm(root, '/api/suspend_user', { name: 'rex', duration: 3 })
  t.true(
    await recordsNothing(site, async () => {
      const refused = await rex.post('/api/erase_user', { name: 'bob', api_type: 'json' })
      t.is(refused.at('json.errors.0.0') ?? refused.at('reason'), 'IN_TIMEOUT')
    }),
  )
})

test.serial('a suspended admin reads neither the mail of others nor what of it was reported', async (t) => {
  const { site, bob, root } = t.context
  const ray = await site.register('ray')
  await compose(bob, 'ann', 'between us')
  const conversation = `/message/messages/${String((await firstMail(bob, 'sent'))?.data.id)}`
  await waitUntilSettled(site)
  t.is((await ray.get(conversation)).status, 200)
  t.is((await ray.get('/message/reported')).status, 200)

  await postForm(root, '/api/suspend_user', { name: 'ray', duration: 3 })
  t.is((await ray.get(conversation)).status, 403)
  t.is((await ray.get('/message/reported')).at('reason'), 'IN_TIMEOUT')
})

/** A new admin, and a private subsite and a private multi of ann's. */
const adminAmongSecrets = async ({ site, ann }: Cast<'ann'>, name: string) => {
  const admin = await site.register(name)
  const [closed, multi] = [`closed_${name}`, `user/ann/m/for_${name}`]
  await foundSubsite(ann, closed, { type: 'private' })
  await postForm(ann, `/api/multi/${multi}`, { model: JSON.stringify({ subreddits: [{ name: 'tea' }], visibility: 'private' }) })
  await waitUntilSettled(site)
  return { admin, closed, multi }
}

test.serial('an admin sees what only admins see, except while suspended, also of pages read before', async (t) => {
  const { root } = t.context
  const { admin, closed, multi } = await adminAmongSecrets(t.context, 'rob')
  const reads = [`/s/${closed}/about`, `/s/${closed}/new`, `/api/multi/${multi}`, `/${multi}`, '/user/ann/saved', `/s/${closed}/about/edit`]
  const statuses = async () => Promise.all(reads.map(async (read) => (await admin.get(read)).status))
  // twice, since what is asked for again is cached
  for (const _ of [1, 2]) t.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200])

  await postForm(root, '/api/suspend_user', { name: 'rob', duration: 3 })
  t.deepEqual(await statuses(), [403, 403, 404, 404, 403, 403])

  await postForm(root, '/api/unsuspend_user', { name: 'rob' })
  t.deepEqual(await statuses(), [200, 200, 200, 200, 200, 200])
})

test.serial('a suspended admin can neither subscribe to a private subsite nor copy a private multi', async (t) => {
  const { site, root } = t.context
  const { admin, closed, multi } = await adminAmongSecrets(t.context, 'rae')
  // read before, since what is asked for again is cached
  for (const path of [`/s/${closed}/about`, `/api/multi/${multi}`]) t.is((await admin.get(path)).status, 200, path)
  await postForm(root, '/api/suspend_user', { name: 'rae', duration: 3 })
  t.true(
    await recordsNothing(site, async () => {
      t.is((await admin.post('/api/subscribe', { action: 'sub', sr: closed })).status, 403)
      t.is((await admin.post('/api/multi/copy', { from: multi, to: 'user/rae/m/copied' })).at('reason'), 'MULTI_NOT_FOUND')
    }),
  )
})
