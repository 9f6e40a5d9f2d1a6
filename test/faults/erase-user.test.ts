import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { projections } from '../../projections/all.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { REACTIONS } from '../../src/reactions/process.ts'
import { runCommand } from '../support/command.ts'
import { dataOf, done, eventually, head } from '../support/community.ts'
import { writeEverywhere } from '../support/every-text.ts'
import { found, id36, refusalOf } from '../support/posting.ts'
import { contentsOf } from '../support/read-models.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Every word that is hers says so: what is searched for in files and answers. */
const WORD = 'QUINCE'

/** Where it is, by paths. */
const wordsIn = (value: unknown, path = ''): readonly string[] => {
  if (typeof value === 'string') return value.toUpperCase().includes(WORD) ? [`${path}: ${value}`] : []
  return value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([name, member]) => wordsIn(member, `${path}/${name}`))
    : []
}

const bytesOf = async (directory: string) => {
  const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  return Promise.all(
    files.map(async ({ name, parentPath }) => [name, (await readFile(join(parentPath, name))).toString('latin1')] as const),
  )
}

test('texts of an erased account cannot be read anywhere, and after a scrub are in no byte of the files', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'rostra.db')
  const site = await startSite({ directory })
  t.teardown(() => site.stop().catch(() => undefined)) // it is stopped below, unless something fails
  const [bob, ann] = [await site.register('bob'), await site.register('ann')]
  const eve = await site.register('eve')
  const { link, post, comment, reply } = await writeEverywhere(WORD, ann, bob, eve, ['tea', 'pots'])
  const documents = () => contentsOf(site.running.stores.documents, projections)
  t.true(wordsIn(await documents()).length > 30)
  const before = await bob.get(`/s/tea/comments/${id36(post)}`)
  const key = JSON.stringify((await site.running.app.vault.get('key', ann.id))?.value)
  t.regex(before.text, new RegExp(WORD))
  const keyed = { 'Idempotency-Key': 'once' }
  await ann.post('/api/comment', { thing_id: comment, text: `${WORD} once more`, api_type: 'json' }, keyed)

  const here = await ann.session()
  t.is(refusalOf(await here.post('/api/erase_user', { passwd: ann.password, api_type: 'json' })), '')
  t.is((await here.get('/api/me.json')).at('data.name'), undefined)
  t.true(await eventually(async () => wordsIn(await documents()).length === 0), 'no document of any read model has a word of hers')
  t.false((await bob.get(`/s/tea/comments/${id36(post)}`)).text.toUpperCase().includes(WORD))
  const page = await bob.get(`/s/tea/comments/${id36(post)}?raw_json=1`)
  t.like(page.at('0.data.children.0.data'), { title: '[erased]', selftext: '[erased]', author: '[deleted]', ups: 2 })
  t.is(page.at('1.data.children.0.data.body'), 'the founder says hard water')
  for (const path of [`/api/info?id=${link},${reply},${post}`, '/message/inbox', '/s/tea/about/log?limit=100', `/s/tea/new`]) {
    const answer = await bob.get(path)
    t.is(answer.status, 200, path)
    t.false(answer.text.toUpperCase().includes(WORD), path)
  }
  t.is(dataOf(await bob.get('/message/inbox')).find(({ was_comment: isComment }) => !isComment)?.subject, '[erased]')
  t.like(dataOf(await bob.get('/s/tea/about/log?type=removemoderator'))[0], { mod: '[deleted]', details: 'remove_self' })

  const kept = await site.running.app.vault.list('idempotency', ann.id)
  t.deepEqual(kept, [], 'no answer of hers is kept')

  // another's act on a thing of hers takes nothing readable with it, whatever was in memory
  await done(bob, '/api/remove', { id: post, spam: false })
  t.like(dataOf(await bob.get('/s/tea/about/log?limit=1'))[0], { action: 'removelink', target_title: '[erased]' })
  const last = await head(site)
  await site.stop()

  const exported = await runCommand('export', file, '--open')
  t.is(exported.code, 0, exported.stderr)
  t.false(exported.stdout.includes(WORD), 'nobody opens what is sealed')
  const audited = await runCommand('audit', file)
  t.is(audited.code, 0, audited.stdout)
  const scrubbed = await runCommand('scrub', file)
  t.is(scrubbed.code, 0, scrubbed.stderr)
  t.notRegex(scrubbed.stdout, /CHANGED/, 'a rebuild makes of the log what stood there')
  for (const [name, bytes] of await bytesOf(directory)) {
    t.false(bytes.includes(WORD) || bytes.includes(WORD.toLowerCase()), name)
    t.false(bytes.includes(key.slice(1, -1)), `${name}: her key`)
    t.true(name !== 'rostra.db' || bytes.includes('the founder says hard water'))
  }

  const stores = await openSqlite({ file })
  await stores.documents.clear([], REACTIONS)
  await stores.close()
  const again = await startSite({ directory })
  t.true(await eventually(async () => (await again.running.stores.documents.checkpoint(REACTIONS)) === last))
  t.is((await again.get(`/s/tea/comments/${id36(post)}`)).at('0.data.children.0.data.ups'), 2)
  t.is(await head(again), last, 'replaying the log appends nothing')
  await again.stop()
  const final = await runCommand('audit', file)
  t.is(final.code, 0, final.stdout)
})

test('texts recorded for an account after its key was destroyed are unreadable, also if the key was cached', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const [root, bob, ann] = [await site.register('root'), await site.register('bob'), await site.register('ann')]
  await found(bob, 'tea')
  const writing = Array.from({ length: 20 }, (_, n) =>
    ann.post('/api/submit', { sr: 'tea', kind: 'self', title: `${WORD} ${n}`, text: WORD }),
  )
  const erased = root.post('/api/erase_user', { name: 'ann', api_type: 'json' })
  const answers = await Promise.all(writing)
  t.is(refusalOf(await erased), '')
  t.true(answers.every(({ status }) => status === 200 || status === 401))
  t.true(await eventually(async () => !(await bob.get('/s/tea/new?limit=100')).text.includes(WORD)))
  t.is((await ann.post('/api/submit', { sr: 'tea', kind: 'self', title: WORD, text: WORD })).status, 401)
  const { vault } = site.running.app
  t.is((await vault.get('key', ann.id))?.value, null)
  t.is(await vault.get('credentials', ann.id), undefined)
  t.is(refusalOf(await root.post('/api/erase_user', { name: 'ann', api_type: 'json' })), '', 'again')
})
