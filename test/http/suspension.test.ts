import { active } from '../support/active-account.ts'
import { type Cast, startTea } from '../support/cast.ts'
import { childrenOf, postForm, recordsNothing } from '../support/community.ts'
import { firstMail } from '../support/mail.ts'
import { names, readThing, refusalOf, say, submit } from '../support/posting.ts'
import type { Caller, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

// each test suspends an account of its own
const others = ['root', 'mac', 'max', 'mel', 'mia', 'moe', 'may', 'meg', 'mik', 'moa', 'moses', 'lee'] as const
type People = Cast<'ann' | 'bob' | (typeof others)[number]>
const test = testOn(() => startTea(others))

const suspend = (by: Caller, fields: object) => by.post('/api/suspend_user', { api_type: 'json', ...fields })

/** An account that does all sorts of things, suspended for three days. */
const suspended = async (cast: People, who: User) => {
  const things = await active(cast, who)
  await postForm(cast.root, '/api/suspend_user', { name: who.name, duration: 3, note: 'for a while' })
  return things
}

test.serial('only admins suspend an account, another than their own and for a number of days', async (t) => {
  const { site, bob, mac, root } = t.context
  t.true(
    await recordsNothing(site, async () => {
      t.is((await suspend(bob, { name: mac.name })).status, 403)
      t.is(refusalOf(await suspend(root, { name: 'nobody' })), 'USER_DOESNT_EXIST name')
      t.is(refusalOf(await suspend(root, { name: mac.name, duration: 'x' })), 'BAD_NUMBER duration')
      t.is((await suspend(root, { name: 'root' })).status, 403, 'not oneself')
    }),
  )
})

test.serial('a suspended account cannot write in public, vote, send messages or moderate', async (t) => {
  const { site, max } = t.context
  const { link } = await suspended(t.context, max)
  const refused: readonly (readonly [string, object])[] = [
    ['/api/submit', { sr: 'tea', kind: 'self', title: 't', text: 'x' }],
    ['/api/comment', { thing_id: link, text: 'x' }],
    ['/api/compose', { to: 'bob', subject: 's', text: 't' }],
    ['/api/vote', { id: link, dir: 11 }],
    ['/api/lock', { id: link }],
    ['/api/remove', { id: link }],
    ['/api/site_admin', { name: 'another', title: 'x' }],
    ['/s/tea/api/friend', { type: 'banned', name: 'bob' }],
    ['/s/ofmax/api/friend', { type: 'contributor', name: 'bob' }],
    ['/s/ofmax/api/unfriend', { type: 'contributor', name: 'bob' }],
    ['/s/ofmax/api/unfriend', { type: 'moderator', name: 'bob' }],
  ]
  t.true(
    await recordsNothing(site, async () => {
      for (const [path, form] of refused) {
        const answer = await max.post(path, form as never)
        t.is(answer.status, 403, path)
        t.is(answer.at('reason'), 'IN_TIMEOUT', path)
      }
    }),
  )
})

test.serial('a suspended account cannot read what only moderators read', async (t) => {
  const { moses } = t.context
  await suspended(t.context, moses)
  for (const path of [
    '/s/tea/about/modqueue',
    '/s/tea/about/log',
    '/s/ofmoses/about/message/inbox',
    '/s/ofmoses/about/banned',
    '/s/ofmoses/about/edit',
    '/s/ofmoses/api/flairlist',
  ])
    t.is((await moses.get(path)).at('reason'), 'IN_TIMEOUT', path)
})

test.serial('a suspended account can read, edit, save and delete what is its own, and leave its seats', async (t) => {
  const { ann, mel } = t.context
  const { link, reply } = await suspended(t.context, mel)
  for (const path of ['/s/tea/hot', '/message/inbox', '/s/tea/about/moderators']) t.is((await mel.get(path)).status, 200, path)
  t.is((await mel.post('/s/tea/api/flairselector')).status, 200)
  t.is(refusalOf(await mel.post('/api/editusertext', { thing_id: link, text: 'edited', api_type: 'json' })), '')
  await postForm(mel, '/api/save', { id: link })
  await postForm(mel, '/api/del', { id: reply })
  await postForm(mel, '/api/read_all_messages')
  await postForm(mel, '/api/leavemoderator', { id: String((await ann.get('/s/tea/about')).at('data.name')) })
})

test.serial('a suspension for some days is shown to its account only, one without an end to all', async (t) => {
  const { site, bob, mia, root } = t.context
  const { link } = await suspended(t.context, mia)
  const own = await mia.get('/api/v1/me')
  t.is(own.at('is_suspended'), true)
  t.true(Number(own.at('suspension_expiration_utc')) > Date.now() / 1000 + 2 * 86_400)
  t.regex(own.text, /"suspension_expiration_utc":\d+,/, 'an integer')
  for (const other of [bob, root]) t.is((await other.get('/user/mia/about')).at('data.is_suspended'), false, other.name)

  t.is(refusalOf(await suspend(root, { name: 'mia' })), '')
  t.deepEqual((await bob.get('/user/mia/about')).at('data'), { name: 'mia', is_suspended: true })
  t.like((await root.get('/user/mia/about')).at('data'), { id: mia.id.slice(3), is_suspended: true, is_friend: false })
  t.is((await bob.get('/user/mia/submitted')).status, 403)
  t.true(names(await mia.get('/user/mia/submitted')).includes(link))
  t.is((await mia.get('/api/v1/me')).at('suspension_expiration_utc'), null)
  t.true(await recordsNothing(site, () => suspend(root, { name: 'mia' })))
})

test.serial('a moderator sees the reasons of reports only while not suspended', async (t) => {
  const { ann, bob, moe, root } = t.context
  await suspended(t.context, moe)
  const reported = await submit(bob, 'ofmoe')
  await postForm(ann, '/api/report', { thing_id: reported, reason: 'rude' })
  const reports = async () => childrenOf(await moe.get(`/api/info?id=${reported}`)).map(({ data }) => [data.num_reports, data.user_reports])
  t.deepEqual(await reports(), [[1, []]])
  await postForm(root, '/api/unsuspend_user', { name: 'moe' })
  t.deepEqual(await reports(), [[1, [['rude', 1]]]])
})

test.serial('a report by a suspended account is refused, but hides the thing from it', async (t) => {
  const { site, ann, bob, lee, root } = t.context
  const link = await submit(bob, 'tea')
  const comment = await say(bob, link, 'rude words')
  await postForm(root, '/api/suspend_user', { name: 'lee', duration: 3 })
  await postForm(bob, '/api/compose', { to: 'lee', subject: 's', text: 't' })
  const mail = String((await firstMail(lee))?.data.name)
  const refused = async (id: string) => {
    const answer = await lee.post('/api/report', { thing_id: id, reason: 'rude', api_type: 'json' })
    t.deepEqual([answer.status, answer.at('reason')], [403, 'IN_TIMEOUT'], id)
  }
  const shown = async () => names(await lee.get('/user/bob/comments?limit=100')).includes(comment)
  t.true(await shown())
  for (const id of [link, comment]) await refused(id)
  t.false(await shown())
  t.is((await readThing(lee, link)).hidden, true)
  t.is((await readThing(ann, comment)).num_reports, 0)
  t.true(await recordsNothing(site, () => refused(mail)))
})

test.serial('an admin can end a suspension, once; the account takes part again', async (t) => {
  const { site, bob, may, root } = t.context
  const { link } = await suspended(t.context, may)
  t.is((await bob.post('/api/unsuspend_user', { name: 'may' })).status, 403)
  await postForm(root, '/api/unsuspend_user', { name: 'may' })
  t.is((await may.get('/api/v1/me')).at('is_suspended'), false)
  await say(may, link, 'back again')
  t.true(await recordsNothing(site, () => postForm(root, '/api/unsuspend_user', { name: 'may' })))
})

const rights = ['contributor', 'wikicontributor', 'moderator_invite', 'moderator'] as const

test.serial(
  'an account that is permanently suspended becomes neither contributor nor moderator, until the suspension is lifted',
  async (t) => {
    const { site, ann, meg, root } = t.context
    const friend = (by: Caller, type: string) => by.post('/s/tea/api/friend', { type, name: 'meg', api_type: 'json' })
    await postForm(root, '/api/suspend_user', { name: 'meg' })
    t.true(
      await recordsNothing(site, async () => {
        for (const type of rights) t.is(refusalOf(await friend(ann, type)), 'BANNED_FROM_SUBSITE name', type)
        t.is(refusalOf(await friend(root, 'moderator')), 'BANNED_FROM_SUBSITE name', 'by an admin')
      }),
    )
    await postForm(root, '/api/unsuspend_user', { name: 'meg' })
    for (const type of rights.slice(0, 3)) t.is(refusalOf(await friend(ann, type)), '', type)
    await postForm(meg, '/s/tea/api/accept_moderator_invite')
  },
)

test.serial('an invitation to moderate cannot be accepted by an account that was permanently suspended since', async (t) => {
  const { site, ann, mik, moa, root } = t.context
  for (const { name } of [mik, moa]) await postForm(ann, '/s/tea/api/friend', { type: 'moderator_invite', name })
  await postForm(root, '/api/suspend_user', { name: 'mik' })
  await postForm(root, '/api/suspend_user', { name: 'moa', duration: 3 })
  const accept = (by: Caller) => by.post('/s/tea/api/accept_moderator_invite', { api_type: 'json' })
  t.true(await recordsNothing(site, async () => t.is(refusalOf(await accept(mik)), 'BANNED_FROM_SUBSITE')))
  t.is(refusalOf(await accept(moa)), '', 'suspended for some days')
  await postForm(root, '/api/unsuspend_user', { name: 'mik' })
  t.is(refusalOf(await accept(mik)), '')
})
