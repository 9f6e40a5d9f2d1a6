import test from 'ava'
import { reactionQueue } from '../../src/reactions/queue.ts'
import { browserAs } from '../support/browser-requests.ts'
import { newcomer, startTea } from '../support/cast.ts'
import { eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { submit } from '../support/posting.ts'

const { site, ann, bob, root } = await startTea(['root'], { logLevel: 'fatal', defaultSubsites: ['tea'] })
test.after.always(() => site.stop())

test.serial('only admins see the state of the service, try its reactions again, and look accounts up', async (t) => {
  for (const path of ['/api/v1/site/status', '/api/v1/site/account?name=bob', '/admin', '/admin/accounts', '/admin/log']) {
    t.is((await site.get(path)).status, 403, path)
    for (const other of [ann, bob]) t.is((await other.get(path)).status, 403, path)
    t.is((await root.get(path)).status, 200, path)
  }
  t.is((await site.post('/api/v1/site/retry_reactions')).status, 403)
  for (const other of [ann, bob]) t.is((await other.post('/api/v1/site/retry_reactions')).status, 403)
  t.deepEqual((await root.post('/api/v1/site/retry_reactions')).body, { done: 0, left: 0 })
})

test.serial('the state of the service is that of now, with what it has counted', async (t) => {
  const status = async () => (await root.get('/api/v1/site/status')).body as Readonly<Record<string, unknown>>
  await waitUntilSettled(site)
  const before = await status()
  t.like(before, { ready: true, problems: [], parked: [], reactions: [], reactions_queued: 0, admins: ['root'], default_subsites: ['tea'] })
  const counted = (from: typeof before) => from.since_start as Readonly<Record<string, number>>
  await site.get('/nothing/here')
  await submit(ann, 'tea')
  await waitUntilSettled(site)
  const after = await status()
  for (const name of ['requests', 'refused', 'appended']) t.true(Number(counted(after)[name]) > Number(counted(before)[name]), name)
  t.is(counted(after).failed, 0)
  t.true(String(after.head) > String(before.head))
  t.true((after.shards as readonly { readonly position: string }[]).every(({ position }) => position === after.head))
  t.true(await eventually(async () => ((await status()).signed as { readonly events: number } | null) !== null))
  const { signed } = (await status()) as { readonly signed: { readonly origin: string } }
  t.true((await site.get('/history/log/checkpoint')).text.startsWith(`${signed.origin}\n`))
})

test.serial('an event whose reaction fails is named with the reason, and tried again on demand', async (t) => {
  const entry = { id: '00000000-0000-5000-8000-000000000001', type: 'LinkRemoved', stream: 'link-t5_zzz', revision: 0, position: '0' }
  const queue = reactionQueue(site.running.stores.vault)
  await queue.put({ ...entry, error: 'no kettle', tries: 1, since: Date.now() })
  t.deepEqual((await root.post('/api/v1/site/retry_reactions')).body, { done: 0, left: 1 })
  const { body } = await root.get('/api/v1/site/status')
  const { reactions, reactions_queued } = body as { readonly reactions: readonly object[]; readonly reactions_queued: number }
  t.is(reactions_queued, 1)
  t.like(reactions[0], { event: entry.id, stream: entry.stream, error: 'the event is no longer at revision 0 of link-t5_zzz' })
  await queue.remove(entry)
})

test.serial('the last warnings in the log of the process are there for its admins', async (t) => {
  site.running.app.log.warn({ err: new Error('it is cold') }, 'the kettle could not be read')
  const silent = (await root.get('/api/v1/site/status')).at('recent') as readonly { readonly message: string }[]
  t.false(
    silent.some(({ message }) => message.includes('kettle')),
    'what the log leaves out is not remembered',
  )
  site.running.app.log.fatal({ err: new Error('it is cold') }, 'the kettle could not be read')
  const [line] = (await root.get('/api/v1/site/status')).at('recent') as readonly { readonly level: string; readonly message: string }[]
  t.like(line, { level: 'fatal', message: 'the kettle could not be read: it is cold' })
})

test.serial('an account is shown with its suspension, credits and gold, also after its end', async (t) => {
  const who = await newcomer(site)
  const account = async (name = who.name) => (await root.get(`/api/v1/site/account?name=${name}`)).at('account')
  t.like(await account(who.name.toUpperCase()), { name: who.name, is_suspended: false, is_deleted: false, is_admin: false, gold_csites: 0 })
  await postForm(root, '/api/suspend_user', { name: who.name, duration: '3' })
  await postForm(root, `/api/v1/gold/grant/${who.name}`, { csites: '12' })
  const suspended = (await account()) as { readonly suspension_expiration_utc: number }
  t.like(suspended, { is_suspended: true, gold_csites: 12 })
  t.true(Math.abs(suspended.suspension_expiration_utc - (Date.now() / 1000 + 3 * 86_400)) < 60)
  await postForm(root, '/api/suspend_user', { name: who.name })
  t.like(await account(), { is_suspended: true, suspension_expiration_utc: null })
  await postForm(root, '/api/erase_user', { name: who.name })
  t.like(await account(), { name: who.name, is_deleted: true })
  t.like(await account('root'), { is_admin: true })
  t.is(await account('nosuchname'), null)
  t.is((await root.get('/api/v1/site/account')).at('account'), null)
})

test.serial('a stream that an unreadable event stopped is marked as one that only a rebuild mends', async (t) => {
  const id = await submit(ann, 'tea')
  const { events } = site.running.stores
  const unreadable = { id: '00000000-0000-5000-8000-0000000000fe', type: 'TeaSpilt', data: '{}', meta: '{}' }
  const stream = `link-${id}`
  t.is((await events.append(stream, 0, [unreadable])).outcome, 'appended')
  const parked = async () => (await root.get('/api/v1/site/status')).at('parked') as readonly object[]
  t.true(await eventually(async () => (await parked()).length === 1))
  t.like((await parked())[0], { collection: '*', document: stream, type: 'TeaSpilt', later: 0, retried: false })
  const { text } = await (await browserAs(site, root)).get('/admin')
  t.true(text.includes('<b>rebuild</b> ') && text.includes('TeaSpilt'))
})
