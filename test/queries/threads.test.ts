import test from 'ava'
import type { LinkDocument } from '../../projections/links.ts'
import type { DocumentStore } from '../../src/ports/documents.ts'
import { openCommentIndex } from '../../src/queries/comment-index.ts'
import type { Reading } from '../../src/queries/reading.ts'
import { selectThatFits } from '../../src/queries/threads.ts'

test('ranking, selecting and reading comments of a large thread each take a turn of the event loop', async (t) => {
  const thread = openCommentIndex()
  for (let seq = 1; seq <= 20_000; seq += 1)
    thread.add({
      seq,
      parent: undefined,
      author: 't2_1',
      ups: seq,
      downs: 0,
      length: 5,
      deleted: false,
      removed: false,
      distinguished: false,
    })
  let turns = 0
  let whenRead = 0
  const turn = () => {
    turns += 1
    if (whenRead === 0 && turns < 10) setImmediate(turn)
  }
  const getMany = async () => {
    whenRead = turns
    return new Map()
  }
  const link = { id: 't5_1', author: 't2_1', subsite: 't4_1' } as LinkDocument
  const read = { isModerator: () => true, moderates: () => true, viewer: {} } as unknown as Reading
  const selection = { view: { kind: 'whole' }, sort: 'top', limit: 10, depth: 10, showMore: true } as const
  const selecting = selectThatFits({ getMany } as unknown as DocumentStore, thread.index(), link, read, selection)
  setImmediate(turn)
  const { placed } = await selecting
  t.is(placed.length, 11, 'ten comments and what is left out')
  t.is(whenRead, 2)
})

test('all viewers share the selection of a thread, unless a comment in it was removed', async (t) => {
  const link = { id: 't5_1', author: 't2_1', subsite: 't4_1' } as LinkDocument
  const getMany = async (_: unknown, ids: readonly string[]) => new Map(ids.map((id) => [id, { id }]))
  const selected = async (thread: ReturnType<typeof openCommentIndex>, account: string, limit = 10) => {
    const read = { isModerator: () => true, moderates: () => false, viewer: { account } } as unknown as Reading
    const selection = { view: { kind: 'whole' }, sort: 'top', limit, depth: 10, showMore: true } as const
    return (await selectThatFits({ getMany } as unknown as DocumentStore, thread.index(), link, read, selection)).placed
  }
  const thread = openCommentIndex()
  const comment = { parent: undefined, ups: 1, downs: 0, length: 5, deleted: false, removed: false, distinguished: false }
  for (const seq of [1, 2, 3]) thread.add({ ...comment, seq, author: `t2_${seq}` })
  t.is(await selected(thread, 't2_1'), await selected(thread, 't2_2'))
  t.is((await selected(thread, 't2_1', 1)).length, 2, 'one comment and what is left out')
  thread.add({ ...comment, seq: 3, author: 't2_3', removed: true, distinguished: false })
  t.is((await selected(thread, 't2_1')).length, 2)
  t.is((await selected(thread, 't2_3')).length, 3, 'its author sees it')
})
