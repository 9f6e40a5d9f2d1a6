import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { findingsOf } from '../support/auditing.ts'
import { joinSite } from '../support/cast.ts'
import { runCommand, spawnCommand } from '../support/command.ts'
import { postForm, waitUntilSettled } from '../support/community.ts'
import { compose } from '../support/mail.ts'
import { foundSubsite, say, settle, submit } from '../support/posting.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { edit, revisionsOf } from '../support/wiki.ts'

const WORD = 'QUINCE'
const has = (text: string) => text.toUpperCase().includes(WORD)

/** The files below a directory that have the word. */
const filesWithWord = (directory: string): readonly string[] =>
  readdirSync(directory, { recursive: true })
    .map((name) => join(directory, String(name)))
    .filter((file) => statSync(file).isFile() && has(readFileSync(file).toString('latin1')))

test('what is erased is in no export and, after a scrub, in no file; an import of the export is whole', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'rostra.db')
  const site = await startSite({ directory })
  const { ann, bob, root } = await joinSite(site, 'ann', 'bob', 'root')
  await settle(ann, await foundSubsite(ann, 'tea'), { wikimode: 'anyone' })
  const link = await submit(bob, 'tea', { title: `${WORD} jam`, url: 'https://quince.example/quince' })
  const post = await submit(bob, 'tea', { title: `${WORD} jelly`, text: `${WORD} and sugar` })
  const comment = await say(bob, link, `${WORD} says`)
  for (const id of [link, post, comment]) for (const path of ['/api/remove', '/api/approve']) await postForm(ann, path, { id })
  await compose(bob, '/s/tea', `${WORD}?`, `${WORD}!`)
  const mail = String((await ann.get('/s/tea/message/moderator')).at('data.children.0.data.name'))
  await postForm(ann, '/api/comment', { thing_id: mail, text: 'an answer', api_type: 'json' })
  await edit(bob, 'tea', 'fruit', `${WORD} words`, { reason: WORD })
  const [revision = { id: '' }] = await revisionsOf(site, 'tea', 'fruit')
  t.true(has((await runCommand('export', file, '--open')).stdout))
  // a search writes what is held to the file
  await bob.get(`/search?q=${WORD}`)
  t.not(filesWithWord(directory).length, 0)

  const reason = 'ordered by a court'
  for (const id of [link, post, comment, mail]) await postForm(root, '/api/erase_thing', { id, reason, api_type: 'json' })
  t.is((await root.post('/s/tea/api/wiki/erase', { page: 'fruit', revision: revision.id, reason })).status, 200)
  await waitUntilSettled(site)
  for (const modes of [[], ['--open'], ['--with-keys'], ['--with-vault'], ['--open', '--with-vault']]) {
    const { code, stdout } = await runCommand('export', file, ...modes)
    t.is(code, 0)
    t.false(has(stdout), modes.join(' '))
  }
  const exported = (await runCommand('export', file, '--with-vault')).stdout
  await site.stop()
  t.is((await spawnCommand('scrub', file)).code, 0)
  t.deepEqual(filesWithWord(directory), [])
  const audited = await runCommand('audit', file)
  t.is(audited.code, 0, audited.stdout)

  const elsewhere = temporaryDirectory(t)
  const copy = join(elsewhere, 'rostra.db')
  writeFileSync(join(elsewhere, 'export.ndjson'), exported)
  const imported = await runCommand('import', copy, join(elsewhere, 'export.ndjson'))
  t.is(imported.code, 0, imported.stderr)
  const moved = await startSite({ directory: elsewhere })
  t.teardown(() => moved.stop())
  t.deepEqual(await findingsOf(t, moved.running), [])
  t.is((await runCommand('export', copy, '--with-vault')).stdout, exported)
})
