import { StoreFault } from '../../src/ports/faults.ts'
import { joining, startTea } from '../support/cast.ts'
import { eventually, settled, unchanged } from '../support/community.ts'
import { compose, unread } from '../support/mail.ts'
import { names, refusalOf, say, submit } from '../support/posting.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['carol', 'root']))

test.serial('read_all_messages marks all earlier entries as read, once in ten minutes', async (t) => {
  const { site, ann } = t.context
  const { rita, sven } = await joining(site, 'rita', 'sven')
  t.is((await rita.post('/api/read_all_messages')).status, 202, 'an empty inbox')
  for (let n = 0; n < 5; n += 1) await compose(sven, 'rita', `message ${n}`)
  const link = await submit(rita, 'tea')
  await say(ann, link, 'an answer')
  t.is(await unread(rita), 6)
  const answer = await rita.post('/api/read_all_messages')
  t.is(answer.status, 202)
  t.is(answer.text, '')
  t.is(answer.headers.get('content-length'), '0')
  t.is(await unread(rita), 0)
  t.deepEqual(names(await rita.get('/message/unread')), [])
  t.is(names(await rita.get('/message/inbox')).length, 6)
  await compose(sven, 'rita', 'later')
  t.is(await unread(rita), 1)
  t.true(await unchanged(site, async () => t.is((await rita.post('/api/read_all_messages')).status, 429)))
  t.is(await unread(rita), 1)
  t.is(refusalOf(await site.post('/api/read_all_messages')), 'USER_REQUIRED')
  t.is((await (await rita.withScopes('read')).post('/api/read_all_messages')).status, 403)
})

test.serial('read_all_messages interrupted by a restart is completed for the earlier entries only', async (t) => {
  const directory = temporaryDirectory(t)
  const before = await startSite({ directory, logLevel: 'silent' })
  const { ruth, saul } = await joining(before, 'ruth', 'saul')
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
  await settled(after)
  t.deepEqual(names(await after.get('/message/unread', session)), [later])
  t.deepEqual(names(await after.get('/message/inbox', session)), [later, three, two, one])
  t.is((await after.get('/api/me.json', session)).at('data.inbox_count'), 1)
  t.is((await after.post('/api/read_all_messages', {}, session)).status, 429, 'the wait counts on')
  t.is((await after.post('/api/unread_message', { id: two }, session)).status, 200)
  t.deepEqual(names(await after.get('/message/unread', session)), [later, two])
})
