import { five, startCast } from '../support/cast.ts'
import { appoint, dataOf, logOf, postForm, recordsNothing } from '../support/community.ts'
import { foundSubsite, readThing, refusalOf, say } from '../support/posting.ts'
import { newThread } from '../support/scenes.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

type Thing = { readonly data: Readonly<Record<string, unknown>> }

/** The records of a link and of the comments on it, as its thread shows them. */
const threadOf = async (reader: Caller, link: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const thread = await reader.get(`/comments/${link.slice(3)}`)
  return ['0', '1'].flatMap((half) => thread.at(`${half}.data.children`) as readonly Thing[]).map(({ data }) => data)
}

test.serial('locking and unlocking a link makes one log entry each, and repeating it changes nothing', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, link } = await newThread(t.context)
  t.is((await ann.post('/api/lock', { id: link })).text, '{}')
  t.is((await readThing(dave, link)).locked, true)
  t.is(refusalOf(await dave.post('/api/comment', { thing_id: link, text: 'late' })), 'THREAD_LOCKED parent')
  t.true(await recordsNothing(t.context.site, () => postForm(ann, '/api/lock', { id: link })))
  t.is((await ann.post('/api/unlock', { id: link })).text, '{}')
  t.is((await readThing(dave, link)).locked, false)
  t.true(await recordsNothing(t.context.site, () => postForm(ann, '/api/unlock', { id: link })))
  t.deepEqual(await logOf(bob, name), [`ann unlock ${link}`, `ann lock ${link}`])
})

test.serial('a comment cannot be locked, and a missing id is refused as not moderated', async (t) => {
  const { site, ann } = t.context
  const { comment } = await newThread(t.context)
  for (const path of ['/api/lock', '/api/unlock'] as const)
    t.true(
      await recordsNothing(site, async () => {
        t.is((await ann.post(path, { id: comment })).status, 400)
        t.is((await ann.post(path)).status, 403)
        t.is((await ann.post(path, { id: 't5_zzzz' })).status, 403)
        t.is((await ann.post(path, { id: 'nonsense' })).status, 403)
      }),
    )
})

test.serial(
  'moderators read whether a thing is approved, removed or spam, its author that somebody removed it, and others nothing',
  async (t) => {
    const { ann, bob, dave } = t.context
    const { link, comment } = await newThread(t.context)
    const decisions = [
      ['/api/approve', {}, [true, false, false], [undefined, undefined, undefined]],
      ['/api/remove', { spam: false }, [false, true, false], [undefined, true, false]],
      ['/api/remove', { spam: true }, [false, false, true], [undefined, false, true]],
    ] as const
    const shownTo = async (reader: Caller) =>
      [await readThing(reader, link), await readThing(reader, comment), ...(await threadOf(reader, link))].map(
        ({ approved, removed, spam }) => [approved, removed, spam],
      )
    for (const [path, form, toModerators, toAuthor] of decisions) {
      for (const id of [link, comment]) await postForm(ann, path, { id, ...form })
      t.deepEqual(await shownTo(ann), Array(4).fill(toModerators))
      t.deepEqual(await shownTo(bob), Array(4).fill(toAuthor))
      for (const record of await threadOf(dave, link)) t.false('spam' in record)
      t.is((await readThing(bob, link)).banned_by, null, 'the log says who it was')
    }
  },
)

test.serial('authors do not read that spam settings held something back until a moderator removes it', async (t) => {
  const { ann, bob } = t.context
  const { link, comment } = await newThread(t.context, { spam_selfposts: 'all', spam_comments: 'all' })
  for (const id of [link, comment]) {
    t.is((await readThing(ann, id)).spam, true)
    t.false('spam' in (await readThing(bob, id)))
    await postForm(ann, '/api/remove', { id, spam: false })
    t.is((await readThing(bob, id)).removed, true)
  }
})

test.serial('things show the type of their subsite as it is now', async (t) => {
  const { site, ann } = t.context
  const { name, link, comment } = await newThread(t.context)
  const types = () => Promise.all([link, comment].map(async (id) => (await readThing(site, id)).subsite_type))
  t.deepEqual(await types(), ['public', 'public'])
  const sr = String((await ann.get(`/s/${name}/about`)).at('data.name'))
  await postForm(ann, '/api/site_admin', { sr, type: 'restricted' })
  t.deepEqual(await types(), ['restricted', 'restricted'])
})

const acts = ['/api/lock', '/api/unlock', '/api/remove', '/api/approve', '/api/set_subsite_sticky'] as const

for (const path of acts)
  test.serial(`${path} is allowed to moderators with the permission posts there and to admins only`, async (t) => {
    const { site, ann, bob, carol, dave, root } = t.context
    const { name, link } = await newThread(t.context)
    await foundSubsite(dave, `other${acts.indexOf(path)}`)
    await appoint(ann, name, carol, '+mail,+config,+access,+wiki,+flair')
    const callers: Readonly<Record<string, Caller>> = {
      anonymous: site,
      appOnly: await site.appOnly(),
      author: bob,
      'moderator elsewhere': dave,
      'moderator without posts': carol,
    }
    for (const [who, caller] of Object.entries(callers))
      t.true(await recordsNothing(site, async () => t.is((await caller.post(path, { id: link, state: true })).status, 403, who)), who)
    const unscoped = await (await ann.withScopes('read', 'modconfig')).post(path, { id: link, state: true })
    t.is(unscoped.status, 403)
    t.regex(unscoped.headers.get('www-authenticate') ?? '', /error="insufficient_scope"$/)
    const { cookie } = await ann.session()
    t.is((await site.post(path, { id: link, state: true }, { Cookie: cookie })).status, 403, 'a session without its modhash')
    t.is((await (await ann.session()).post(path, { id: link, state: true })).status, 200, 'a session with it')
    if (path === '/api/set_subsite_sticky') await postForm(ann, path, { id: link, state: false })
    t.is((await (await root.withScopes('modposts')).post(path, { id: link, state: true })).status, 200, 'an admin')
  })

