import test from 'ava'
import { startTea } from '../support/cast.ts'
import { eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { say, submit } from '../support/posting.ts'

const DAY = 86_400_000

// the clock of the whole process, so that all parts of the service agree
const clock = Date.now
let lead = 0
Date.now = () => clock() + lead

const { site, ann, bob, root } = await startTea(['root'])
test.after.always(() => site.stop())

test('the words of an erased link leave the stored response of an edit of an old comment on it', async (t) => {
  const link = await submit(bob, 'tea', { title: 'QUINCE jam' })
  const comment = await say(ann, link, 'of ann')
  lead = 3 * DAY
  const editor = await ann.withScopes('edit')
  const admin = await root.withScopes('modposts')
  const edit = { thing_id: comment, text: 'of ann, later', api_type: 'json' }
  const keyed = { 'Idempotency-Key': 'later' }
  const edited = () => editor.post('/api/editusertext', edit, keyed)
  t.true(await eventually(async () => (await edited()).status === 200), 'ids are minted again after the leap of the clock')
  t.regex((await edited()).text, /of ann, later.*quince/, 'the address of a comment has the words of the title')
  await postForm(admin, '/api/erase_thing', { id: link, reason: 'ordered', api_type: 'json' })
  await waitUntilSettled(site)
  t.notRegex((await edited()).text, /quince/i)
  const stored = await Promise.all([ann.id, comment].map((owner) => site.running.app.vault.list('idempotency', owner)))
  t.notRegex(JSON.stringify(stored), /quince/i)
})
