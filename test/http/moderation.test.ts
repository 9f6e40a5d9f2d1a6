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
/** A subsite of ann's with a post of bob's and a comment of his under it. */
const scene = async ({ ann, bob }: Five) => {
  const name = `scene${named++}`
  const subsite = await found(ann, name)
  const link = await submit(bob, name, { title: 'A title', text: 'A text' })
  const comment = await say(bob, link, 'A comment')
  return { name, subsite, link, comment }
}

test.serial('locking and unlocking a link makes one log entry each, and repeating it changes nothing', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, link } = await scene(t.context)
  t.is((await ann.post('/api/lock', { id: link })).text, '{}')
  t.is((await thing(dave, link)).locked, true)
  t.is(refusalOf(await dave.post('/api/comment', { thing_id: link, text: 'late' })), 'THREAD_LOCKED parent')
  t.true(await unchanged(t.context.site, () => done(ann, '/api/lock', { id: link })))
  t.is((await ann.post('/api/unlock', { id: link })).text, '{}')
  t.is((await thing(dave, link)).locked, false)
  t.true(await unchanged(t.context.site, () => done(ann, '/api/unlock', { id: link })))
  t.deepEqual(await logOf(bob, name), [`ann unlock ${link}`, `ann lock ${link}`])
})

test.serial('a comment cannot be locked, and a missing id is refused as not moderated', async (t) => {
  const { site, ann } = t.context
  const { comment } = await scene(t.context)
  for (const path of ['/api/lock', '/api/unlock'] as const)
    t.true(
      await unchanged(site, async () => {
        t.is((await ann.post(path, { id: comment })).status, 400)
        t.is((await ann.post(path)).status, 403)
        t.is((await ann.post(path, { id: 't5_zzzz' })).status, 403)
        t.is((await ann.post(path, { id: 'nonsense' })).status, 403)
      }),
    )
})

const acts = ['/api/lock', '/api/unlock', '/api/remove', '/api/approve', '/api/set_subsite_sticky'] as const

for (const path of acts)
  test.serial(`${path} is allowed to moderators with the permission posts there and to admins only`, async (t) => {
    const { site, ann, bob, carol, dave, root } = t.context
    const { name, link } = await scene(t.context)
    await found(dave, `other${named}`)
    await appoint(ann, name, carol, '+mail,+config,+access,+wiki,+flair')
    const callers: Readonly<Record<string, Caller>> = {
      anonymous: site,
      appOnly: await site.appOnly(),
      author: bob,
      'moderator elsewhere': dave,
      'moderator without posts': carol,
    }
    for (const [who, caller] of Object.entries(callers))
      t.true(await unchanged(site, async () => t.is((await caller.post(path, { id: link, state: true })).status, 403, who)), who)
    const unscoped = await (await ann.withScopes('read', 'modconfig')).post(path, { id: link, state: true })
    t.is(unscoped.status, 403)
    t.regex(unscoped.headers.get('www-authenticate') ?? '', /error="insufficient_scope"$/)
    const { cookie } = await ann.session()
    t.is((await site.post(path, { id: link, state: true }, { Cookie: cookie })).status, 403, 'a session without its modhash')
    t.is((await (await ann.session()).post(path, { id: link, state: true })).status, 200, 'a session with it')
    if (path === '/api/set_subsite_sticky') await done(ann, path, { id: link, state: false })
    t.is((await (await root.withScopes('modposts')).post(path, { id: link, state: true })).status, 200, 'an admin')
  })

test.serial('each removal is a log entry, whose details depend on spam and on a former removal', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, link, comment } = await scene(t.context)
  await done(ann, '/api/remove', { id: link })
  await done(ann, '/api/remove', { id: link, spam: true })
  await done(ann, '/api/remove', { id: link, spam: false })
  await done(ann, '/api/approve', { id: link })
  await done(ann, '/api/approve', { id: link })
  await done(ann, '/api/remove', { id: comment, spam: 'False' })
  await done(ann, '/api/approve', { id: comment })
  t.deepEqual(await logOf(bob, name), [
    `ann approvecomment ${comment} unspam`,
    `ann removecomment ${comment} remove`,
    `ann approvelink ${link} confirm_ham`,
    `ann approvelink ${link} unspam`,
    `ann removelink ${link} remove`,
    `ann removelink ${link} confirm_spam`,
    `ann removelink ${link} spam`,
  ])
  t.is((await thing(dave, link)).selftext, 'A text')
})

