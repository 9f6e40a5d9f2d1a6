import test from 'ava'
import { startTea } from '../support/cast.ts'
import { postForm, waitUntilSettled } from '../support/community.ts'
import { uploadTo } from '../support/pictures.ts'
import { foundSubsite, names, refusalOf, submit } from '../support/posting.ts'

// Limits of the interface, each from both sides: a value of just that length is accepted, a longer one is refused.

const { site, ann, bob } = await startTea()
const link = await submit(bob, 'tea', { title: 'leaves' })
const sr = await foundSubsite(ann, 'limited', { wikimode: 'modonly' })
await waitUntilSettled(site)
test.after.always(() => site.stop())

type Fields = Readonly<Record<string, string>>
type Limit = readonly [path: string, field: string, limit: number, refusal: string, otherFields?: Fields]

const ban = { type: 'banned', name: 'bob' }
const settings = { sr, title: 'Limited' }
const limits: readonly Limit[] = [
  ['/api/compose', 'text', 10_000, 'TOO_LONG text', { to: 'bob', subject: 'hello' }],
  ['/api/save', 'category', 20, '403', { id: link }],
  ['/api/site_admin', 'title', 100, 'TOO_LONG title', { sr }],
  ['/api/site_admin', 'header-title', 500, 'TOO_LONG header-title', settings],
  ['/api/site_admin', 'submit_link_label', 60, 'TOO_LONG submit_link_label', settings],
  ['/api/site_admin', 'submit_text_label', 60, 'TOO_LONG submit_text_label', settings],
  ['/api/site_admin', 'description', 5_120, 'TOO_LONG description', settings],
  ['/s/limited/api/friend', 'note', 300, 'TOO_LONG note', ban],
  ['/s/limited/api/friend', 'ban_reason', 100, 'TOO_LONG ban_reason', ban],
  ['/s/limited/api/friend', 'ban_message', 1_000, 'TOO_LONG ban_message', ban],
  ['/s/limited/api/add_subsite_rule', 'short_name', 50, 'TOO_LONG short_name', { kind: 'all' }],
  ['/s/limited/api/add_subsite_rule', 'description', 500, 'TOO_LONG description', { kind: 'all', short_name: 'a rule' }],
  ['/s/limited/api/subsite_stylesheet', 'reason', 256, 'TOO_LONG reason', { op: 'save', stylesheet_contents: 'p { color: red }' }],
  ['/s/limited/api/wiki/edit', 'reason', 256, '400', { page: 'index', content: 'leaves' }],
]

for (const [path, field, limit, refusal, others] of limits)
  test(`${field} of ${path} has at most ${limit} characters`, async (t) => {
    const send = async (length: number) => refusalOf(await ann.post(path, { ...others, [field]: 'x'.repeat(length) }))
    t.is(await send(limit + 1), refusal)
    t.true(['', '200'].includes(await send(limit)))
  })

test('a note on a friend has at most 300 characters', async (t) => {
  const put = async (length: number) => (await ann.request('PUT', '/api/v1/me/friends/bob', { json: { note: 'x'.repeat(length) } })).status
  t.is(await put(301), 400)
  t.is(await put(300), 201)
})

test('one call marks at most 25 messages', async (t) => {
  const carol = await site.register('carol')
  for (let n = 0; n < 26; n += 1) await postForm(ann, '/api/compose', { to: 'carol', subject: 'hello', text: 'hello' })
  await waitUntilSettled(site)
  const inbox = names(await carol.get('/message/inbox?limit=26'))
  const mark = async (count: number) => (await carol.post('/api/read_message', { id: inbox.slice(0, count).join() })).status
  t.is(await mark(26), 413)
  t.is(await mark(25), 200)
  await waitUntilSettled(site)
  t.is(names(await carol.get('/message/unread')).length, 1)
})

test('one call looks up at most 100 fullnames', async (t) => {
  const others = Array.from({ length: 100 }, (_, n) => `t5_${n + 10}`)
  t.deepEqual(names(await site.get(`/api/info?id=${[link, ...others].join()}`)), [])
  t.deepEqual(names(await site.get(`/api/info?id=${[link, ...others.slice(1)].join()}`)), [link])
})

test('an uploaded file has at most 500 KiB', async (t) => {
  const upload = async (length: number) => (await uploadTo(ann, 'limited', { name: 'pot' }, new Uint8Array(length))).status
  t.is(await upload(500 * 1024 + 1), 413)
  t.is(await upload(500 * 1024), 200, 'read, and refused because it is no image')
})
