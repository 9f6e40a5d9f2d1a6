import { inviteModerator } from '../../src/domain/moderator-invitations.ts'
import { addModerator, Moderators } from '../../src/domain/moderators.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { type Cast, five, startCast } from '../support/cast.ts'
import { appoint, eventually, logOf, postForm, recordsNothing } from '../support/community.ts'
import { interpose } from '../support/interpose.ts'
import { refusalOf } from '../support/posting.ts'
import { accountsIn, newSubsite } from '../support/scenes.ts'
import type { Caller, User } from '../support/site.ts'
import { streamOf } from '../support/stream-of.ts'
import { testOn } from '../support/test-on.ts'

const people = [...five, 'evelyn'] as const
type People = Cast<(typeof people)[number]>
const test = testOn(() => startCast(people))

/**
 * A subsite that ann, carol and bob moderate with all permissions, in this order, and dave with all others; evelyn is invited. In another
 * one, carol is invited.
 */
const staffed = async (cast: People) => {
  const { site, ann, bob, carol, dave } = cast
  const [here, elsewhere] = [await newSubsite(cast), await newSubsite(cast)]
  const { name, friend } = here
  await appoint(ann, name, carol, '+all')
  await appoint(ann, name, bob, '+all')
  await appoint(ann, name, dave, '+access,+config,+flair,+mail,+posts,+wiki')
  await postForm(ann, friend, { type: 'moderator_invite', name: 'evelyn', permissions: '+posts' })
  await postForm(ann, elsewhere.friend, { type: 'moderator_invite', name: 'carol', permissions: '+all' })
  const held = async () =>
    Object.fromEntries((await accountsIn(site, `/s/${name}/about/moderators`)).map((row) => [row.name, row.mod_permissions?.join(',')]))
  return { ...here, elsewhere, set: `/s/${name}/api/setpermissions`, accept: `/s/${name}/api/accept_moderator_invite`, held }
}

test.serial('a moderator without the right to cannot change permissions, invitations or seats', async (t) => {
  const { site, bob, carol, dave, evelyn } = t.context
  const { name, subsite, friend, unfriend, elsewhere, set, accept, held } = await staffed(t.context)
  const attacks: readonly (readonly [User, string, Record<string, string>, string])[] = [
    [dave, set, { type: 'moderator', name: 'dave', permissions: '+all' }, '403'],
    [dave, set, { type: 'moderator', name: 'bob', permissions: '-posts' }, '403'],
    [dave, set, { type: 'moderator_invite', name: 'evelyn', permissions: '+all' }, '403'],
    [dave, friend, { type: 'moderator_invite', name: 'root', permissions: '+all' }, '403'],
    [dave, friend, { type: 'moderator_invite', name: 'root', permissions: '-all' }, '403'],
    [dave, friend, { type: 'moderator', name: 'dave', permissions: '+all' }, '403'],
    [dave, unfriend, { type: 'moderator', name: 'bob' }, '403'],
    [dave, accept, { name: 'evelyn' }, 'NO_INVITE_FOUND'],
    [evelyn, `/s/${elsewhere.name}/api/accept_moderator_invite`, { sr: subsite, r: name }, 'NO_INVITE_FOUND'],
    [evelyn, set, { type: 'moderator_invite', name: 'evelyn', permissions: '+all' }, '403'],
    [bob, set, { type: 'moderator', name: 'bob', permissions: '+all,+mail' }, '403'],
    [bob, set, { type: 'moderator', name: 'carol', permissions: '+posts' }, '403'],
    [bob, set, { type: 'moderator', name: 'ann', permissions: '+posts' }, '403'],
    [bob, unfriend, { type: 'moderator', name: 'carol' }, '403'],
    [bob, unfriend, { type: 'moderator', id: carol.id }, '403'],
    [bob, elsewhere.friend, { type: 'moderator_invite', name: 'dave', permissions: '+all' }, '403'],
    [carol, elsewhere.friend, { type: 'moderator_invite', name: 'dave', permissions: '+all' }, '403'],
  ]
  for (const [who, path, form, refusal] of attacks) {
    const what = `${who.name} ${path} ${JSON.stringify(form)}`
    t.true(await recordsNothing(site, async () => t.is(refusalOf(await who.post(path, form)), refusal, what)), what)
  }
  await postForm(evelyn, accept, { permissions: '+all' })
  t.deepEqual(await held(), { ann: 'all', carol: 'all', bob: 'all', dave: 'access,config,flair,mail,posts,wiki', evelyn: 'posts' })
})

