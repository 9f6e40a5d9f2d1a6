import test from 'ava'
import { commentsProjection } from '../../projections/comments.ts'
import { linksProjection } from '../../projections/links.ts'
import { stickiesProjection } from '../../projections/stickies.ts'
import { votesProjection } from '../../projections/votes.ts'
import { CommentApproved, CommentDeleted, CommentEdited, CommentRemoved } from '../../src/domain/comment.ts'
import { LinkApproved, LinkDeleted, LinkEdited, LinkRemoved, LinkSubmitted, LinkUnlocked } from '../../src/domain/link.ts'
import { bucketsOf, hotRank } from '../../src/domain/ranking.ts'
import { LinkStickied, LinkUnstickied } from '../../src/domain/stickies.ts'
import { VoteCast } from '../../src/domain/vote.ts'
import { ann, bob, carol, pot, praise, story, tea, thanks, told } from '../support/example-history.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'
import { project } from '../support/project.ts'

const target = { id: pot, author: ann, title: 'A good pot', excerpt: '' }
const place = { comment: praise, link: pot, subsite: tea, author: bob }
const praised = { id: praise, author: bob, excerpt: 'What a pot!', link: pot }

const after = (...more: readonly LoggedEvent[]) => loggedFrom([...told, ...more])
const linkAfter = (...more: readonly LoggedEvent[]) => project(linksProjection, after(...more)).find(({ id }) => id === pot)
const commentAfter = (...more: readonly LoggedEvent[]) => project(commentsProjection, after(...more)).find(({ id }) => id === praise)
const timeOf = (type: string): number => story.find((event) => event.type === type)?.at ?? 0
const now = (events: number): number => (story.at(-1)?.at ?? 0) + events * 60_000

test('a link’s document has its state, its votes and its comments', (t) => {
  const created = timeOf('LinkSubmitted')
  t.deepEqual(project(linksProjection, story), [
    {
      id: pot,
      seq: Number.parseInt('pot', 36),
      subsite: tea,
      audience: 'everybody',
      author: ann,
      title: 'A good pot',
      url: 'https://www.Example.org/Pot#lid',
      urlKey: 'https://example.org/pot',
      domain: 'example.org',
      domain2: 'example.org',
      domain3: null,
      isSelf: false,
      text: '',
      over18: false,
      created,
      edited: null,
      ups: 2,
      downs: 1,
      score: 5,
      hot: hotRank(5, created),
      fun: 1 + 2 / 3,
      comments: 2,
      locked: true,
      sendReplies: true,
      contestMode: false,
      suggestedSort: '',
      flairText: '',
      flairCss: '',
      gilded: 0,
      slot: 1,
      removed: null,
      approved: null,
      deleted: false,
      distinguished: null,
      listed: true,
      ...bucketsOf(created),
    },
  ])
})

test('a comment’s document has its state, removed or not', (t) => {
  const [first, second] = project(commentsProjection, story)
  t.deepEqual(first, {
    id: praise,
    seq: Number.parseInt('praise', 36),
    link: pot,
    subsite: tea,
    audience: 'everybody',
    author: bob,
    linkAuthor: ann,
    parent: null,
    body: 'What a pot!',
    length: 11,
    created: timeOf('CommentPosted'),
    edited: null,
    ups: 2,
    downs: 0,
    score: 4,
    hot: hotRank(4, timeOf('CommentPosted')),
    fun: 0,
    removed: { by: carol, auto: false, spam: false, at: timeOf('CommentRemoved') },
    approved: null,
    deleted: false,
    gilded: 0,
    distinguished: null,
    listed: false,
    isRemoved: true,
  })
  t.like(second, { id: thanks, parent: praise, author: ann, listed: true, isRemoved: false, ups: 1 })
})

test('the votes of each account on a thing are one document, the author’s own vote included', (t) => {
  const votes = project(votesProjection, story)
  t.deepEqual(Object.fromEntries(votes.map(({ id, kind, insightful, funny }) => [id, [kind, insightful, funny]])), {
    [`${ann}.${pot}`]: ['link', true, false],
    [`${bob}.${pot}`]: ['link', false, true],
    [`${carol}.${pot}`]: ['link', true, false],
    [`${bob}.${praise}`]: ['comment', true, false],
    [`${ann}.${praise}`]: ['comment', true, false],
    [`${ann}.${thanks}`]: ['comment', true, false],
  })
})

test('a vote taken back lowers the counts and keeps the time of the first vote', (t) => {
  const taken = inNameOf(bob)(
    VoteCast({
      thing: pot,
      link: pot,
      subsite: tea,
      author: ann,
      voter: bob,
      before: { insightful: false, funny: true },
      after: { insightful: false, funny: false },
      karma: true,
    }),
  )
  t.like(linkAfter(taken), { ups: 2, downs: 0, score: 4, fun: 0 })
  const vote = project(votesProjection, after(taken)).find(({ id }) => id === `${bob}.${pot}`)
  t.like(vote, { insightful: false, funny: false, first: timeOf('VoteCast') })
})