test.serial('a removed thing is not listed and shows no text until it is approved', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, link } = await scene(t.context)
  const listed = async (reader: Caller) => dataOf(await reader.get(`/s/${name}/new`)).map((data) => data.name)
  t.deepEqual(await listed(dave), [link])
  await done(ann, '/api/remove', { id: link })
  t.deepEqual(await listed(dave), [])
  t.deepEqual(await listed(bob), [], 'not for its author either')
  t.is((await thing(dave, link)).selftext, '[removed]')
  t.is((await thing(bob, link)).selftext, 'A text')
  const seen = await thing(ann, link)
  t.is(seen.banned_by, 'ann')
  await done(ann, '/api/approve', { id: link })
  t.deepEqual(await listed(dave), [link])
  t.is((await thing(ann, link)).approved_by, 'ann')
  t.is((await thing(dave, link)).approved_by, null)
})

test.serial('a removal changes no karma and settles reports; one by an admin does not name the admin', async (t) => {
  const { ann, dave, root } = t.context
  const { name, link, comment } = await scene(t.context)
  const karma = async () => {
    const { link_karma, comment_karma } = (await root.get('/user/bob/about')).at('data') as Record<string, number>
    return [link_karma, comment_karma]
  }
  const before = await karma()
  for (const id of [link, comment]) {
    await done(dave, '/api/vote', { id, dir: 1 })
    await done(dave, '/api/report', { thing_id: id, reason: 'rude' })
  }
  const earned = await karma()
  t.notDeepEqual(earned, before)
  const queue = async (location: string) => dataOf(await ann.get(`/s/${name}/about/${location}`)).map((data) => data.name)
  t.deepEqual(await queue('reports'), [comment, link])
  for (const id of [link, comment]) await done(ann, '/api/remove', { id })
  t.deepEqual([await queue('reports'), await queue('modqueue'), await queue('spam')], [[], [], [comment, link]])
  t.deepEqual(await karma(), earned)
  for (const id of [link, comment]) await done(root, '/api/approve', { id })
  t.deepEqual([await queue('reports'), await queue('spam')], [[], []])
  t.deepEqual(await karma(), earned)
  await done(root, '/api/remove', { id: link })
  t.is((await thing(ann, link)).banned_by, true)
})

test.serial('removing or approving a deleted thing changes nothing', async (t) => {
  const { site, ann, bob } = t.context
  const { link, comment } = await scene(t.context)
  await done(bob, '/api/del', { id: comment })
  await done(bob, '/api/del', { id: link })
  t.true(
    await unchanged(site, async () => {
      for (const id of [link, comment])
        for (const path of ['/api/remove', '/api/approve']) t.is((await ann.post(path, { id })).text, '{}', `${path} ${id}`)
    }),
  )
})

test.serial('a removed comment leaves the inbox and returns with its read state when approved', async (t) => {
  const { ann, bob, dave } = t.context
  const { link } = await scene(t.context)
  const answer = await say(dave, link, 'An answer')
  const inbox = async () =>
    dataOf(await bob.get('/message/inbox?limit=100'))
      .filter((data) => data.name === answer)
      .map((data) => data.new)
  t.deepEqual(await inbox(), [true])
  await done(ann, '/api/remove', { id: answer })
  t.deepEqual(await inbox(), [])
  await done(ann, '/api/approve', { id: answer })
  t.deepEqual(await inbox(), [true])
  await done(bob, '/api/read_message', { id: answer })
  await done(ann, '/api/remove', { id: answer })
  await done(ann, '/api/approve', { id: answer })
  t.deepEqual(await inbox(), [false])
})

test.serial('stickied links take slots, replace each other and move up, each with its log entries', async (t) => {
  const { ann, bob, site } = t.context
  const { name, link: first } = await scene(t.context)
  const [second, third, fourth] = [await submit(bob, name), await submit(bob, name), await submit(bob, name)]
  const slots = async () =>
    Promise.all(['1', '2'].map(async (num) => (await site.get(`/s/${name}/sticky?num=${num}`)).headers.get('location')?.split('/')[4]))
  const id = (fullname: string) => fullname.slice(3)
  t.is((await site.get(`/s/${name}/sticky`)).status, 404)
  await done(ann, '/api/set_subsite_sticky', { id: first, state: true, num: 2 })
  t.deepEqual(await slots(), [id(first), undefined], 'a slot beyond the free one is the next free one')
  await done(ann, '/api/set_subsite_sticky', { id: second, state: true, num: 2 })
  t.deepEqual(await slots(), [id(first), id(second)])
  await done(ann, '/api/set_subsite_sticky', { id: third, state: true })
  t.deepEqual(await slots(), [id(first), id(third)], 'the bottom-most goes')
  await done(ann, '/api/set_subreddit_sticky', { id: fourth, state: true, num: 1 })
  t.deepEqual(await slots(), [id(fourth), id(third)])
  t.true(await unchanged(site, async () => t.is((await ann.post('/api/set_subsite_sticky', { id: third, state: true })).status, 409)))
  await done(ann, '/api/set_subsite_sticky', { id: fourth, state: false })
  t.deepEqual(await slots(), [id(third), undefined], 'the lower one moves up')
  t.true(await unchanged(site, () => done(ann, '/api/set_subsite_sticky', { id: fourth, state: false })))
  t.deepEqual(await logOf(bob, name), [
    `ann unsticky ${fourth}`,
    `ann sticky ${fourth}`,
    `ann unsticky ${first} replaced`,
    `ann sticky ${third}`,
    `ann unsticky ${second} replaced`,
    `ann sticky ${second}`,
    `ann sticky ${first}`,
  ])
  t.is((await site.get(`/s/${name}/about/sticky.json`)).headers.get('location')?.split('/').at(-1), '.json')
  t.is((await site.get('/sticky')).status, 404)
  t.is((await site.get(`/s/${name}/sticky?num=two`)).status, 404)
})