test.serial('a moderator whose permissions were reduced, or who has left, has none of the former rights', async (t) => {
  const { site, bob, carol, evelyn } = t.context
  const { subsite, friend, unfriend, set, accept } = await staffed(t.context)
  await postForm(evelyn, accept)
  await postForm(carol, set, { type: 'moderator', name: 'bob', permissions: '+access' })
  await postForm(carol, '/api/leavemoderator', { id: subsite })
  t.true(
    await recordsNothing(site, async () => {
      t.is((await bob.post(friend, { type: 'moderator_invite', name: 'carol', permissions: '+all' })).status, 403)
      t.is((await bob.post(set, { type: 'moderator', name: 'evelyn', permissions: '+all' })).status, 403)
      t.is((await carol.post(set, { type: 'moderator', name: 'carol', permissions: '+all' })).status, 403)
      t.is((await carol.post(unfriend, { type: 'moderator', name: 'evelyn' })).status, 403)
      t.is(refusalOf(await carol.post(accept)), 'NO_INVITE_FOUND', 'the first invitation is used up')
    }),
  )
})

test.serial('a moderator who comes back is the most junior', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  const { name, subsite, unfriend, set, held } = await staffed(t.context)
  await postForm(carol, set, { type: 'moderator', name: 'bob', permissions: '+access' })
  await postForm(carol, '/api/leavemoderator', { id: subsite })
  await postForm(root, set, { type: 'moderator', name: 'bob', permissions: '+all' })
  await appoint(ann, name, carol, '+all')
  t.deepEqual(Object.keys(await held()), ['ann', 'bob', 'dave', 'carol'])
  t.true(await recordsNothing(site, async () => t.is((await carol.post(unfriend, { type: 'moderator', name: 'bob' })).status, 403)))
  await postForm(bob, unfriend, { type: 'moderator', name: 'carol' })
  t.deepEqual(Object.keys(await held()), ['ann', 'bob', 'dave'])
})

test.serial('a refused change of permissions records nothing', async (t) => {
  const { site, ann, carol } = t.context
  const { name } = await newSubsite(t.context)
  await appoint(ann, name, carol, '+posts,+config')
  const refused = async (caller: Caller, path: string, form: Record<string, string>, refusal: string) =>
    t.true(
      await recordsNothing(site, async () => t.is(refusalOf(await caller.post(path, form)), refusal, JSON.stringify(form))),
      JSON.stringify(form),
    )
  const set = `/s/${name}/api/setpermissions`
  await refused(site, set, { type: 'moderator', name: 'carol' }, '403')
  await refused(carol, set, { type: 'moderator', name: 'carol' }, '403')
  await refused(ann, set, { type: 'moderator' }, 'NO_USER name')
  await refused(ann, set, { type: 'moderator', name: 'nobody' }, 'USER_DOESNT_EXIST name')
  await refused(ann, set, { type: 'contributor', name: 'carol' }, 'INVALID_PERMISSION_TYPE type')
  await refused(ann, set, { type: 'moderator', name: 'carol', permissions: 'posts,xyz' }, 'INVALID_PERMISSIONS permissions')
  await refused(ann, set, { type: 'moderator', name: 'bob' }, '403')
  await refused(ann, set, { type: 'moderator_invite', name: 'bob' }, 'NO_INVITE_FOUND')
})

test.serial('a ban withdraws a pending invitation, and a banned account cannot accept one', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  const accept = () => bob.post(`/s/${name}/api/accept_moderator_invite`)
  await postForm(ann, friend, { type: 'moderator_invite', name: 'bob' })
  await postForm(ann, friend, { type: 'banned', name: 'bob' })
  t.true(await recordsNothing(site, async () => t.is(refusalOf(await accept()), 'BANNED_FROM_SUBSITE')))
  const [withdrawn, banned] = await logOf(ann, name)
  t.is(banned, `ann banuser ${bob.id} permanent`)
  t.is(withdrawn, `ann uninvitemoderator ${bob.id}`)
  await postForm(ann, unfriend, { type: 'banned', name: 'bob' })
  t.is(refusalOf(await accept()), 'NO_INVITE_FOUND', 'the end of the ban does not bring it back')
  await postForm(ann, friend, { type: 'moderator_invite', name: 'bob' })
  t.is((await accept()).status, 200)
  t.deepEqual(
    (await accountsIn(site, `/s/${name}/about/moderators`)).map((row) => row.name),
    ['ann', 'bob'],
  )
})

test.serial('at most 25 invitations are pending for any invitees; admins are exempt', async (t) => {
  const { site, ann, root } = t.context
  const { friend, subsite } = await newSubsite(t.context)
  const { run, mint } = site.running.app
  for (let n = 0; n < 25; n += 1) {
    const command = commandOf(seedOf(mint()), { account: ann.id, as: 'moderator' })
    await run(
      Moderators,
      subsite,
      inviteModerator(
        { subsite, account: `t2_${n.toString(36)}` },
        { actor: ann.id, admin: false },
        { banned: false, muted: false },
        '+mail',
      ),
      command,
    )
  }
  for (const name of ['bob', 'nobody', '']) {
    const refused = await ann.post(friend, { type: 'moderator_invite', name })
    t.is(refusalOf(refused), 'SUBSITE_RATELIMIT name', name)
    t.is(refused.at('json.errors.0.1'), 'this subsite has 25 invitations that are pending: withdraw one first')
  }
  t.is(refusalOf(await root.post(friend, { type: 'moderator', name: 'bob' })), '')
})

