import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, dataOf, logOf, postForm, recordsNothing } from '../support/community.ts'
import { queue, report } from '../support/mod-queues.ts'
import { names, readThing, refusalOf, settle } from '../support/posting.ts'
import { newThread } from '../support/scenes.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const people = [...five, 'eve'] as const
const test = testOn(() => startCast(people))

const reportsOn = async (who: Caller, id: string) => {
  const { num_reports, user_reports, mod_reports } = await readThing(who, id)
  return [num_reports, user_reports, mod_reports]
}

test.serial('a report and its reasons are visible to the moderators only', async (t) => {
  const { ann, bob, carol, dave, root } = t.context
  const { name, link, comment } = await newThread(t.context)
  await appoint(ann, name, carol, '+mail')
  const first = await report(dave, link, { reason: 'rude' })
  t.is(first.text, '{"json":{"errors":[]}}')
  await report(bob, link, { reason: 'other', other_reason: 'my own' })
  await report(carol, comment, { reason: 'site_reason_selected', site_reason: 'spam' })
  t.deepEqual(await queue(ann, name, 'reports'), [comment, link])
  t.deepEqual(await queue(ann, name, 'modqueue'), [comment, link])
  const reasons = [
    ['rude', 1],
    ['my own', 1],
  ]
  t.deepEqual(await reportsOn(ann, link), [2, reasons, []])
  t.deepEqual(await reportsOn(ann, comment), [1, [], [['spam', 'carol']]])
  t.deepEqual(await reportsOn(root, link), [2, reasons, []])
  for (const other of [bob, carol, dave]) t.deepEqual(await reportsOn(other, link), [null, [], []], 'only with posts')
  t.deepEqual(
    await logOf(ann, name),
    [`carol acceptmoderatorinvite`, `ann invitemoderator ${carol.id}`],
    'a report is no act of moderation',
  )
})

test.serial('only the first report of an account on a thing counts', async (t) => {
  const { site, ann, dave } = t.context
  const { name, link } = await newThread(t.context)
  await report(dave, link, { reason: 'rude' })
  t.true(await recordsNothing(site, () => report(dave, link, { reason: 'worse' })))
  t.deepEqual(await reportsOn(ann, link), [1, [['rude', 1]], []])
  await postForm(ann, '/api/approve', { id: link })
  t.deepEqual(await reportsOn(ann, link), [0, [], []])
  t.true(await recordsNothing(site, () => report(dave, link, { reason: 'again' })))
  t.deepEqual(await queue(ann, name, 'reports'), [])
})

test.serial('a reported thing is hidden from the reporter, except for moderators and admins', async (t) => {
  const { ann, bob, carol, dave, root } = t.context
  const { name, link, comment } = await newThread(t.context)
  await appoint(ann, name, carol, '+mail')
  const listed = async (reader: Caller) => names(await reader.get(`/s/${name}/new`))
  const said = async (reader: Caller) => names(await reader.get(`/user/bob/comments?limit=100`)).includes(comment)
  for (const reporter of [dave, carol, root]) {
    await report(reporter, link)
    await report(reporter, comment)
  }
  t.deepEqual(await listed(dave), [])
  t.is((await readThing(dave, link)).hidden, true)
  t.false(await said(dave))
  t.true(names(await dave.get('/user/bob/comments?limit=100&show=all')).includes(comment))
  for (const reader of [ann, bob, carol, root]) {
    t.deepEqual(await listed(reader), [link])
    t.true(await said(reader))
  }
  await postForm(dave, '/api/unhide', { id: link })
  t.deepEqual(await listed(dave), [link])
})

test.serial('a comment that a report hid is collapsed in the threads of its reporter, until it is unhidden', async (t) => {
  const { ann, dave } = t.context
  const { link, comment } = await newThread(t.context)
  const collapsed = async (reader: Caller) => (await reader.get(`/comments/${link.slice(3)}`)).at('1.data.children.0.data.collapsed')
  t.false(await collapsed(dave))
  for (const reporter of [dave, ann]) await report(reporter, comment)
  t.true(await collapsed(dave))
  t.false(await collapsed(ann), 'a moderator')
  await postForm(dave, '/api/unhide', { id: comment })
  t.false(await collapsed(dave))
})

