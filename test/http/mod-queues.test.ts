import { type Cast, five, startCast } from '../support/cast.ts'
import { appoint, postForm } from '../support/community.ts'
import { queue, report } from '../support/mod-queues.ts'
import { foundSubsite, names, readThing, say, settle, submit } from '../support/posting.ts'
import { newThread } from '../support/scenes.ts'
import type { Answer } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const people = [...five, 'max'] as const
const test = testOn(() => startCast(people))

const queues = ['reports', 'spam', 'modqueue', 'unmoderated', 'edited'] as const

test.serial('the spam settings filter posts of accounts that are no members until a moderator decides', async (t) => {
  const { ann, bob } = t.context
  const { name } = await newThread(t.context, { spam_links: 'all', spam_selfposts: 'all', spam_comments: 'all' })
  const url = await submit(bob, name, { url: 'https://tea.example/' })
  const own = await submit(ann, name, { url: 'https://tea.example/ann' })
  const held = await queue(ann, name, 'modqueue', '?only=links')
  t.is(held.length, 2)
  t.deepEqual(held[0], url)
  t.is((await queue(ann, name, 'modqueue', '?only=comments')).length, 1)
  t.deepEqual(await queue(ann, name, 'spam'), await queue(ann, name, 'modqueue'))
  t.deepEqual(await queue(ann, name, 'unmoderated'), [own, ...held])
  t.is((await readThing(ann, url)).banned_by, true)
  await postForm(ann, '/api/approve', { id: url })
  await postForm(ann, '/api/remove', { id: String(held[1]), spam: false })
  t.deepEqual(await queue(ann, name, 'modqueue', '?only=links'), [])
  t.deepEqual(await queue(ann, name, 'spam', '?only=links'), [held[1]], 'also what was removed by hand')
  t.deepEqual(await queue(ann, name, 'unmoderated'), [own])
})

test.serial('the edited queue lists the latest edit first, and includes removed things', async (t) => {
  const { ann, bob } = t.context
  const { name, link, comment } = await newThread(t.context)
  const edit = (id: string) => postForm(bob, '/api/editusertext', { thing_id: id, text: 'changed' })
  t.deepEqual(await queue(ann, name, 'edited'), [])
  await edit(link)
  await edit(comment)
  t.deepEqual(await queue(ann, name, 'edited'), [comment, link])
  await edit(link)
  await postForm(ann, '/api/remove', { id: link })
  await postForm(ann, '/api/approve', { id: comment })
  t.deepEqual(await queue(ann, name, 'edited'), [link, comment])
  t.deepEqual(await queue(ann, name, 'edited', `?limit=1&after=${link}`), [comment])
  t.deepEqual(await queue(ann, name, 'edited', '?only=comments'), [comment])
  await postForm(bob, '/api/del', { id: link })
  t.deepEqual(await queue(ann, name, 'edited'), [comment])
})

test.serial('queues are paged across links and comments, forwards and backwards', async (t) => {
  const { ann, bob, dave } = t.context
  const { name, link } = await newThread(t.context)
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
  await postForm(ann, '/api/approve', { id: String(expected[2]) })
  t.deepEqual(await queue(ann, name, 'reports', `?limit=2&after=${expected[2]}`), expected.slice(3, 5), 'what has left is a place still')
})

test.serial('queues need the permission posts; of several subsites those without it are left out', async (t) => {
  const { site, ann, bob, carol, dave, root } = t.context
  const one = await newThread(t.context)
  const other = await newThread(t.context)
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
  const { name, link, comment } = await newThread(t.context)
  await appoint(ann, name, carol, '+posts')
  const waiting = async () => (await carol.get('/api/v1/me')).at('mod_queue_count')
  const before = Number(await waiting())
  await report(dave, link)
  await report(dave, comment)
  t.is(await waiting(), before + 2)
  t.is((await (await carol.session()).get('/api/me.json')).at('data.mod_queue_count'), before + 2)
  await postForm(ann, '/api/remove', { id: link })
  await postForm(ann, '/api/approve', { id: comment })
  t.is(await waiting(), before)
  t.is((await dave.get('/api/v1/me')).at('mod_queue_count'), 0)
})

/** A subsite with a link and a held-back comment of bob's, and of max's; how ann excludes banned posts there, and reads two queues. */
const exclusive = async (cast: Cast<'ann' | 'bob' | 'max'>, name: string) => {
  const { ann, bob, max } = cast
  const sr = await foundSubsite(ann, name, { spam_comments: 'all' })
  const other = await submit(bob, name)
  const held = await say(bob, other, 'held back')
  const link = await submit(max, name)
  const comment = await say(max, other, 'held back, too')
  const exclude = (state: boolean) => settle(ann, sr, { exclude_banned_modqueue: String(state) })
  const waiting = async () => Number((await ann.get('/api/v1/me')).at('mod_queue_count'))
  const both = async () => [await queue(ann, name, 'modqueue'), await queue(ann, name, 'unmoderated')]
  const everything = [
    [comment, held],
    [link, other],
  ]
  return { other, held, link, comment, exclude, waiting, both, everything }
}

test.serial(
  'queues that exclude posts of permanently suspended accounts have those of all others, also of the temporarily suspended',
  async (t) => {
    const { max, root } = t.context
    const { exclude, both, everything } = await exclusive(t.context, 'inclusive')
    t.deepEqual(await both(), everything)
    await exclude(true)
    t.deepEqual(await both(), everything)
    await postForm(root, '/api/suspend_user', { name: max.name, duration: 3 })
    t.deepEqual(await both(), everything)
    await postForm(root, '/api/unsuspend_user', { name: max.name })
    await exclude(false)
  },
)

test.serial('queues can exclude posts of permanently suspended accounts, unless they were reported', async (t) => {
  const { ann, dave, root } = t.context
  const { other, held, link, comment, exclude, waiting, both, everything } = await exclusive(t.context, 'exclusive')
  const before = await waiting()
  await exclude(true)
  await postForm(root, '/api/suspend_user', { name: 'max' })
  t.deepEqual(await both(), [[held], [other]])
  t.deepEqual(await queue(ann, 'exclusive', 'spam'), [comment, held], 'other queues have it')
  t.is(await waiting(), before - 1)
  await report(dave, link)
  t.deepEqual(await queue(ann, 'exclusive', 'modqueue'), [link, held])
  t.is(await waiting(), before)
  await exclude(false)
  t.deepEqual(await queue(ann, 'exclusive', 'unmoderated'), everything[1])
  t.is(await waiting(), before + 1)
})