test('an edit changes the text and the time of the edit, not the ranks', (t) => {
  const edit = inNameOf(ann)(LinkEdited({ link: pot, subsite: tea, author: ann, text: 'now with text' }))
  t.like(linkAfter(edit), { text: 'now with text', edited: now(1), ups: 2 })
  const comment = inNameOf(bob)(CommentEdited({ ...place, body: 'Oh, what a pot!', notified: [], withdrawn: [] }))
  t.like(commentAfter(comment), { body: 'Oh, what a pot!', length: 15, edited: now(1), ups: 2 })
})

test('a removed link is unlisted with its sort keys, and listed again when approved', (t) => {
  const removal = inNameOf(carol, 'moderator')(LinkRemoved({ subsite: tea, target, spam: true, before: false }))
  const approval = inNameOf(carol, 'moderator')(LinkApproved({ subsite: tea, target, before: true }))
  const removed = linkAfter(removal)
  t.like(removed, { listed: false, removed: { by: carol, auto: false, spam: true, at: now(1) }, hot: linkAfter()?.hot })
  t.like(linkAfter(removal, approval), { listed: true, removed: null, approved: { by: carol, at: now(2) } })
})

test('an admin who removes a thing is not named', (t) => {
  const removal = inNameOf('t2_root', 'admin')(LinkRemoved({ subsite: tea, target, spam: false, before: false }))
  t.deepEqual(linkAfter(removal)?.removed, { by: null, auto: false, spam: false, at: now(1) })
})

test('a deleted link stays unlisted when approved', (t) => {
  const deletion = inNameOf(ann)(LinkDeleted({ link: pot, subsite: tea, author: ann }))
  const approval = inNameOf(carol, 'moderator')(LinkApproved({ subsite: tea, target, before: false }))
  t.like(linkAfter(deletion, approval), { deleted: true, listed: false })
})

test('a filtered link is unlisted and removed without a moderator', (t) => {
  const born = inNameOf(bob)(
    LinkSubmitted({
      link: 't5_born',
      subsite: tea,
      author: bob,
      title: 'spam?',
      text: 'buy',
      over18: true,
      sendReplies: false,
      filtered: true,
    }),
  )
  const link = project(linksProjection, after(born)).find(({ id }) => id === 't5_born')
  t.like(link, {
    isSelf: true,
    url: null,
    urlKey: null,
    domain: '',
    domain2: null,
    domain3: null,
    text: 'buy',
    over18: true,
    sendReplies: false,
    listed: false,
  })
  t.deepEqual(link?.removed, { by: null, auto: true, spam: true, at: now(1) })
})

test('a deleted comment is not counted, a removed one is', (t) => {
  t.is(linkAfter()?.comments, 2) // the story removed one of them
  t.is(linkAfter(inNameOf(bob)(CommentDeleted({ ...place, notified: [ann] })))?.comments, 1)
  t.like(commentAfter(inNameOf(bob)(CommentDeleted({ ...place, notified: [ann] }))), { deleted: true, listed: false })
})

test('an approved comment is visible again until it is removed again', (t) => {
  const verdict = { subsite: tea, target: praised, link: pot, notified: [ann] }
  const approval = inNameOf(carol, 'moderator')(CommentApproved({ ...verdict, before: true }))
  const removal = inNameOf(carol, 'moderator')(CommentRemoved({ ...verdict, before: false, spam: true }))
  t.like(commentAfter(approval), { isRemoved: false, listed: true, removed: null, approved: { by: carol, at: now(1) } })
  t.like(commentAfter(approval, removal), { isRemoved: true, listed: false, approved: null })
})

test('a locked link can be unlocked', (t) => {
  t.false(linkAfter(inNameOf(carol, 'moderator')(LinkUnlocked({ subsite: tea, target })))?.locked)
})

test('stickies have slots; the lower one moves up, and a displaced one leaves', (t) => {
  const [two, three] = [
    { ...target, id: 't5_two' },
    { ...target, id: 't5_three' },
  ]
  const mod = inNameOf(carol, 'moderator')
  const second = mod(LinkStickied({ subsite: tea, target: two, slot: 2 }))
  const shown = (...more: readonly LoggedEvent[]) => project(stickiesProjection, after(...more)).map(({ links }) => links)
  t.deepEqual(shown(second), [[pot, 't5_two']])
  t.deepEqual(shown(second, mod(LinkUnstickied({ subsite: tea, target, slot: 1, reason: 'asked' }))), [['t5_two']])
  const displaced = mod(LinkUnstickied({ subsite: tea, target, slot: 1, reason: 'replaced' }))
  t.deepEqual(shown(second, displaced, mod(LinkStickied({ subsite: tea, target: three, slot: 1 }))), [['t5_three', 't5_two']])
  t.is(linkAfter(second, displaced)?.slot, null)
})
