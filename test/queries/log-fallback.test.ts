import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { accounts } from '../../projections/accounts.ts'
import { type CommentDocument, comments, commentsProjection } from '../../projections/comments.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { links } from '../../projections/links.ts'
import { messages, messagesProjection } from '../../projections/messages.ts'
import { relations } from '../../projections/relations.ts'
import { shelves } from '../../projections/shelves.ts'
import { subsites } from '../../projections/subsites.ts'
import { voteId, votes, votesProjection } from '../../projections/votes.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { type Document, getOne } from '../../src/ports/documents.ts'
import { withLogFallback, withNewThings } from '../../src/queries/log-fallback.ts'
import { ann, bob, carol, hello, pot, praise, story, tea, thanks } from '../support/example-history.ts'
import { project } from '../support/project.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const collections = [accounts, comments, links, messages, relations, shelves, subsites, votes]

/** Read models that know nothing yet of a log with the story. */
const late = async (t: ExecutionContext) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(() => stores.close())
  await stores.documents.prepare(collections)
  const asked: string[] = []
  const tell = async function* (stream: string) {
    asked.push(stream)
    yield story.filter((event) => event.stream === stream)
  }
  return { stores, asked, documents: withLogFallback(stores.documents, tell) }
}

test('a document folded from its own stream is complete if all its events are there', async (t) => {
  const { documents } = await late(t)
  for (const [projection, ids] of [
    [commentsProjection, [thanks]],
    [messagesProjection, [hello]],
    [votesProjection, [voteId(ann, pot), voteId(bob, pot), voteId(carol, pot), voteId(ann, thanks)]],
  ] as const) {
    const told = await documents.getMany<Document>(projection.collection, ids)
    const projected = project(projection as unknown as Projection, story)
    for (const id of ids)
      t.deepEqual(
        told.get(id),
        projected.find((document) => document.id === id),
        id,
      )
  }
})

test('a document folded from its own stream may lack effects of other streams only', async (t) => {
  const { documents } = await late(t)
  t.like(await getOne(documents, links, pot), {
    title: 'A good pot',
    author: ann,
    locked: true,
    ups: 1,
    downs: 0,
    comments: 0,
  })
  t.like(await getOne(documents, subsites, tea), { name: 'Tea', over18: true, subscribers: 0 })
  t.like(await getOne(documents, accounts, ann), { name: 'Ann', goldUntil: 0 })
})

test('existing documents come from the read models, and things without events stay absent', async (t) => {
  const { stores, documents, asked } = await late(t)
  const [document] = project(commentsProjection, story)
  if (!document) throw new Error('the story has comments')
  const position = '0'.repeat(19) + 1
  await stores.documents.write(
    [{ collection: comments, id: document.id, position, document: { ...document, ups: 7 } as CommentDocument }],
    {
      name: 'c',
      from: undefined,
      to: position,
    },
  )
  const found = await documents.getMany(comments, [document.id, 't1_nobody'])
  t.deepEqual([...found.keys()], [document.id])
  t.is(found.get(document.id)?.ups, 7)
  t.deepEqual(asked, ['comment-t1_nobody'])
  t.is((await documents.getMany(relations, ['whatever'])).size, 0)
})

test('of a thing just written nothing is looked up, and everything of others', async (t) => {
  const { documents, asked } = await late(t)
  const events = story.filter(({ stream, revision }) => stream === `comment-${thanks}` && revision === 0)
  const position = events[0]?.position
  if (position === undefined) throw new Error('the story has the comment')
  const remembered: unknown[] = []
  const remember: typeof documents.remember = ({ name }, known, at) => void remembered.push([name, [...known.keys()], at])
  const written = withNewThings({ ...documents, remember }, { events, position })
  const byVoter = { one: ann, idOf: (thing: string) => voteId(ann, thing) }
  t.deepEqual(
    (await written.getMany(comments, [thanks])).get(thanks),
    project(commentsProjection, events).find(({ id }) => id === thanks),
  )
  t.like((await written.getPairs(votes, byVoter, [thanks])).get(thanks), { insightful: true, funny: false })
  t.is((await written.getPairs(shelves, byVoter, [thanks])).size, 0)
  t.deepEqual(asked, [])
  t.deepEqual(remembered, [
    ['comments', [thanks], position],
    ['votes', [voteId(ann, thanks)], position],
    ['shelves', [voteId(ann, thanks)], position],
  ])
  t.deepEqual([...(await written.getMany(comments, [thanks, praise])).keys()].toSorted(), [praise, thanks].toSorted())
  t.deepEqual(asked, [`comment-${praise}`])

  const later = story.filter(({ stream, revision }) => stream === `link-${pot}` && revision > 0)
  const edited = withNewThings(documents, { events: later, position })
  t.like(await getOne(edited, links, pot), { title: 'A good pot' }, 'a thing that was there before')
})