test.serial('each removal is a log entry, whose details depend on spam and on a former removal', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, link, comment } = await newThread(t.context)
  await postForm(ann, '/api/remove', { id: link })
  await postForm(ann, '/api/remove', { id: link, spam: true })
  await postForm(ann, '/api/remove', { id: link, spam: false })
  await postForm(ann, '/api/approve', { id: link })
  await postForm(ann, '/api/approve', { id: link })
  await postForm(ann, '/api/remove', { id: comment, spam: 'False' })
  await postForm(ann, '/api/approve', { id: comment })
  t.deepEqual(await logOf(bob, name), [
    `ann approvecomment ${comment} unspam`,
    `ann removecomment ${comment} remove`,
    `ann approvelink ${link} confirm_ham`,
    `ann approvelink ${link} unspam`,
    `ann removelink ${link} remove`,
    `ann removelink ${link} confirm_spam`,
    `ann removelink ${link} spam`,
  ])
  t.is((await readThing(dave, link)).selftext, 'A text')
})

test.serial('a removed thing is not listed and shows no text until it is approved', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, link } = await newThread(t.context)
  const listed = async (reader: Caller) => dataOf(await reader.get(`/s/${name}/new`)).map((data) => data.name)
  t.deepEqual(await listed(dave), [link])
  await postForm(ann, '/api/remove', { id: link, spam: 'false' })
  t.deepEqual(await listed(dave), [])
  t.deepEqual(await listed(bob), [], 'not for its author either')
  t.is((await readThing(dave, link)).selftext, '[removed]')
  t.is((await readThing(bob, link)).selftext, 'A text')
  const seen = await readThing(ann, link)
  t.like(seen, { banned_by: 'ann', removed: true, spam: false })
  await postForm(ann, '/api/approve', { id: link })
  t.deepEqual(await listed(dave), [link])
  t.is((await readThing(ann, link)).approved_by, 'ann')
  t.is((await readThing(dave, link)).approved_by, null)
})

test.serial('a removal changes no karma and settles reports; one by an admin does not name the admin', async (t) => {
  const { ann, dave, root } = t.context
  const { name, link, comment } = await newThread(t.context)
  const karma = async () => {
    const { link_karma, comment_karma } = (await root.get('/user/bob/about')).at('data') as Record<string, number>
    return [link_karma, comment_karma]
  }
  const before = await karma()
  for (const id of [link, comment]) {
    await postForm(dave, '/api/vote', { id, dir: 1 })
    await postForm(dave, '/api/report', { thing_id: id, reason: 'rude' })
  }
  const earned = await karma()
  t.notDeepEqual(earned, before)
  const queue = async (location: string) => dataOf(await ann.get(`/s/${name}/about/${location}`)).map((data) => data.name)
  t.deepEqual(await queue('reports'), [comment, link])
  for (const id of [link, comment]) await postForm(ann, '/api/remove', { id })
  t.deepEqual([await queue('reports'), await queue('modqueue'), await queue('spam')], [[], [], [comment, link]])
  t.deepEqual(await karma(), earned)
  for (const id of [link, comment]) await postForm(root, '/api/approve', { id })
  t.deepEqual([await queue('reports'), await queue('spam')], [[], []])
  t.deepEqual(await karma(), earned)
  await postForm(root, '/api/remove', { id: link })
  t.is((await readThing(ann, link)).banned_by, true)
})

test.serial('removing or approving a deleted thing changes nothing', async (t) => {
  const { site, ann, bob } = t.context
  const { link, comment } = await newThread(t.context)
  await postForm(bob, '/api/del', { id: comment })
  await postForm(bob, '/api/del', { id: link })
  t.true(
    await recordsNothing(site, async () => {
      for (const id of [link, comment])
        for (const path of ['/api/remove', '/api/approve']) t.is((await ann.post(path, { id })).text, '{}', `${path} ${id}`)
    }),
  )
})

test.serial('a removed comment leaves the inbox and returns with its read state when approved', async (t) => {
  const { ann, bob, dave } = t.context
  const { link } = await newThread(t.context)
  const answer = await say(dave, link, 'An answer')
  const inbox = async () =>
    dataOf(await bob.get('/message/inbox?limit=100'))
      .filter((data) => data.name === answer)
      .map((data) => data.new)
  t.deepEqual(await inbox(), [true])
  await postForm(ann, '/api/remove', { id: answer })
  t.deepEqual(await inbox(), [])
  await postForm(ann, '/api/approve', { id: answer })
  t.deepEqual(await inbox(), [true])
  await postForm(bob, '/api/read_message', { id: answer })
  await postForm(ann, '/api/remove', { id: answer })
  await postForm(ann, '/api/approve', { id: answer })
  t.deepEqual(await inbox(), [false])
})