test.serial('removing a stickied link frees its slot with a log entry, deleting it without one', async (t) => {
  const { ann, bob, site } = t.context
  const { name, link: first } = await scene(t.context)
  const second = await submit(bob, name)
  await done(ann, '/api/set_subsite_sticky', { id: first, state: true })
  await done(ann, '/api/set_subsite_sticky', { id: second, state: true })
  await done(ann, '/api/remove', { id: first })
  await done(bob, '/api/del', { id: second })
  t.is((await site.get(`/s/${name}/sticky`)).status, 404)
  t.deepEqual(await logOf(bob, name), [
    `ann unsticky ${first}`,
    `ann removelink ${first} spam`,
    `ann sticky ${second}`,
    `ann sticky ${first}`,
  ])
  for (const id of [first, second]) t.is((await ann.post('/api/set_subsite_sticky', { id, state: true })).status, 400)
})

test.serial('the log entry of an unsticky describes the link as it was then', async (t) => {
  const { ann, bob, site } = t.context
  const { name, link } = await scene(t.context)
  const other = await submit(bob, name)
  const sticky = (id: string, state = true) => done(ann, '/api/set_subsite_sticky', { id, state, num: 1 })
  const edit = (text: string) => done(bob, '/api/editusertext', { thing_id: link, text })
  await sticky(link)
  await edit('replaced')
  await sticky(other)
  await sticky(link)
  await edit('asked')
  await sticky(link, false)
  await sticky(link)
  await edit('removed')
  await done(ann, '/api/remove', { id: link })
  const log = dataOf(await site.get(`/s/${name}/about/log?type=unsticky`)).filter(({ target_fullname }) => target_fullname === link)
  t.deepEqual(
    log.map(({ target_body }) => target_body),
    ['removed', 'asked', 'replaced'],
  )
})

test.serial('only a link can be stickied', async (t) => {
  const { site, ann } = t.context
  const { comment } = await scene(t.context)
  t.true(await unchanged(site, async () => t.is((await ann.post('/api/set_subsite_sticky', { id: comment, state: true })).status, 400)))
  t.is((await ann.post('/api/set_subsite_sticky', { id: 't5_zzzz', state: true })).status, 403)
})

test.serial('64 concurrent contradictory calls leave one state that the log explains', async (t) => {
  const { ann, bob, root, site } = t.context
  const { name, link } = await scene(t.context)
  const others = await Promise.all(Array.from({ length: 7 }, (_, n) => submit(bob, name, { title: `post ${n}` })))
  const rivals = [link, ...others]
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) => {
      const caller = n % 2 === 0 ? ann : root
      const target = rivals[n % rivals.length] ?? link
      if (n % 4 === 0) return caller.post('/api/set_subsite_sticky', { id: target, state: true })
      if (n % 4 === 1) return caller.post('/api/set_subsite_sticky', { id: target, state: n % 8 === 1, num: 1 })
      return caller.post(n % 4 === 2 ? '/api/remove' : '/api/approve', { id: link })
    }),
  )
  t.true(
    answers.every(({ status }) => status < 500),
    JSON.stringify(answers.map(({ status }) => status)),
  )
  const log = (await logOf(site, name)).toReversed()
  const verdicts = log.filter((entry) => /(remove|approve)link/.test(entry))
  t.is(verdicts.length, 32, 'each removal and each approval is an entry')
  let removed = false
  for (const entry of verdicts) {
    if (/ approvelink /.test(entry)) {
      t.is(entry.split(' ')[3], removed ? 'unspam' : 'confirm_ham')
      removed = false
    } else {
      t.is(entry.split(' ')[3], removed ? 'confirm_spam' : 'spam')
      removed = true
    }
  }
  t.is(
    dataOf(await site.get(`/s/${name}/new`)).some((data) => data.name === link),
    !removed,
  )
  const stickied = new Set<string>()
  for (const entry of log.map((line) => line.split(' '))) {
    const [, action, target = ''] = entry
    if (action === 'sticky') stickied.add(target)
    if (action === 'unsticky') t.true(stickied.delete(target), `${target} was stickied before it was unstickied`)
    t.true(stickied.size <= 2)
  }
  const shown = (await Promise.all(rivals.map(async (id) => [id, (await thing(ann, id)).stickied] as const))).filter(([, is]) => is)
  t.deepEqual(shown.map(([id]) => id).toSorted(), [...stickied].toSorted())
})

