import { StoreFault } from '../../src/ports/faults.ts'
import { type Cast, joinSite, newcomer, startTea } from '../support/cast.ts'
import { eventually, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { compose, countUnread } from '../support/mail.ts'
import { names, refusalOf, say, submit } from '../support/posting.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['carol', 'root']))

/** An account with five messages of another's and an answer in its inbox, which it marks as read; and what it was answered. */
const readAll = async ({ site, ann }: Cast<'ann'>) => {
  const [reader, writer] = [await newcomer(site), await newcomer(site)]
  for (let n = 0; n < 5; n += 1) await compose(writer, reader.name, `message ${n}`)
  await say(ann, await submit(reader, 'tea'), 'an answer')
  const before = await countUnread(reader)
  return { reader, writer, before, answer: await reader.post('/api/read_all_messages') }
}

test.serial('read_all_messages marks all entries as read, which stay in the inbox', async (t) => {
  const { reader, before, answer } = await readAll(t.context)
  t.is(before, 6)
  t.is(answer.status, 202)
  t.is(answer.text, '')
  t.is(answer.headers.get('content-length'), '0')
  t.is(await countUnread(reader), 0)
  t.deepEqual(names(await reader.get('/message/unread')), [])
  t.is(names(await reader.get('/message/inbox')).length, 6)
})

test.serial('read_all_messages within ten minutes of another is refused, and marks no later entry', async (t) => {
  const { site } = t.context
  const { reader, writer } = await readAll(t.context)
  await compose(writer, reader.name, 'later')
  t.is(await countUnread(reader), 1)
  t.true(
    await recordsNothing(site, async () => {
      const refused = await reader.post('/api/read_all_messages')
      t.deepEqual([refused.status, refused.at('explanation')], [429, 'an inbox can be marked as read once in ten minutes'])
      const wait = Number(refused.headers.get('retry-after'))
      t.true(wait > 500 && wait <= 600, String(wait))
    }),
  )
  t.is(await countUnread(reader), 1)
})

test.serial('read_all_messages of an empty inbox is accepted but does not count towards the limit', async (t) => {
  const reader = await newcomer(t.context.site)
  t.is((await reader.post('/api/read_all_messages')).status, 202)
  t.is((await reader.post('/api/read_all_messages')).status, 202)
})

test.serial('read_all_messages needs an account and the scope privatemessages', async (t) => {
  const { site, bob } = t.context
  t.is(refusalOf(await site.post('/api/read_all_messages')), 'USER_REQUIRED')
  t.is((await (await bob.withScopes('read')).post('/api/read_all_messages')).status, 403)
})

test.serial('read_all_messages interrupted by a restart is completed for the earlier entries only', async (t) => {
  const directory = temporaryDirectory(t)
  const before = await startSite({ directory, logLevel: 'silent' })
  const { ruth, saul } = await joinSite(before, 'ruth', 'saul')
  const { cookie, modhash } = await ruth.session()
  const session = { Cookie: cookie, 'X-Modhash': modhash }
  for (const subject of ['one', 'two', 'three']) await compose(saul, 'ruth', subject)
  const [three = '', two = '', one = ''] = names(await ruth.get('/message/unread'))
  const { events } = before.running.stores
  const append: typeof events.append = events.append.bind(events)
  Object.assign(events, {
    append: async (...[stream, ...rest]: Parameters<typeof append>) => {
      if (stream.startsWith(`inbox-${ruth.id}.`)) throw new StoreFault('unavailable', 'not now')
      return append(stream, ...rest)
    },
  })
  t.is((await before.post('/api/read_all_messages', {}, session)).status, 202)
  await compose(saul, 'ruth', 'later')
  const [later = ''] = names(await ruth.get('/message/unread'))
  t.deepEqual(names(await ruth.get('/message/unread')), [later, three, two, one], 'not done yet')
  await before.stop()

  const after = await startSite({ directory })
  t.teardown(after.stop)
  t.true(await eventually(async () => names(await after.get('/message/unread', session)).length === 1))
  await waitUntilSettled(after)
  t.deepEqual(names(await after.get('/message/unread', session)), [later])
  t.deepEqual(names(await after.get('/message/inbox', session)), [later, three, two, one])
  t.is((await after.get('/api/me.json', session)).at('data.inbox_count'), 1)
  t.is((await after.post('/api/read_all_messages', {}, session)).status, 429, 'the wait counts on')
  t.is((await after.post('/api/unread_message', { id: two }, session)).status, 200)
  t.deepEqual(names(await after.get('/message/unread', session)), [later, two])
})
