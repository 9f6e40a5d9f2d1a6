import { join } from 'node:path'
import test from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { WikiPageRevised } from '../../src/domain/wiki-page.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { openStreams } from '../../src/log/opened-streams.ts'
import { comment, id, stamp } from '../support/sealing.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const author = 't2_ann'
const revised = (content: string) => WikiPageRevised({ subsite: 't4_1', page: 'index', author, content, previous: null })

test('a revision of a wiki page that was appended here is not read from the log, and no longer readable once its key is destroyed', async (t) => {
  const { events, vault, close } = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(close)
  const keys = openKeyring(vault)
  const sealing = codec(keys)
  const asked: string[] = []
  const read: typeof events.read = (stream, from, max) => {
    asked.push(`${stream}@${from}`)
    return events.read(stream, from, max)
  }
  const { append, readEvent } = openStreams({ ...events, read }, sealing)
  const textAt = async (stream: string, revision: number) => {
    const event = await readEvent(stream, revision)
    return event?.type === 'WikiPageRevised' ? event.data.content : event?.type
  }
  const page = 'wikipage-t4_1.index'
  const sealed = await sealing.seal([stamp(revised('first')), stamp(revised('second'), { id: id.replace('0', '1') })])
  await append(page, 'none', sealed.slice(0, 1))
  t.like(await append(page, 'none', sealed.slice(1)), { outcome: 'conflict' })
  await append('comment-t1_1', 'none', await sealing.seal([stamp(comment('words'), { id: id.replace('0', '2') })]))
  t.deepEqual([await textAt(page, 0), await textAt(page, 1), await textAt('comment-t1_1', 0)], ['first', undefined, 'CommentPosted'])
  t.deepEqual(asked, [`${page}@1`, 'comment-t1_1@0'])
  t.deepEqual(await readEvent(page, 0), await openStreams(events, sealing).readEvent(page, 0))
  await keys.eraseAccount(author)
  t.is(await textAt(page, 0), '[erased]')
})