test.serial('64 concurrent contradictory calls about one moderator leave one state that the log explains', async (t) => {
  const { site, ann, bob } = t.context
  const { name, friend, unfriend } = await newSubsite(t.context)
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) => {
      if (n % 4 === 0) return ann.post(friend, { type: 'moderator', name: 'bob' })
      if (n % 4 === 1) return bob.post(`/s/${name}/api/accept_moderator_invite`)
      if (n % 4 === 2) return ann.post(unfriend, { type: n % 8 === 2 ? 'moderator' : 'moderator_invite', name: 'bob' })
      return ann.post(friend, { type: 'banned', name: 'bob', duration: n })
    }),
  )
  t.true(answers.every(({ status }) => status < 500))
  /** Tells whether bob moderates in the end, by a log whose entries follow from one another. */
  const moderatesBy = (log: readonly string[]): boolean => {
    let invited = false
    let moderates = false
    for (const entry of log.toReversed()) {
      const action = entry.split(' ')[1]
      if (action === 'invitemoderator') {
        t.false(invited || moderates, entry)
        invited = true
      }
      if (action === 'uninvitemoderator' || action === 'acceptmoderatorinvite') {
        t.true(invited, entry)
        invited = false
        moderates = action === 'acceptmoderatorinvite'
      }
      if (action === 'removemoderator') {
        t.true(moderates, entry)
        moderates = false
      }
    }
    return moderates
  }
  const isListed = async () => (await accountsIn(site, `/s/${name}/about/moderators`)).some((row) => row.name === 'bob')
  // a seat taken at the same time as a ban is ended by the service, which may come later
  t.true(await eventually(async () => moderatesBy(await logOf(site, name)) === (await isListed())), 'the list agrees with the log')
})

test.serial(
  'what a moderator does in the list of moderators is refused if the moderator was removed just before it is recorded',
  async (t) => {
    const { site, ann, carol, dave } = t.context
    const { name, friend, unfriend, subsite, set } = await staffed(t.context)
    const remove = (whom: User) => postForm(ann, unfriend, { type: 'moderator', name: whom.name })
    const acts: readonly (readonly [path: string, form: Record<string, string>])[] = [
      [friend, { type: 'moderator_invite', name: 'root', permissions: '+posts' }],
      [friend, { type: 'moderator', name: 'root', permissions: '+posts' }],
      [unfriend, { type: 'moderator_invite', name: 'evelyn' }],
      [unfriend, { type: 'moderator', name: 'dave' }],
      [set, { type: 'moderator', name: 'dave', permissions: '+mail' }],
      [set, { type: 'moderator_invite', name: 'evelyn', permissions: '+mail' }],
    ]
    for (const [path, form] of acts) {
      const what = `${path} ${JSON.stringify(form)}`
      for (const whom of [carol, dave]) {
        await remove(whom)
        await appoint(ann, name, whom, '+all')
      }
      interpose(site, 'before', Moderators.category, () => remove(carol))
      t.is(refusalOf(await carol.post(path, form)), '403', what)
      const last = (await streamOf(site.running.stores.events, `${Moderators.category}-${subsite}`)).at(-1)
      t.is(last?.type, 'ModeratorRemoved', what)
      t.regex(last?.data ?? '', new RegExp(carol.id), what)
      await appoint(ann, name, carol, '+all')
    }
  },
)

test.serial('seniority is the order in which moderators were recorded, whatever their clocks said', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  const { name, unfriend, subsite } = await newSubsite(t.context)
  const { run, mint } = site.running.app
  const ahead = { ...commandOf(seedOf(mint()), { account: root.id, as: 'admin' }), at: Date.now() + 120_000 }
  const free = { banned: false, muted: false }
  await run(Moderators, subsite, addModerator({ subsite, account: carol.id }, { actor: root.id, admin: true }, free, '+all'), ahead)
  await appoint(ann, name, bob, '+all')
  const held = async () => (await accountsIn(site, `/s/${name}/about/moderators`)).map((row) => row.name)
  t.deepEqual(await held(), ['ann', 'carol', 'bob'])
  t.is(refusalOf(await bob.post(unfriend, { type: 'moderator', name: 'carol' })), '403')
  const set = { type: 'moderator', name: 'carol', permissions: '+posts' }
  t.is(refusalOf(await bob.post(`/s/${name}/api/setpermissions`, set)), '403')
  await postForm(carol, unfriend, { type: 'moderator', name: 'bob' })
  t.deepEqual(await held(), ['ann', 'carol'])
})
