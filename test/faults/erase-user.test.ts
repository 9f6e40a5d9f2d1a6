import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { REACTIONS_CHECKPOINT } from '../../src/reactions/process.ts'
import { startCast } from '../support/cast.ts'
import { runCommand } from '../support/command.ts'
import { dataOf, eventually, head, postForm, waitUntilSettled } from '../support/community.ts'
import { writeEverywhere } from '../support/every-text.ts'
import { foundSubsite, id36, refusalOf } from '../support/posting.ts'
import { contentsOf } from '../support/read-models.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Every word that is hers says so: what is searched for in files and answers. */
const WORD = 'QUINCE'

/** Returns the paths of the word. */
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

/** A site on a data file on which ann wrote in every place there is for text. */
const startWritten = async (t: ExecutionContext) => {
  const directory = temporaryDirectory(t)
  const { site, ann, bob, eve } = await startCast(['ann', 'bob', 'eve'], { directory })
  t.teardown(() => site.stop().catch(() => undefined)) // it is stopped by the test, unless something fails
  const things = await writeEverywhere(WORD, ann, bob, eve, ['tea', 'pots'])
  await waitUntilSettled(site)
  const record = (await site.running.app.vault.get('key', ann.id))?.value as { readonly tree: { readonly nodes: { readonly '': string } } }
  const key = record.tree.nodes['']
  return { directory, file: join(directory, 'rostra.db'), site, ann, bob, key, ...things }
}
type Written = Awaited<ReturnType<typeof startWritten>>

const wordsInDocuments = async ({ site }: Pick<Written, 'site'>) => wordsIn(await contentsOf(site.running.stores.documents, projections))

/** Neither documents nor pages nor cached answers have a word of hers; what she took part in stays. */
const isUnreadable = async (t: ExecutionContext, written: Written) => {
  const { site, ann, bob, link, post, reply } = written
  t.true(await eventually(async () => (await wordsInDocuments(written)).length === 0), 'no document of any read model has a word of hers')
  const page = await bob.get(`/s/tea/comments/${id36(post)}?raw_json=1`)
  t.like(page.at('0.data.children.0.data'), { title: '[erased]', selftext: '[erased]', author: '[deleted]', ups: 2 })
  t.is(page.at('1.data.children.0.data.body'), 'the founder says hard water')
  const paths = [`/s/tea/comments/${id36(post)}`, `/api/info?id=${link},${reply},${post}`, '/message/inbox', '/s/tea/about/log?limit=100']
  for (const path of [...paths, '/s/tea/new']) {
    const answer = await bob.get(path)
    t.is(answer.status, 200, path)
    t.false(answer.text.toUpperCase().includes(WORD), path)
  }
  t.is(dataOf(await bob.get('/message/inbox')).find(({ was_comment: isComment }) => !isComment)?.subject, '[erased]')
  t.like(dataOf(await bob.get('/s/tea/about/log?type=removemoderator'))[0], { mod: '[deleted]', details: 'remove_self' })
  t.deepEqual(await site.running.app.vault.list('idempotency', ann.id), [], 'no answer of hers is kept')
}

/** Returns the output of a command that succeeded. */
const saidBy = async (t: ExecutionContext, ...command: Parameters<typeof runCommand>): Promise<string> => {
  const ran = await runCommand(...command)
  t.is(ran.code, 0, ran.stdout + ran.stderr)
  return ran.stdout
}

/** After a scrub no byte of the files has a word of hers or her key; others' words are there. */
const isInNoByte = async (t: ExecutionContext, { directory, file, key }: Written) => {
  t.false((await saidBy(t, 'export', file, '--open')).includes(WORD), 'nobody opens what is sealed')
  await saidBy(t, 'audit', file)
  t.notRegex(await saidBy(t, 'scrub', file), /CHANGED/, 'a rebuild makes of the log what stood there')
  for (const [name, bytes] of await bytesOf(directory)) {
    t.false(bytes.includes(WORD) || bytes.includes(WORD.toLowerCase()), name)
    t.false(bytes.includes(key), `${name}: her key`)
    t.true(name !== 'rostra.db' || bytes.includes('the founder says hard water'))
  }
}

/** Processing the whole log once more, as after a change of the reactions, appends nothing. */
const isReplayedInVain = async (t: ExecutionContext, { directory, file, post }: Written, last: string) => {
  const stores = await openSqlite({ file })
  await stores.documents.clear([], REACTIONS_CHECKPOINT)
  await stores.close()
  const again = await startSite({ directory })
  t.true(await eventually(async () => (await again.running.stores.documents.checkpoint(REACTIONS_CHECKPOINT)) === last))
  t.is((await again.get(`/s/tea/comments/${id36(post)}`)).at('0.data.children.0.data.ups'), 2)
  t.is(await head(again), last, 'replaying the log appends nothing')
  await again.stop()
  await saidBy(t, 'audit', file)
}

test('texts of an erased account cannot be read anywhere, and after a scrub are in no byte of the files', async (t) => {
  // given an account with texts everywhere, which pages show and an answer is kept of
  const written = await startWritten(t)
  const { site, ann, bob, post, comment } = written
  t.true((await wordsInDocuments(written)).length > 30)
  t.regex((await bob.get(`/s/tea/comments/${id36(post)}`)).text, new RegExp(WORD))
  const keyed = { 'Idempotency-Key': 'once' }
  await ann.post('/api/comment', { thing_id: comment, text: `${WORD} once more`, api_type: 'json' }, keyed)

  // when it is erased, then nothing of it can be read
  const here = await ann.session()
  t.is(refusalOf(await here.post('/api/erase_user', { passwd: ann.password, api_type: 'json' })), '')
  t.is((await here.get('/api/me.json')).at('data.name'), undefined)
  await isUnreadable(t, written)

  // when somebody acts on a thing of hers, then that takes nothing readable with it, whatever was in memory
  await postForm(bob, '/api/remove', { id: post, spam: false })
  t.like(dataOf(await bob.get('/s/tea/about/log?limit=1'))[0], { action: 'removelink', target_title: '[erased]' })
  const last = await head(site)
  await site.stop()

  // then its texts are in no file either, and nothing brings them back
  await isInNoByte(t, written)
  await isReplayedInVain(t, written, last)
})

test('texts recorded for an account after its key was destroyed are unreadable, also if the key was cached', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const [root, bob, ann] = [await site.register('root'), await site.register('bob'), await site.register('ann')]
  await foundSubsite(bob, 'tea')
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
