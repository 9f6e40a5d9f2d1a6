import test from 'ava'
import { projections } from '../../projections/all.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { findingsOf } from '../support/auditing.ts'
import { startTea } from '../support/cast.ts'
import { postForm, waitUntilSettled } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { settle, submit } from '../support/posting.ts'
import { contentsOf } from '../support/read-models.ts'
import type { Answer, Caller } from '../support/site.ts'
import { edit, revisionsOf } from '../support/wiki.ts'

const { site, ann, bob, root } = await startTea(['root'])
test.after.always(() => site.stop())

test.serial('words of an erased account are in no response that repeats a request of another account', async (t) => {
  const gus = await site.register('gus')
  const tea = String((await site.get('/s/tea/about')).at('data.name'))
  await settle(ann, tea, { wikimode: 'anyone' })
  await submit(gus, 'tea', { title: 'QUINCE leaves', url: 'https://example.com/leaves' })
  await compose(gus, 'bob', 'QUINCE asks')
  const letter = String((await firstMail(bob))?.data.name)
  await postForm(ann, '/s/tea/api/flair', { name: 'gus', text: 'QUINCE brewer' })
  await edit(gus, 'tea', 'leaves', 'green')
  const [{ id: previous } = { id: '' }] = await revisionsOf(site, 'tea', 'leaves')
  await edit(gus, 'tea', 'leaves', 'QUINCE')

  const requests: Readonly<Record<string, () => Promise<Answer>>> = {
    reply: () => bob.post('/api/comment', { thing_id: letter, text: 'mine', api_type: 'json' }, { 'Idempotency-Key': 'reply' }),
    submit: () => {
      const form = { sr: 'tea', kind: 'link', title: 'mine', url: 'https://example.com/leaves', api_type: 'json' }
      return bob.post('/api/submit', form, { 'Idempotency-Key': 'submit' })
    },
    edit: () => bob.post('/s/tea/api/wiki/edit', { page: 'leaves', content: 'black', previous }, { 'Idempotency-Key': 'edit' }),
    flair: () => ann.post('/s/tea/api/flairselector', { name: 'gus' }, { 'Idempotency-Key': 'flair' }),
  }
  for (const [name, request] of Object.entries(requests)) t.regex((await request()).text, /quince/i, name)
  await postForm(root, '/api/erase_user', { name: 'gus' })
  await waitUntilSettled(site)
  for (const [name, request] of Object.entries(requests)) t.notRegex((await request()).text, /quince/i, name)
})

test.serial('the erasure of an account removes the subjects of its messages from the replies to them', async (t) => {
  const hal = await site.register('hal')
  await compose(hal, 'bob', 'MEDLAR asks')
  const answer = async (who: Caller, words: string) =>
    postForm(who, '/api/comment', { thing_id: String((await firstMail(who))?.data.name), text: words, api_type: 'json' })
  await answer(bob, 'of bob')
  t.like((await firstMail(hal))?.data, { subject: 're: MEDLAR asks', body: 'of bob' })
  await answer(hal, 'of hal')
  await answer(bob, 'of bob again')
  await postForm(root, '/api/erase_user', { name: 'hal' })
  await waitUntilSettled(site)
  t.like((await firstMail(bob, 'sent'))?.data, { subject: '[erased]', body: 'of bob again' })
  t.notRegex(JSON.stringify(await contentsOf(site.running.stores.documents, projections)), /medlar/i)
  const logged = await codec(openKeyring(site.running.app.vault)).open(await site.running.stores.events.readAll(LOG_START, 1_000))
  t.notRegex(JSON.stringify(logged), /medlar/i)
  t.deepEqual(await findingsOf(t, site.running), [])
})