test.serial('reports by a banned account are ignored without an error', async (t) => {
  const { ann, dave } = t.context
  const { name, link } = await newThread(t.context)
  await postForm(ann, `/s/${name}/api/friend`, { type: 'banned', name: 'dave' })
  t.is((await report(dave, link)).text, '{"json":{"errors":[]}}')
  t.deepEqual(await reportsOn(ann, link), [0, [], []])
  t.deepEqual(await queue(ann, name, 'modqueue'), [])
  t.is((await readThing(dave, link)).hidden, true)
})

test.serial('a report of a missing thing, with a long reason or without permission is refused', async (t) => {
  const { site, ann, bob, dave, eve } = t.context
  const { name, link, comment } = await newThread(t.context)
  await postForm(bob, '/api/del', { id: comment })
  t.true(
    await recordsNothing(site, async () => {
      for (const id of [comment, 't5_zzzz', 't1_zzzz', 't6_zzzz', 't2_1', 'nonsense', '']) t.is(refusalOf(await report(dave, id)), '', id)
      for (const field of ['reason', 'site_reason', 'other_reason'])
        t.is(refusalOf(await report(dave, link, { [field]: 'x'.repeat(101) })), `TOO_LONG ${field}`)
      t.is(refusalOf(await report(site, link)), 'USER_REQUIRED')
      t.is(refusalOf(await report(await site.appOnly(), link)), 'USER_REQUIRED')
      t.is((await report(await dave.withScopes('read', 'save'), link)).status, 403)
      const { cookie } = await dave.session()
      t.is((await site.post('/api/report', { thing_id: link }, { Cookie: cookie })).status, 403, 'a session without its modhash')
    }),
  )
  t.is(refusalOf(await report(await dave.withScopes('report'), link, { reason: 'x'.repeat(100) })), '')
  t.is((await (await bob.session()).post('/api/report', { id: link })).status, 200, 'an own thing, by the other name of the parameter')
  t.is((await reportsOn(ann, link))[0], 2)
  await settle(ann, String((await ann.get(`/s/${name}/about`)).at('data.name')), { type: 'private' })
  t.is((await report(eve, link)).status, 403, 'in a private subsite')
})

test.serial('a report on a removed thing changes no queue', async (t) => {
  const { ann, dave } = t.context
  const { name, link } = await newThread(t.context)
  await postForm(ann, '/api/remove', { id: link })
  await report(dave, link)
  t.is((await reportsOn(ann, link))[0], 0)
  t.deepEqual(await queue(ann, name, 'reports'), [])
  await postForm(ann, '/api/approve', { id: link })
  t.deepEqual(await queue(ann, name, 'reports'), [])
})

for (const which of ['link', 'comment'] as const) {
  test.serial(`reports of a ${which} that are ignored are counted but queue nothing, also once they are no longer ignored`, async (t) => {
    const { ann, dave } = t.context
    const { name, ...things } = await newThread(t.context)
    const id = things[which]
    await postForm(ann, '/api/ignore_reports', { id })
    await report(dave, id)
    t.deepEqual(await queue(ann, name, 'modqueue'), [])
    t.is((await reportsOn(ann, id))[0], 1)
    await postForm(ann, '/api/unignore_reports', { id })
    t.deepEqual(await queue(ann, name, 'modqueue'), [])
  })

  test.serial(`an edit of a ${which} ends that its reports are ignored; ignoring them again takes nothing out of the queue`, async (t) => {
    const { ann, bob, carol } = t.context
    const { name, ...things } = await newThread(t.context)
    const id = things[which]
    await postForm(ann, '/api/ignore_reports', { id })
    await postForm(bob, '/api/editusertext', { thing_id: id, text: 'changed' })
    await report(carol, id)
    t.deepEqual(await queue(ann, name, 'modqueue'), [id])
    await postForm(ann, '/api/ignore_reports', { id })
    t.deepEqual(await queue(ann, name, 'modqueue'), [id])
  })

  test.serial(`ignoring reports of a ${which} or not are log entries; repeating it, or on a deleted one, changes nothing`, async (t) => {
    const { site, ann, bob } = t.context
    const { name, ...things } = await newThread(t.context)
    const id = things[which]
    for (const act of ['ignore_reports', 'unignore_reports']) {
      t.is((await ann.post(`/api/${act}`, { id })).text, '{}')
      t.true(await recordsNothing(site, () => postForm(ann, `/api/${act}`, { id })), act)
    }
    await postForm(ann, '/api/ignore_reports', { id })
    await postForm(bob, '/api/del', { id })
    t.true(await recordsNothing(site, () => postForm(ann, '/api/unignore_reports', { id })))
    const log = ['ignorereports', 'unignorereports', 'ignorereports'].map((action) => `ann ${action} ${id}`)
    t.deepEqual(await logOf(bob, name), log)
  })
}

