import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { claimUsername, Username } from '../../src/domain/account.ts'
import { Link } from '../../src/domain/link.ts'
import { Stickies, stickyLink } from '../../src/domain/stickies.ts'
import { approveLink, removeLink } from '../../src/domain/thing-moderation.ts'
import { castVote, directions, Vote } from '../../src/domain/vote.ts'
import { runner } from '../../src/runtime/run.ts'
import { type WriteSide, writeSide } from '../support/commanding.ts'
import { streamOf } from '../support/stream-of.ts'
import { rightOf, submit } from '../support/submitted-link.ts'

/** 64 commands at once from two runners that know nothing of each other, as from two processes. */
const race = async <T>(side: WriteSide, act: (side: WriteSide, i: number) => Promise<T>) => {
  const other = { ...side, ...runner({ events: side.events, codec: side.log }) }
  return Promise.all(Array.from({ length: 64 }, (_, i) => act(i % 2 === 0 ? side : other, i)))
}

test('64 concurrent contradictory votes of one account leave the marks that the log explains', async (t) => {
  const side = await writeSide(t)
  const thing = { id: 't5_1', link: 't5_1', subsite: 't4_1', author: 't2_ann', created: Date.now(), deleted: false }
  const results = await race(side, ({ run, by }, i) =>
    run(Vote, 't2_bob.t5_1', castVote(thing, { voter: 't2_bob', at: Date.now() }, directions[i % 4] ?? 1), by('t2_bob')),
  )
  const votes = await side.log.open(await streamOf(side.events, 'vote-t2_bob.t5_1', 0))
  t.is(
    votes.length,
    results.reduce((sum, result) => sum + rightOf(result).events.length, 0),
  )
  let marks = { insightful: false, funny: false }
  for (const vote of votes) {
    if (vote.type !== 'VoteCast') return t.fail()
    t.deepEqual(vote.data.before, marks)
    marks = { ...vote.data.after }
  }
  t.deepEqual(await side.load(Vote, 't2_bob.t5_1'), marks)
})

test('one of 64 concurrent claims of a name succeeds', async (t) => {
  const side = await writeSide(t)
  const results = await race(side, ({ run, by }, i) => run(Username, 'ann', claimUsername(`t2_${i}`, 'ann'), by(`t2_${i}`)))
  t.is(results.filter(E.isRight).length, 1)
  for (const result of results) if (E.isLeft(result)) t.is(result.left.code, 'USERNAME_TAKEN')
  t.is((await streamOf(side.events, 'username-ann', 0)).length, 1)
})

test('of 64 concurrent removals and approvals each is decided on the one before', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  await race(side, ({ run, by }, i) => run(Link, 't5_1', i % 2 === 0 ? removeLink(true) : approveLink, by('t2_mod', 'moderator')))
  const [, ...verdicts] = await side.log.open(await streamOf(side.events, 'link-t5_1', 0))
  t.is(verdicts.length, 64)
  let removed = false
  for (const verdict of verdicts) {
    if (verdict.type !== 'LinkRemoved' && verdict.type !== 'LinkApproved') return t.fail()
    t.is(verdict.data.before, removed)
    removed = verdict.type === 'LinkRemoved'
  }
  t.is((await side.load(Link, 't5_1'))?.removed, removed)
})

test('of 64 concurrent stickies each succeeds, is displaced or refused as stickied; two stay', async (t) => {
  const side = await writeSide(t)
  const ids = Array.from({ length: 32 }, (_, i) => `t5_${i.toString(36)}`)
  await Promise.all(ids.map((id) => submit(side, id)))
  const results = await race(side, async ({ run, load, by }, i) => {
    const link = await load(Link, ids[i % 32] ?? '')
    if (!link) throw new Error('it was submitted')
    return run(Stickies, 't4_1', stickyLink(link), by('t2_mod', 'moderator'))
  })
  for (const result of results) if (E.isLeft(result)) t.is(result.left.code, 'ALREADY_STICKIED')
  t.is((await side.load(Stickies, 't4_1'))?.length, 2)
})