test.serial(
  'the log can be filtered and paged, describes targets as they were, and is readable by all who may view the subsite',
  async (t) => {
    const { site, ann, bob, carol, root } = t.context
    const { name, link, comment } = await scene(t.context)
    await appoint(ann, name, carol, '+posts')
    await done(carol, '/api/lock', { id: link })
    await done(ann, '/api/remove', { id: comment, spam: false })
    await done(root, '/api/unlock', { id: link })
    await done(bob, '/api/editusertext', { thing_id: link, text: 'Another text' })
    const at = `/s/${name}/about/log`
    const all = dataOf(await site.get(at))
    t.deepEqual(
      all.map(({ action }) => action),
      ['unlock', 'removecomment', 'lock', 'acceptmoderatorinvite', 'invitemoderator'],
    )
    t.like(all[2], {
      mod: 'carol',
      mod_id36: carol.id.slice(3),
      subsite: name,
      target_fullname: link,
      target_author: 'bob',
      target_title: 'A title',
      target_body: 'A text',
      target_permalink: `/s/${name}/comments/${link.slice(3)}/a_title/`,
    })
    t.like(all[1], { target_permalink: `/s/${name}/comments/${link.slice(3)}/a_title/${comment.slice(3)}`, target_title: null })
    t.like(all[3], { mod: 'carol', target_fullname: null, target_author: '' })
    t.like(all[4], { target_fullname: carol.id, target_author: 'carol', target_permalink: null })
    const some = async (query: string) => dataOf(await site.get(`${at}?${query}`)).map(({ action }) => action)
    t.deepEqual(await some('type=lock'), ['lock'])
    t.deepEqual(await some('type=nonsense'), [])
    t.deepEqual(await some('mod=carol'), ['lock', 'acceptmoderatorinvite'])
    t.deepEqual(await some('mod=carol,ann'), ['removecomment', 'lock', 'acceptmoderatorinvite', 'invitemoderator'])
    t.deepEqual(await some('mod=carol,ann&type=lock'), ['lock'])
    t.deepEqual(await some('mod=nobody'), [])
    t.deepEqual(await some('mod=a'), ['unlock'])
    const first = await site.get(`${at}?limit=2`)
    t.is(first.at('data.before'), null)
    const second = await site.get(`${at}?limit=2&after=${first.at('data.after')}`)
    t.deepEqual(
      [...dataOf(first), ...dataOf(second)].map(({ id }) => id),
      all.slice(0, 4).map(({ id }) => id),
    )
    t.is(second.at('data.before'), all[2]?.id)
    const back = await site.get(`${at}?limit=2&before=${all[2]?.id}`)
    t.deepEqual(
      dataOf(back).map(({ id }) => id),
      all.slice(0, 2).map(({ id }) => id),
    )
    t.is(dataOf(await site.get(`${at}?after=ModAction_unknown`)).length, 5, 'an unknown anchor is the first page')
  },
)

test.serial('/s/mod and several subsites show one merged log', async (t) => {
  const { site, ann, bob, carol, dave } = t.context
  const one = await scene(t.context)
  const two = await scene(t.context)
  await done(ann, '/api/lock', { id: one.link })
  await done(ann, '/api/lock', { id: two.link })
  await appoint(ann, one.name, carol, '')
  await appoint(ann, two.name, carol, '-all')
  const targets = async (reader: Caller, path: string) =>
    dataOf(await reader.get(`${path}?type=lock&limit=500`)).map(({ target_fullname }) => target_fullname)
  t.deepEqual(await targets(bob, `/s/${one.name}+${two.name}/about/log`), [two.link, one.link])
  t.deepEqual((await targets(carol, '/about/log')).slice(0, 2), [two.link, one.link])
  t.deepEqual((await targets(carol, '/s/mod/about/log')).slice(0, 2), [two.link, one.link])
  t.deepEqual((await targets(carol, `/s/mod-${two.name}/about/log`)).slice(0, 1), [one.link])
  t.is((await bob.get('/about/log')).status, 403)
  t.is((await site.get('/about/log')).status, 403)
  t.is((await site.get('/s/all/about/log')).status, 404)
  t.is((await site.get('/s/nowhere/about/log')).status, 404)
  await found(dave, 'closedlog', { type: 'private' })
  t.is((await site.get('/s/closedlog/about/log')).status, 403)
  t.is((await dave.get('/s/closedlog/about/log')).status, 200)
})