for (const path of ['/api/ignore_reports', '/api/unignore_reports'])
  test.serial(`${path} is allowed to moderators with the permission posts there and to admins only`, async (t) => {
    const { site, ann, bob, carol, dave, root } = t.context
    const { name, link } = await newThread(t.context)
    await appoint(ann, name, carol, '+mail,+config')
    t.true(
      await recordsNothing(site, async () => {
        for (const caller of [site, await site.appOnly(), bob, carol, dave]) t.is((await caller.post(path, { id: link })).status, 403)
        t.is((await (await ann.withScopes('read')).post(path, { id: link })).status, 403)
        for (const id of ['t5_zzzz', 'nonsense', '']) t.is((await ann.post(path, { id })).status, 403, id)
        const { cookie } = await ann.session()
        t.is((await site.post(path, { id: link }, { Cookie: cookie })).status, 403, 'a session without its modhash')
      }),
    )
    t.is((await (await root.withScopes('modposts')).post(path, { id: link })).text, '{}')
  })

test.serial('a message has no reports to ignore: for moderators with posts nothing happens, others are refused', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name } = await newThread(t.context)
  await appoint(ann, name, carol, '+mail')
  const send = async (to: string): Promise<string> => {
    await postForm(bob, '/api/compose', { to, subject: 'tea', text: 'please' })
    return String(dataOf(await bob.get('/message/sent?limit=1'))[0]?.name)
  }
  const [toModerators, toAnn] = [await send(`/s/${name}`), await send('ann')]
  t.true(
    await recordsNothing(site, async () => {
      for (const path of ['/api/ignore_reports', '/api/unignore_reports']) {
        const answer = await ann.post(path, { id: toModerators })
        t.deepEqual([answer.status, answer.text], [200, '{}'])
        for (const other of [bob, carol]) t.is((await other.post(path, { id: toModerators })).status, 403)
        t.is((await ann.post(path, { id: toAnn })).status, 403, 'of no subsite')
      }
    }),
  )
})

/** A message of bob's to dave, and his mail to ann and carol, who moderate a new subsite. */
const rudeMail = async (cast: Five) => {
  const { ann, bob, carol, dave } = cast
  const { name } = await newThread(cast)
  await appoint(ann, name, carol, '+mail')
  for (const to of ['dave', `/s/${name}`]) await postForm(bob, '/api/compose', { to, subject: 'hello', text: 'rude words' })
  const [message = ''] = names(await dave.get('/message/inbox'))
  const mail = async (reader: Caller) => names(await reader.get(`/s/${name}/about/message/inbox`))
  return { message, id: (await mail(ann))[0] ?? '', mail }
}

test.serial('a message can be reported by its recipient, mail to moderators by one of them, once', async (t) => {
  const { site, ann, bob, dave } = t.context
  const { message, id } = await rudeMail(t.context)
  t.true(
    await recordsNothing(site, async () => {
      t.is((await report(ann, message)).status, 403)
      t.is((await report(bob, message)).status, 403)
      t.is((await report(dave, id)).status, 403)
    }),
  )
  t.is(refusalOf(await report(dave, message, { reason: 'rude' })), '')
  t.true(await recordsNothing(site, () => report(dave, message)))
})

test.serial('a reported message is hidden from the reporter only', async (t) => {
  const { ann, bob, carol, dave } = t.context
  const { message, id, mail } = await rudeMail(t.context)
  await report(dave, message)
  t.false(names(await dave.get('/message/inbox')).includes(message))
  t.true(names(await bob.get('/message/sent')).includes(message))
  await report(ann, id)
  t.false((await mail(ann)).includes(id))
  t.true((await mail(carol)).includes(id))
})

test.serial('reported messages are listed with their reports, the latest first, for admins only', async (t) => {
  const { site, ann, dave, root } = t.context
  const { message, id } = await rudeMail(t.context)
  await report(dave, message, { reason: 'rude' })
  await report(ann, id)
  const shown = await root.get('/message/reported?limit=2')
  t.deepEqual(names(shown), [id, message])
  t.deepEqual(
    dataOf(shown).map(({ num_reports, user_reports }) => [num_reports, user_reports]),
    [
      [1, [[null, 1]]],
      [1, [['rude', 1]]],
    ],
  )
  for (const caller of [site, ann, dave]) t.is((await caller.get('/message/reported')).status, 403)
})
