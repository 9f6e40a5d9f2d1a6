import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { codec } from '../../src/log/codec.ts'
import { labelOf } from '../../src/log/key-tree.ts'
import { MAX_ERASED_THINGS, openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { findingsOf } from '../support/auditing.ts'
import { startTea } from '../support/cast.ts'
import { dataOf, logOf, postForm, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { id36, names, readThing, refusalOf, say, settle, submit } from '../support/posting.ts'
import { contentsOf } from '../support/read-models.ts'
import { edit, revisionsOf } from '../support/wiki.ts'

const { site, ann, bob, root } = await startTea(['root'])
test.after.always(() => site.stop())

test.before(async () => {
  const tea = String((await site.get('/s/tea/about')).at('data.name'))
  await settle(ann, tea, { wikimode: 'anyone', link_flair_self_enabled: true })
})

const reason = 'ordered by a court'
const erase = (id: string) => postForm(root, '/api/erase_thing', { id, reason, api_type: 'json' })

/** Tells whether documents, or the log read with the present keys, have a word. A process that has no key in memory reads the log, too. */
const places = async (word: string) => {
  await waitUntilSettled(site)
  const has = (value: unknown) => JSON.stringify(value).toUpperCase().includes(word)
  const events = await site.running.stores.events.readAll(LOG_START, 1_000)
  return {
    documents: has(await contentsOf(site.running.stores.documents, projections)),
    log: has(await codec(openKeyring(site.running.app.vault)).open(events)),
    answers: has(await Promise.all([ann, bob, root].map(({ id }) => site.running.app.vault.list('idempotency', id)))),
  }
}
const everywhere = { documents: true, log: true, answers: false }
const nowhere = { documents: false, log: false, answers: false }

const isClean = async (t: ExecutionContext) => t.deepEqual(await findingsOf(t, site.running), [])

test.serial(
  'an erased link is unreadable in the log, in documents, pages, searches, the moderation log and stored responses',
  async (t) => {
    const keyed = { 'Idempotency-Key': 'quince' }
    const form = { sr: 'tea', kind: 'self', title: 'QUINCE jam', text: 'QUINCE and sugar', api_type: 'json' }
    const link = String((await bob.post('/api/submit', form, keyed)).at('json.data.name'))
    const other = await submit(bob, 'tea', { title: 'MEDLAR jam', url: 'https://example.com/medlar' })
    const edited = { thing_id: link, text: 'QUINCE and more sugar', api_type: 'json' }
    t.regex((await bob.post('/api/editusertext', edited, keyed)).text, /quince/i)
    const comment = { thing_id: link, text: 'of ann', api_type: 'json' }
    t.regex((await ann.post('/api/comment', comment, keyed)).text, /quince/i, 'the address of a comment has the words of the title')
    for (const path of ['/api/lock', '/api/remove', '/api/approve']) await postForm(ann, path, { id: link })
    await postForm(ann, '/s/tea/api/flair', { link, text: 'QUINCE', css_class: '', api_type: 'json' })
    await waitUntilSettled(site)
    const paths = [
      '/s/tea/new',
      '/s/tea/search?q=quince&restrict_sr=on',
      `/comments/${id36(link)}`,
      '/user/bob/overview',
      '/s/tea/about/log',
      '/s/tea/new.rss',
    ]
    for (const path of paths) t.regex((await site.get(path)).text, /quince/i, path)
    t.deepEqual(await places('QUINCE'), everywhere)

    await erase(link)
    t.deepEqual(await places('QUINCE'), nowhere)
    for (const path of paths) t.notRegex((await site.get(path)).text.replaceAll('q=quince', ''), /quince/i, path)
    t.notRegex((await ann.post('/api/comment', comment, keyed)).text, /quince/i)
    t.notRegex((await bob.post('/api/submit', form, keyed)).text, /quince/i)
    t.notRegex((await bob.post('/api/editusertext', edited, keyed)).text, /quince/i)
    t.like(await readThing(ann, link), { title: '[erased]', selftext: '[erased]', author: 'bob', num_comments: 1, link_flair_text: null })
    t.like(await readThing(ann, other), { title: 'MEDLAR jam' })
    t.is((await logOf(site, 'tea'))[0], `root removelink ${link} erase ${reason}`)
    await isClean(t)
  },
)

test.serial('erased links are not shown as duplicates of each other', async (t) => {
  const links = [
    await submit(bob, 'tea', { kind: 'link', url: 'https://one.example/' }),
    await submit(ann, 'tea', { kind: 'link', url: 'https://two.example/' }),
  ] as const
  for (const id of links) await erase(id)
  await waitUntilSettled(site)
  for (const id of links) t.deepEqual(names(await site.get(`/duplicates/${id36(id)}`), '1.data.children'), [])
})

test.serial('nobody can change the text or the flair of an erased link; it can still be moderated and deleted', async (t) => {
  const link = await submit(bob, 'tea', { title: 'PEACHES', text: 'PEACHES' })
  await erase(link)
  t.is(refusalOf(await bob.post('/api/editusertext', { thing_id: link, text: 'PEACHES', api_type: 'json' })), 'THING_ERASED thing_id')
  const flair = { link, text: 'PEACHES', css_class: '', api_type: 'json' }
  t.is(refusalOf(await ann.post('/s/tea/api/flair', flair)), 'THING_ERASED link')
  t.true(await recordsNothing(site, () => root.post('/api/erase_thing', { id: link, reason })))
  for (const path of ['/api/lock', '/api/remove']) await postForm(ann, path, { id: link, spam: false })
  t.like(dataOf(await ann.get('/s/tea/about/log?limit=1'))[0], { action: 'removelink', target_title: '[erased]', details: 'remove' })
  await postForm(bob, '/api/del', { id: link })
  t.deepEqual(await places('PEACHES'), nowhere)
  await isClean(t)
})

test.serial('an erased comment is unreadable, also if it was deleted or edited before; replies stay', async (t) => {
  const link = await submit(ann, 'tea', { title: 'on fruit' })
  const comment = await say(bob, link, 'FIGS are best')
  const reply = await say(ann, comment, 'not at all')
  const deleted = await say(bob, link, 'FIGS are deleted')
  await postForm(bob, '/api/editusertext', { thing_id: comment, text: 'FIGS are very best', api_type: 'json' })
  await postForm(ann, '/api/remove', { id: comment })
  await postForm(ann, '/api/approve', { id: comment })
  await postForm(bob, '/api/del', { id: deleted })
  t.deepEqual(await places('FIGS'), everywhere)
  for (const id of [comment, deleted]) await erase(id)
  t.deepEqual(await places('FIGS'), nowhere)
  t.like(await readThing(ann, comment), { body: '[erased]', author: 'bob' })
  t.like(await readThing(ann, reply), { body: 'not at all' })
  t.is(refusalOf(await bob.post('/api/editusertext', { thing_id: comment, text: 'FIGS', api_type: 'json' })), 'THING_ERASED thing_id')
  t.is((await logOf(site, 'tea'))[1], `root removecomment ${comment} erase ${reason}`)
  await isClean(t)
})

test.serial('an edit that races the erasure of a comment leaves nothing to read', async (t) => {
  const link = await submit(ann, 'tea', { title: 'on berries' })
  const written = await Promise.all(Array.from({ length: 6 }, () => say(bob, link, 'SLOES')))
  await Promise.all(
    written.flatMap((id) => [
      bob.post('/api/editusertext', { thing_id: id, text: 'SLOES again', api_type: 'json' }),
      root.post('/api/erase_thing', { id, reason, api_type: 'json' }),
      ann.post('/api/remove', { id }),
      bob.post('/api/editusertext', { thing_id: id, text: 'SLOES for ever', api_type: 'json' }),
    ]),
  )
  t.deepEqual(await places('SLOES'), nowhere)
  await isClean(t)
})

test.serial('the first message of a conversation is erased with its subject in all replies, a reply without it', async (t) => {
  await compose(bob, 'ann', 'PLUMS?', 'PLUMS, please')
  const first = String((await firstMail(ann))?.data.name)
  await postForm(ann, '/api/comment', { thing_id: first, text: 'no APPLES', api_type: 'json' })
  const reply = String((await firstMail(bob))?.data.name)
  await postForm(bob, '/api/comment', { thing_id: reply, text: 'then none', api_type: 'json' })
  await waitUntilSettled(site)
  t.deepEqual(await places('PLUMS'), everywhere)
  await erase(reply)
  t.deepEqual(await places('APPLES'), nowhere)
  t.like((await firstMail(bob))?.data, { subject: 're: PLUMS?', body: '[erased]' })
  await erase(first)
  t.deepEqual(await places('PLUMS'), nowhere)
  t.like((await firstMail(ann))?.data, { subject: '[erased]', body: 'then none' })
  await postForm(ann, '/api/comment', { thing_id: first, text: 'later', api_type: 'json' })
  t.like((await firstMail(bob))?.data, { subject: '[erased]', body: 'later' })
  t.notRegex((await logOf(site, 'tea')).join(), new RegExp(first))
  await isClean(t)
})

test.serial('an erased revision of a wiki page has no text; the page reads [erased] until somebody edits it', async (t) => {
  await edit(bob, 'tea', 'fruit', 'old words')
  await bob.post('/s/tea/api/wiki/edit', { page: 'fruit', content: 'CHERRY words', reason: 'CHERRY' })
  const [current = { id: '' }, old = { id: '' }] = await revisionsOf(site, 'tea', 'fruit')
  t.regex((await site.get('/s/tea/wiki/fruit')).text, /CHERRY/)
  const form = { page: 'fruit', revision: current.id, reason }
  t.is((await root.post('/s/tea/api/wiki/erase', form)).status, 200)
  t.deepEqual(await places('CHERRY'), nowhere)
  t.is((await site.get('/s/tea/wiki/fruit')).at('data.content_md'), '[erased]')
  t.is((await site.get(`/s/tea/wiki/fruit?v=${old.id}`)).at('data.content_md'), 'old words')
  t.like(await site.get(`/s/tea/wiki/fruit?v=${old.id}&v2=${current.id}`), { status: 404 })
  t.is((await site.get(`/s/tea/wiki/fruit?v=${old.id}&v2=${current.id}`)).at('reason'), 'INVALID_REVISION')
  t.is((await ann.post('/s/tea/api/wiki/revert', { page: 'fruit', revision: current.id })).at('reason'), 'INVALID_REVISION')
  t.is((await ann.post('/s/tea/api/wiki/hide', { page: 'fruit', revision: current.id })).at('reason'), 'THING_ERASED')
  t.true(await recordsNothing(site, () => root.post('/s/tea/api/wiki/erase', form)))
  t.is((await logOf(site, 'tea'))[0], `root wikirevise - erase Page fruit, revision ${current.id}: ${reason}`)
  await edit(bob, 'tea', 'fruit', 'new words')
  t.is((await site.get('/s/tea/wiki/fruit')).at('data.content_md'), 'new words')
  const [sidebar = { id: '' }] = await revisionsOf(site, 'tea', 'config/sidebar')
  const settings = { page: 'config/sidebar', revision: sidebar.id, reason }
  t.is((await root.post('/s/tea/api/wiki/erase', settings)).at('reason'), 'PAGE_CREATED_ELSEWHERE')
  await isClean(t)
})

test.serial('only admins erase things, with a reason, and only what somebody wrote', async (t) => {
  const link = await submit(bob, 'tea', { title: 'stays' })
  const asked = (form: object) => root.post('/api/erase_thing', { reason, api_type: 'json', ...form })
  t.true(
    await recordsNothing(site, async () => {
      for (const who of [ann, bob]) t.is((await who.post('/api/erase_thing', { id: link, reason })).status, 403)
      t.is(refusalOf(await site.post('/api/erase_thing', { id: link, reason, api_type: 'json' })), 'USER_REQUIRED')
      t.is(refusalOf(await asked({ id: link, reason: '' })), 'NO_TEXT reason')
      t.is(refusalOf(await asked({ id: link, reason: 'x'.repeat(301) })), 'TOO_LONG reason')
      t.is(refusalOf(await asked({ id: 't1_zzz' })), '404')
      t.is(refusalOf(await asked({ id: bob.id })), 'NO_THING_ID id')
    }),
  )
})

test.serial('things and their account are erased in either order', async (t) => {
  const gus = await site.register('gus')
  const [first, second] = [await submit(gus, 'tea', { title: 'LEMONS' }), await submit(gus, 'tea', { title: 'LEMONS too' })]
  await erase(first)
  await postForm(root, '/api/erase_user', { name: 'gus' })
  await erase(second)
  t.deepEqual(await places('LEMONS'), nowhere)
  await isClean(t)
})

test.serial('a thing beyond the limit of its author is refused; one that is erased already is not', async (t) => {
  const eve = await site.register('eve')
  const [first, second] = [await submit(eve, 'tea', { title: 'first' }), await submit(eve, 'tea', { title: 'second' })]
  const form = { page: 'nuts', content: 'walnuts' }
  t.is((await eve.post('/s/tea/api/wiki/edit', form)).status, 200)
  const [revision = { id: '' }] = await revisionsOf(site, 'tea', 'nuts')
  await erase(first)
  await waitUntilSettled(site)
  const { vault } = site.running.app
  const key = (await vault.get('key', eve.id))?.value as { readonly tree: { readonly erased: readonly string[] } }
  const others = Array.from({ length: MAX_ERASED_THINGS - 1 }, (_, n) => labelOf(`t1_of_eve_${n}`))
  await vault.put('key', eve.id, { value: { ...key, tree: { ...key.tree, erased: [...key.tree.erased, ...others] } }, owner: eve.id })
  t.true(
    await recordsNothing(site, async () => {
      t.is(refusalOf(await root.post('/api/erase_thing', { id: second, reason, api_type: 'json' })), 'TOO_MANY_ERASED id')
      const page = await root.post('/s/tea/api/wiki/erase', { page: 'nuts', revision: revision.id, reason })
      t.deepEqual([page.status, page.at('reason')], [409, 'TOO_MANY_ERASED'])
      t.is(refusalOf(await root.post('/api/erase_thing', { id: first, reason, api_type: 'json' })), '')
    }),
  )
  t.like(await readThing(ann, second), { title: 'second' })
  await postForm(root, '/api/erase_user', { name: 'eve' })
  await erase(second)
})

test.serial('the audit notices a thing whose key was not destroyed', async (t) => {
  const link = await submit(bob, 'tea', { title: 'GRAPES' })
  const { vault } = site.running.app
  const before = await vault.get('key', bob.id)
  await erase(link)
  await isClean(t)
  const after = await vault.get('key', bob.id)
  await vault.put('key', bob.id, { value: before?.value, owner: bob.id })
  const findings = await findingsOf(t, site.running)
  await vault.put('key', bob.id, { value: after?.value, owner: bob.id })
  t.true(
    findings.some((finding) => finding.includes(`${link} is erased, but its text can still be read`)),
    findings.join('\n'),
  )
})
