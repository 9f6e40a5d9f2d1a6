import test from 'ava'
import { snapshotsProjection } from '../../projections/snapshots.ts'
import { Comment, CommentDeleted, CommentEdited, CommentPosted, CommentRemoved } from '../../src/domain/comment.ts'
import { type Aggregate, fold } from '../../src/domain/decision.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { Link, LinkApproved, LinkDeleted, LinkEdited, LinkLocked, LinkRemoved, LinkSubmitted } from '../../src/domain/link.ts'
import { ann, bob, carol, pot, praise, story, tea } from '../support/example-history.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'
import { project } from '../support/project.ts'
import fc from '../support/properties.ts'

const target = { id: pot, author: ann, title: 'A secret title', excerpt: 'secret words' }
const onLink = { link: pot, subsite: tea, author: ann }
const submitted = inNameOf(ann)(
  LinkSubmitted({ ...onLink, title: 'A secret title', text: 'secret words', over18: false, sendReplies: true, filtered: false }),
)
const linkSteps: readonly ((n: number) => LoggedEvent)[] = [
  (n) => inNameOf(ann)(LinkEdited({ ...onLink, text: `secret words ${n}` })),
  () => inNameOf(ann)(LinkDeleted(onLink)),
  () => inNameOf(bob, 'moderator')(LinkRemoved({ subsite: tea, target, spam: false, before: false })),
  () => inNameOf(bob, 'moderator')(LinkApproved({ subsite: tea, target, before: true })),
  () => inNameOf(bob, 'moderator')(LinkLocked({ subsite: tea, target })),
]

const onComment = { comment: praise, link: pot, subsite: tea, author: bob }
const notified = [{ account: ann, reason: 'post_reply' as const }]
const posted = inNameOf(bob)(
  CommentPosted({ ...onComment, linkAuthor: ann, parent: null, body: 'secret words', filtered: false, notified }),
)
const commentSteps: readonly ((n: number) => LoggedEvent)[] = [
  (n) =>
    inNameOf(bob)(
      CommentEdited({ ...onComment, body: `secret words ${n}`, notified: [{ account: carol, reason: 'mention' }], withdrawn: [] }),
    ),
  (n) => inNameOf(bob)(CommentEdited({ ...onComment, body: `secret words ${n}`, notified: [], withdrawn: [carol] })),
  () => inNameOf(bob)(CommentDeleted({ ...onComment, notified: [ann] })),
  () =>
    inNameOf(
      ann,
      'moderator',
    )(CommentRemoved({ subsite: tea, target: { ...target, id: praise }, link: pot, before: false, notified: [ann], spam: true })),
]

const histories = (first: LoggedEvent, steps: readonly ((n: number) => LoggedEvent)[]) =>
  fc.tuple(fc.array(fc.nat(steps.length - 1), { minLength: 1, maxLength: 30 }), fc.nat()).map(([chosen, cut]) => ({
    events: loggedFrom([first, ...chosen.flatMap((at, n) => steps[at]?.(n) ?? [])]),
    cut: cut % (chosen.length + 1),
  }))

const cases = [
  ['link', Link, submitted, linkSteps],
  ['comment', Comment, posted, commentSteps],
] as unknown as readonly (readonly [string, Aggregate<object, AnyEvent>, LoggedEvent, typeof linkSteps])[]

for (const [name, aggregate, first, steps] of cases) {
  test(`a snapshot of a ${name} with the later events and texts gives the state of the whole stream, and contains no text`, (t) => {
    fc.assert(
      fc.property(histories(first, steps), ({ events, cut }) => {
        const [snapshot] = project(snapshotsProjection, events.slice(0, cut + 1))
        if (!snapshot || !aggregate.text) throw new Error('there is none')
        t.is(events[cut]?.id, snapshot.event)
        t.notRegex(JSON.stringify(snapshot), /secret/)
        const texts = [...new Set([0, snapshot.text])].flatMap((at) => events[at] ?? [])
        const told = fold(aggregate, undefined, texts as never) ?? {}
        const restored = aggregate.text.restored(JSON.parse(JSON.stringify(snapshot.state)), told)
        const whole = fold(aggregate, undefined, events as never)
        t.deepEqual(plain(fold(aggregate, restored, events.slice(cut + 1) as never)), plain(whole))
      }),
      { numRuns: 200 },
    )
  })
}

/** Absent is as good as undefined. */
const plain = (state: unknown): unknown => (state === undefined ? undefined : JSON.parse(JSON.stringify(state)))

test('a redelivered event changes no snapshot', (t) => {
  t.deepEqual(project(snapshotsProjection, [...story, ...story]), project(snapshotsProjection, story))
})
