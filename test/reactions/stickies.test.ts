import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { snapshots } from '../../projections/snapshots.ts'
import { Comment, CommentPosted, deleteComment } from '../../src/domain/comment.ts'
import { deleteLink, Link } from '../../src/domain/link.ts'
import { Stickies, stickyLink, unstickyLink } from '../../src/domain/stickies.ts'
import { StickyComment, stickyComment } from '../../src/domain/sticky-comment.ts'
import { approveComment, approveLink, distinguishComment, removeComment, removeLink } from '../../src/domain/thing-moderation.ts'
import { getOne } from '../../src/ports/documents.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { carryOut } from '../../src/reactions/process.ts'
import { runner } from '../../src/runtime/run.ts'
import { readModels } from '../support/commanding.ts'
import { moderatorOf, react, readAllOpened, type Site, site } from '../support/reaction-site.ts'
import { streamOf } from '../support/stream-of.ts'

const sticky = async (side: Site, id: string) => {
  const link = await side.load(Link, id)
  if (!link) throw new Error('it was submitted')
  return side.run(Stickies, 't4_1', stickyLink(link), moderatorOf(side))
}
test('removing a stickied link unstickies it, by the same moderator and caused by the removal', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await sticky(side, 't5_2')
  await side.run(Link, 't5_1', removeLink(true), side.by('t2_cat', 'moderator'))
  await react(side)
  t.deepEqual(
    (await side.load(Stickies, 't4_1'))?.map(({ target }) => target.id),
    ['t5_2'],
  )
  const events = await readAllOpened(side)
  const removal = events.find(({ type }) => type === 'LinkRemoved')
  const freed = events.find(({ type }) => type === 'LinkUnstickied')
  t.like(freed, { by: { account: 't2_cat', as: 'moderator' }, at: removal?.at, data: { reason: 'removed', slot: 1 } })
  t.is(freed?.meta.causationId, removal?.id)
  t.is(freed?.meta.correlationId, removal?.meta.correlationId)
})

test('a removal reads a bounded part of the subsite’s stickies, however long their stream', async (t) => {
  const side = await site(t, readModels)
  const link = await side.load(Link, 't5_1')
  if (!link) throw new Error('it was submitted')
  for (let n = 0; n < 150; n += 1) {
    await sticky(side, 't5_1')
    await side.run(Stickies, 't4_1', unstickyLink(link), moderatorOf(side))
  }
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', removeLink(true), moderatorOf(side))
  t.true(await side.waitUntilProjected(await side.events.head(), 60_000))

  let read = 0
  const counted = async (stream: string, page: ReturnType<EventStore['read']>) => {
    if (stream.startsWith('stickies-')) read += (await page).events.length
    return page
  }
  const events: EventStore = {
    ...side.events,
    read: (...args) => counted(args[0], side.events.read(...args)),
    readBackwards: (...args) => counted(args[0], side.events.readBackwards(...args)),
  }
  const snapshotOf = (stream: string) => getOne(side.documents, snapshots, stream)
  const anew = runner({ events, codec: side.log, snapshots: snapshotOf })
  const removal = (await side.events.readAll('0'.repeat(20), 1_000)).slice(-1)
  await carryOut({ ...side, ...anew, events, open: side.log.open, hadParticipated: async () => false })(removal)
  t.deepEqual(await side.load(Stickies, 't4_1'), [])
  t.is((await streamOf(side.events, 'stickies-t4_1')).length, 302)
  t.true(read > 0 && read < 60, `${read} events were read`)
})

test('a link approved and stickied after its removal keeps its slot when the removal is processed again', async (t) => {
  const side = await site(t)
  await side.run(Link, 't5_1', removeLink(true), moderatorOf(side))
  await react(side)
  await side.run(Link, 't5_1', approveLink, moderatorOf(side))
  await sticky(side, 't5_1')
  const head = await side.events.head()
  await react(side)
  t.is(await side.events.head(), head)
})

test('deleting a stickied link unstickies it without a moderator action', async (t) => {
  const side = await site(t)
  await sticky(side, 't5_1')
  await side.run(Link, 't5_1', deleteLink('t2_ann'), side.by('t2_ann'))
  await react(side)
  const freed = (await readAllOpened(side)).find(({ type }) => type === 'LinkUnstickied')
  t.like(freed, { by: { account: null, as: 'system' }, data: { reason: 'deleted' } })
})

test('a sticky concurrent with the removal of its link is undone', async (t) => {
  const side = await site(t)
  const command = moderatorOf(side)
  const link = await side.load(Link, 't5_1', command)
  if (!link) return t.fail()
  await side.run(Link, 't5_1', removeLink(true), moderatorOf(side))
  await react(side)
  await side.run(Stickies, 't4_1', stickyLink(link), command) // decided on what it was before
  await react(side)
  t.deepEqual(await side.load(Stickies, 't4_1'), [])
})

const comment = async (side: Site, id = 't1_1') => {
  const posted = { comment: id, link: 't5_1', subsite: 't4_1', author: 't2_cat', linkAuthor: 't2_ann', parent: null, body: 'x' }
  await side.run(Comment, id, () => E.right([CommentPosted({ ...posted, filtered: false, notified: [] })]), side.by('t2_cat'))
  await side.run(Comment, id, distinguishComment('t2_cat', { deleted: false }, { after: 'moderator' }), moderatorOf(side))
}
const lead = async (side: Site, command = moderatorOf(side)) => {
  const found = await side.load(Comment, 't1_1', command)
  if (!found) throw new Error('it was posted')
  return () => side.run(StickyComment, 't5_1', stickyComment(found), command)
}
const leading = async (side: Site) => (await side.load(StickyComment, 't5_1'))?.stickied?.target.id

const leavings = {
  removed: (side: Site) => side.run(Comment, 't1_1', removeComment(false), side.by('t2_cat', 'moderator')),
  deleted: (side: Site) => side.run(Comment, 't1_1', deleteComment('t2_cat'), side.by('t2_cat')),
  asked: (side: Site) =>
    side.run(Comment, 't1_1', distinguishComment('t2_cat', { deleted: false }, { after: null }), side.by('t2_cat', 'moderator')),
} as const

for (const reason of ['removed', 'deleted', 'asked'] as const) {
  test(`a stickied comment is unstickied, with the reason ${reason}`, async (t) => {
    const side = await site(t)
    await comment(side)
    await (await lead(side))()
    t.is(await leading(side), 't1_1')
    await leavings[reason](side)
    await react(side)
    t.is(await leading(side), undefined)
    const left = (await readAllOpened(side)).filter(({ type }) => type === 'CommentUnstickied')
    const by = reason === 'deleted' ? { account: null, as: 'system' } : { account: 't2_cat', as: 'moderator' }
    t.is(left.length, 1)
    t.like(left[0], { by, data: { reason } })
    await react(side)
    t.is((await readAllOpened(side)).filter(({ type }) => type === 'CommentUnstickied').length, 1)
  })

  test(`a comment stickied at the same time is unstickied, with the reason ${reason}`, async (t) => {
    const side = await site(t)
    await comment(side)
    const act = await lead(side)
    await leavings[reason](side)
    await react(side)
    await act() // decided on what it was before
    await react(side)
    t.is(await leading(side), undefined)
  })
}

test('a comment approved and stickied after its removal stays sticky when the removal is processed again', async (t) => {
  const side = await site(t)
  await comment(side)
  await leavings.removed(side)
  await react(side)
  await side.run(Comment, 't1_1', approveComment, moderatorOf(side))
  await (await lead(side))()
  await react(side)
  t.is(await leading(side), 't1_1')
})
