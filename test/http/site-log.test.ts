import test from 'ava'
import { findingsOf } from '../support/auditing.ts'
import { five, newcomer, startCast } from '../support/cast.ts'
import { dataOf, eventually, logEntries, postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob, root } = await startCast(five)
test.after.always(() => site.stop())

const PATH = '/api/v1/site/log'
const entries = async (reader: Caller, query = '') => dataOf(await reader.get(`${PATH}?${query}`))
const counts = async () => (await site.get('/api/v1/site/log_counts')).body as Readonly<Record<string, number>>
const sizeOfTree = async () => Number((await site.get('/history/site/checkpoint')).text.split('\n')[1])

test.serial('acts of admins on the whole site have a log, which admins read; everybody reads how many there are', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  const before = await counts()
  await postForm(root, '/api/suspend_user', { name: who.name, duration: '3', note: 'a secret note' })
  await postForm(root, '/api/suspend_user', { name: who.name, note: 'a secret note' })
  await postForm(root, '/api/unsuspend_user', { name: who.name })
  await postForm(root, `/api/v1/gold/grant/${who.name}`, { csites: '12' })
  await postForm(ann, '/api/compose', { to: bob.name, subject: 'hello', text: 'forbidden words' })
  await waitUntilSettled(site)
  const [mail] = dataOf(await bob.get('/message/inbox'))
  await postForm(root, '/api/erase_thing', { id: String(mail?.name), reason: 'ordered by a court' })
  await postForm(root, '/api/erase_user', { name: other.name })
  // acts of admins in a subsite are in the log of that subsite
  await foundSubsite(ann, 'sited')
  await postForm(root, '/api/lock', { id: await submit(ann, 'sited') })
  await waitUntilSettled(site)

  const log = await entries(root)
  const changesOf = ({ changes }: Readonly<Record<string, unknown>>) =>
    (changes as readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[]).map(
      ({ field, before: old, after }) => [field, old, after],
    )
  const told = log.map((entry) => [entry.action, entry.mod, entry.target_fullname, entry.description, changesOf(entry)])
  const until = log
    .flatMap(changesOf)
    .flat()
    .find((value) => Number(value) > 1_000_000_000)
  t.deepEqual(told.slice(0, 6), [
    ['eraseuser', 'root', other.id, null, []],
    ['erasemessage', 'root', mail?.name, 'ordered by a court', []],
    ['grantcredits', 'root', who.id, null, [['credits', 0, 12]]],
    ['unsuspenduser', 'root', who.id, null, [['until', 'permanent', null]]],
    ['suspenduser', 'root', who.id, null, [['until', until, 'permanent']]],
    ['suspenduser', 'root', who.id, null, [['until', null, until]]],
  ])
  t.like(log.at(-1), {
    action: 'addadmin',
    mod: '[service]',
    target_fullname: root.id,
    changes: [{ field: 'admin', before: null, after: 'admin' }],
  })
  t.false(JSON.stringify(log).includes('secret'))
  t.deepEqual(
    (await logEntries(root, 'sited')).map(({ action }) => action),
    ['lock'],
  )
  for (const [reader, status] of [
    [site, 403],
    [ann, 403],
    [who, 403],
  ] as const)
    t.is((await reader.get(PATH)).status, status)

  const after = await counts()
  const more = { suspenduser: 2, unsuspenduser: 1, grantcredits: 1, erasemessage: 1, eraseuser: 1, addadmin: 0 }
  for (const [action, added] of Object.entries(more)) t.is((after[action] ?? 0) - (before[action] ?? 0), added, action)
  t.is(after.addadmin, 1)
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial('the log of the site is in a tree of its own, in its order, and admins are given proofs', async (t) => {
  const who = await newcomer(site)
  for (const path of ['/api/suspend_user', '/api/unsuspend_user']) await postForm(root, path, { name: who.name })
  const isNumbered = async () => {
    const log = await entries(root, 'limit=500')
    return log.every(({ k }) => k !== null) && (await sizeOfTree()) === log.length
  }
  t.true(await eventually(isNumbered, 1_000))
  const log = await entries(root, 'limit=500')
  t.deepEqual(
    log.map(({ k }) => k),
    log.map((_, at) => log.length - 1 - at),
  )
  t.is(
    Object.values(await counts()).reduce((sum, count) => sum + count, 0),
    log.length,
  )
  const [newest] = log
  const proof = await root.get(`/history/proof/${newest?.id}`)
  t.is(proof.status, 200, proof.text)
  t.like(proof.body, { k: newest?.k, n: newest?.n, entry: null })
  t.is((proof.at('event.record') as string).includes(`"account-${who.id}"`), true)
  t.is(proof.at('subsite.index'), newest?.k)
  for (const reader of [site, ann, who]) t.is((await reader.get(`/history/proof/${newest?.id}`)).status, 404)
  const tile = await fetch(`${site.url}/history/site/tile/0/000.p/${log.length}`)
  t.is((await tile.arrayBuffer()).byteLength, 32 * log.length)
  // pages follow one another
  const [, second] = log
  t.deepEqual((await entries(root, `limit=1&after=${newest?.id}`))[0]?.id, second?.id)
  // a subsite of that name has nothing to do with it
  await foundSubsite(ann, 'site')
  t.is((await site.get('/history/s/site/checkpoint')).status, 404)
})
