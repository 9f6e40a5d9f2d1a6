import anyTest, { type TestFn } from 'ava'
import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, logOf, unchanged } from '../support/community.ts'
import { found, names, refusalOf, say, settle, submit, thing } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const test = anyTest as TestFn<Five>

test.before(async (t) => {
  t.context = await startCast(five)
})
test.after.always((t) => t.context.site.stop())

let named = 0
/** A subsite of ann's with a post of bob's and a comment of his under it. */
const scene = async ({ ann, bob }: Five, settings: Parameters<typeof found>[2] = {}) => {
  const name = `queue${named++}`
  const subsite = await found(ann, name, settings)
  const link = await submit(bob, name, { title: 'A title', text: 'A text' })
  const comment = await say(bob, link, 'A comment')
  return { name, subsite, link, comment }
}

const report = (who: Caller, thing_id: string, fields: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  who.post('/api/report', { thing_id, api_type: 'json', ...fields })
const queue = async (who: Caller, name: string, location: string, query = ''): Promise<readonly string[]> =>
  names(await who.get(`/s/${name}/about/${location}${query}`))
const reportsOn = async (who: Caller, id: string) => {
  const { num_reports, user_reports, mod_reports } = await thing(who, id)
  return [num_reports, user_reports, mod_reports]
}
const queues = ['reports', 'spam', 'modqueue', 'unmoderated', 'edited'] as const

test.serial('a report and its reasons are visible to the moderators only', async (t) => {
  const { ann, bob, carol, dave, root } = t.context
  const { name, link, comment } = await scene(t.context)
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
  const { name, link } = await scene(t.context)
  await report(dave, link, { reason: 'rude' })
  t.true(await unchanged(site, () => report(dave, link, { reason: 'worse' })))
  t.deepEqual(await reportsOn(ann, link), [1, [['rude', 1]], []])
  await done(ann, '/api/approve', { id: link })
  t.deepEqual(await reportsOn(ann, link), [0, [], []])
  t.true(await unchanged(site, () => report(dave, link, { reason: 'again' })))
  t.deepEqual(await queue(ann, name, 'reports'), [])
})

test.serial('a reported thing is hidden from the reporter, except for moderators and admins', async (t) => {
  const { ann, bob, carol, dave, root } = t.context
  const { name, link, comment } = await scene(t.context)
  await appoint(ann, name, carol, '+mail')
  const listed = async (reader: Caller) => names(await reader.get(`/s/${name}/new`))
  const said = async (reader: Caller) => names(await reader.get(`/user/bob/comments?limit=100`)).includes(comment)
  for (const reporter of [dave, carol, root]) {
    await report(reporter, link)
    await report(reporter, comment)
  }
  t.deepEqual(await listed(dave), [])
  t.is((await thing(dave, link)).hidden, true)
  t.false(await said(dave))
  t.true(names(await dave.get('/user/bob/comments?limit=100&show=all')).includes(comment))
  for (const reader of [ann, bob, carol, root]) {
    t.deepEqual(await listed(reader), [link])
    t.true(await said(reader))
  }
  await done(dave, '/api/unhide', { id: link })
  t.deepEqual(await listed(dave), [link])
})

test.serial('reports by a banned account are ignored without an error', async (t) => {
  const { ann, dave } = t.context
  const { name, link } = await scene(t.context)
  await done(ann, `/s/${name}/api/friend`, { type: 'banned', name: 'dave' })
  t.is((await report(dave, link)).text, '{"json":{"errors":[]}}')
  t.deepEqual(await reportsOn(ann, link), [0, [], []])
  t.deepEqual(await queue(ann, name, 'modqueue'), [])
  t.is((await thing(dave, link)).hidden, true)
})

test.serial('a report of a missing thing, with a long reason or without permission is refused', async (t) => {
  const { site, ann, bob, dave } = t.context
  const { name, link, comment } = await scene(t.context)
  await done(bob, '/api/del', { id: comment })
  t.true(
    await unchanged(site, async () => {
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
  t.is((await report(await t.context.site.register('eve'), link)).status, 403, 'in a private subsite')
})

test.serial('a report on a removed thing changes no queue', async (t) => {
  const { ann, dave } = t.context
  const { name, link } = await scene(t.context)
  await done(ann, '/api/remove', { id: link })
  await report(dave, link)
  t.is((await reportsOn(ann, link))[0], 0)
  t.deepEqual(await queue(ann, name, 'reports'), [])
  await done(ann, '/api/approve', { id: link })
  t.deepEqual(await queue(ann, name, 'reports'), [])
})

test.serial('ignored reports are counted but queue nothing, until an edit of the thing', async (t) => {
  const { site, ann, bob, carol, dave } = t.context
  for (const which of ['link', 'comment'] as const) {
    const { name, ...things } = await scene(t.context)
    const id = things[which]
    t.is((await ann.post('/api/ignore_reports', { id })).text, '{}')
    t.true(await unchanged(site, () => done(ann, '/api/ignore_reports', { id })))
    await report(dave, id)
    t.deepEqual(await queue(ann, name, 'modqueue'), [])
    t.is((await reportsOn(ann, id))[0], 1)
    t.is((await ann.post('/api/unignore_reports', { id })).text, '{}')
    t.true(await unchanged(site, () => done(ann, '/api/unignore_reports', { id })))
    t.deepEqual(await queue(ann, name, 'modqueue'), [], 'what was reported meanwhile stays out')
    await done(ann, '/api/ignore_reports', { id })
    await done(bob, '/api/editusertext', { thing_id: id, text: 'changed' })
    await report(carol, id)
    t.deepEqual(await queue(ann, name, 'modqueue'), [id])
    await done(ann, '/api/ignore_reports', { id })
    t.deepEqual(await queue(ann, name, 'modqueue'), [id], 'ignoring takes nothing out')
    t.deepEqual(await logOf(bob, name), [
      `ann ignorereports ${id}`,
      `ann ignorereports ${id}`,
      `ann unignorereports ${id}`,
      `ann ignorereports ${id}`,
    ])
    await done(bob, '/api/del', { id })
    t.true(await unchanged(site, () => done(ann, '/api/unignore_reports', { id })), 'deleted')
  }
})

for (const path of ['/api/ignore_reports', '/api/unignore_reports'])
  test.serial(`${path} is allowed to moderators with the permission posts there and to admins only`, async (t) => {
    const { site, ann, bob, carol, dave, root } = t.context
    const { name, link } = await scene(t.context)
    await appoint(ann, name, carol, '+mail,+config')
    t.true(
      await unchanged(site, async () => {
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
  const { name } = await scene(t.context)
  await appoint(ann, name, carol, '+mail')
  const send = async (to: string): Promise<string> => {
    await done(bob, '/api/compose', { to, subject: 'tea', text: 'please' })
    return String(dataOf(await bob.get('/message/sent?limit=1'))[0]?.name)
  }
  const [toModerators, toAnn] = [await send(`/s/${name}`), await send('ann')]
  t.true(
    await unchanged(site, async () => {
      for (const path of ['/api/ignore_reports', '/api/unignore_reports']) {
        const answer = await ann.post(path, { id: toModerators })
        t.deepEqual([answer.status, answer.text], [200, '{}'])
        for (const other of [bob, carol]) t.is((await other.post(path, { id: toModerators })).status, 403)
        t.is((await ann.post(path, { id: toAnn })).status, 403, 'of no subsite')
      }
    }),
  )
})

test.serial('the spam settings filter posts of accounts that are no members until a moderator decides', async (t) => {
  const { ann, bob } = t.context
  const { name } = await scene(t.context, { spam_links: 'all', spam_selfposts: 'all', spam_comments: 'all' })
  const url = await submit(bob, name, { url: 'https://tea.example/' })
  const own = await submit(ann, name, { url: 'https://tea.example/ann' })
  const held = await queue(ann, name, 'modqueue', '?only=links')
  t.is(held.length, 2)
  t.deepEqual(held[0], url)
  t.is((await queue(ann, name, 'modqueue', '?only=comments')).length, 1)
  t.deepEqual(await queue(ann, name, 'spam'), await queue(ann, name, 'modqueue'))
  t.deepEqual(await queue(ann, name, 'unmoderated'), [own, ...held])
  t.is((await thing(ann, url)).banned_by, true)
  await done(ann, '/api/approve', { id: url })
  await done(ann, '/api/remove', { id: String(held[1]), spam: false })
  t.deepEqual(await queue(ann, name, 'modqueue', '?only=links'), [])
  t.deepEqual(await queue(ann, name, 'spam', '?only=links'), [held[1]], 'also what was removed by hand')
  t.deepEqual(await queue(ann, name, 'unmoderated'), [own])
})

test.serial('the edited queue lists the latest edit first, and includes removed things', async (t) => {
  const { ann, bob } = t.context
  const { name, link, comment } = await scene(t.context)
  const edit = (id: string) => done(bob, '/api/editusertext', { thing_id: id, text: 'changed' })
  t.deepEqual(await queue(ann, name, 'edited'), [])
  await edit(link)
  await edit(comment)
  t.deepEqual(await queue(ann, name, 'edited'), [comment, link])
  await edit(link)
  await done(ann, '/api/remove', { id: link })
  await done(ann, '/api/approve', { id: comment })
  t.deepEqual(await queue(ann, name, 'edited'), [link, comment])
  t.deepEqual(await queue(ann, name, 'edited', `?limit=1&after=${link}`), [comment])
  t.deepEqual(await queue(ann, name, 'edited', '?only=comments'), [comment])
  await done(bob, '/api/del', { id: link })
  t.deepEqual(await queue(ann, name, 'edited'), [comment])
})

test.serial('queues are paged across links and comments, forwards and backwards', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, link } = await scene(t.context)
  const things: string[] = []
  for (let n = 0; n < 3; n += 1) things.push(await submit(bob, name), await say(bob, link))
  for (const id of things) await report(dave, id)
  const expected = things.toReversed()
  const seen: string[] = []
  let after: unknown = ''
  let last: Answer | undefined
  while (after !== null) {
    last = await ann.get(`/s/${name}/about/reports?limit=2${after === '' ? '' : `&after=${after}`}`)
    seen.push(...names(last))
    after = last.at('data.after')
  }
  t.deepEqual(seen, expected)
  t.deepEqual(await queue(ann, name, 'reports', `?limit=2&before=${last?.at('data.before')}`), expected.slice(2, 4))
  t.deepEqual(
    await queue(ann, name, 'reports', '?only=links'),
    expected.filter((id) => id.startsWith('t5')),
  )
  t.deepEqual(await queue(ann, name, 'reports', '?only=nonsense&limit=100'), expected)
  t.is((await queue(ann, name, 'unmoderated', '?only=comments')).length, 4, 'a queue of links alone')
  await done(ann, '/api/approve', { id: String(expected[2]) })
  t.deepEqual(await queue(ann, name, 'reports', `?limit=2&after=${expected[2]}`), expected.slice(3, 5), 'what has left is a place still')
})

test.serial('queues need the permission posts; of several subsites those without it are left out', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  const one = await scene(t.context)
  const other = await scene(t.context)
  await appoint(ann, one.name, carol, '+posts')
  await appoint(ann, other.name, carol, '+mail')
  for (const { link } of [one, other]) await report(dave, link)
  for (const location of queues) {
    for (const caller of [site, await site.appOnly(), bob, dave]) {
      t.is((await caller.get(`/s/${one.name}/about/${location}`)).status, 403)
      t.is((await caller.get(`/about/${location}`)).status, 403)
    }
    t.is((await carol.get(`/s/${other.name}/about/${location}`)).status, 403, 'only with mail')
    t.is((await (await ann.withScopes('modposts')).get(`/s/${one.name}/about/${location}`)).status, 403, 'needs read')
    t.is((await (await root.withScopes('read')).get(`/s/${one.name}/about/${location}`)).status, 200, 'an admin')
    t.is((await ann.get(`/s/nowhere/about/${location}`)).status, 404)
  }
  t.deepEqual(await queue(carol, `${one.name}+${other.name}`, 'reports'), [one.link])
  t.deepEqual(names(await carol.get('/about/reports')), [one.link])
  t.deepEqual(await queue(carol, 'mod', 'reports'), [one.link])
  t.is((await carol.get(`/s/mod-${one.name}/about/reports`)).status, 403)
  t.true((await queue(ann, 'mod', 'reports', '?limit=100')).includes(other.link))
})

test.serial('moderators see the number of things in the modqueue', async (t) => {
  const { ann, carol, dave } = t.context
  const { name, link, comment } = await scene(t.context)
  await appoint(ann, name, carol, '+posts')
  const waiting = async () => (await carol.get('/api/v1/me')).at('mod_queue_count')
  const before = Number(await waiting())
  await report(dave, link)
  await report(dave, comment)
  t.is(await waiting(), before + 2)
  t.is((await (await carol.session()).get('/api/me.json')).at('data.mod_queue_count'), before + 2)
  await done(ann, '/api/remove', { id: link })
  await done(ann, '/api/approve', { id: comment })
  t.is(await waiting(), before)
  t.is((await dave.get('/api/v1/me')).at('mod_queue_count'), 0)
})

test.serial('queues can exclude posts of permanently suspended accounts, unless they were reported', async (t) => {
  const { site, ann, bob, dave, root } = t.context
  const name = 'exclusive'
  const sr = await found(ann, name, { spam_comments: 'all' })
  const max = await site.register('max')
  const other = await submit(bob, name)
  const held = await say(bob, other, 'held back')
  const link = await submit(max, name)
  const comment = await say(max, other, 'held back, too')
  const waiting = async () => Number((await ann.get('/api/v1/me')).at('mod_queue_count'))
  const before = await waiting()
  const everything = [await queue(ann, name, 'modqueue'), await queue(ann, name, 'unmoderated')]
  t.deepEqual(everything, [
    [comment, held],
    [link, other],
  ])
  await settle(ann, sr, { exclude_banned_modqueue: 'true' })
  t.deepEqual([await queue(ann, name, 'modqueue'), await queue(ann, name, 'unmoderated')], everything, 'nobody is banned yet')
  await done(root, '/api/suspend_user', { name: 'max', duration: 3 })
  t.deepEqual([await queue(ann, name, 'modqueue'), await queue(ann, name, 'unmoderated')], everything, 'for a while is not for good')
  await done(root, '/api/suspend_user', { name: 'max' })
  t.deepEqual(await queue(ann, name, 'modqueue'), [held])
  t.deepEqual(await queue(ann, name, 'unmoderated'), [other])
  t.deepEqual(await queue(ann, name, 'spam'), [comment, held], 'other queues have it')
  t.is(await waiting(), before - 1)
  await report(dave, link)
  t.deepEqual(await queue(ann, name, 'modqueue'), [link, held])
  t.is(await waiting(), before)
  await settle(ann, sr, { exclude_banned_modqueue: 'false' })
  t.deepEqual(await queue(ann, name, 'unmoderated'), everything[1])
  t.is(await waiting(), before + 1)
})

test.serial('a reported message is hidden from the reporter only', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  const { name } = await scene(t.context)
  await appoint(ann, name, carol, '+mail')
  await done(bob, '/api/compose', { to: 'dave', subject: 'hello', text: 'rude words' })
  await done(bob, '/api/compose', { to: `/s/${name}`, subject: 'hello', text: 'rude words' })
  const [message = ''] = names(await dave.get('/message/inbox'))
  const [mail = ''] = names(await ann.get(`/s/${name}/about/message/inbox`))
  t.true(
    await unchanged(site, async () => {
      t.is((await report(ann, message)).status, 403)
      t.is((await report(bob, message)).status, 403)
      t.is((await report(dave, mail)).status, 403)
    }),
  )
  t.is(refusalOf(await report(dave, message, { reason: 'rude' })), '')
  t.true(await unchanged(site, () => report(dave, message)))
  t.deepEqual(names(await dave.get('/message/inbox')), [])
  t.deepEqual(names(await bob.get('/message/sent')).includes(message), true)
  await report(ann, mail)
  t.false(names(await ann.get(`/s/${name}/about/message/inbox`)).includes(mail))
  t.true(names(await carol.get(`/s/${name}/about/message/inbox`)).includes(mail))
  const shown = await root.get('/message/reported')
  t.deepEqual(names(shown), [mail, message])
  t.deepEqual(
    dataOf(shown).map(({ num_reports, user_reports }) => [num_reports, user_reports]),
    [
      [1, [[null, 1]]],
      [1, [['rude', 1]]],
    ],
  )
  for (const caller of [ann, dave]) t.is((await caller.get('/message/reported')).status, 403)
  t.is((await site.get('/message/reported')).status, 403)
})
