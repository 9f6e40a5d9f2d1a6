import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { readManifest } from '../../src/export/manifest.ts'
import { startTea } from '../support/cast.ts'
import { runCommandWith } from '../support/command.ts'
import { postForm, waitUntilSettled } from '../support/community.ts'
import { storesOf } from '../support/copies.ts'
import { linesIn, manifestIn } from '../support/exported.ts'
import { allNumbered, everyLine } from '../support/following.ts'
import { compose } from '../support/mail.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const { site, ann, bob, root } = await startTea(['root'])
test.after.always(() => site.stop())

/** Exports while the site is used, until a number is reached, and is then told to end. */
const followed = async (t: ExecutionContext, directory: string, number: () => Promise<number>): Promise<void> => {
  const args = ['src/cli/export.ts', '--to', directory, '--public', '--follow', '--every', '0.1']
  const follower = spawn(process.execPath, args, { env: { ...process.env, ...storesOf(site) }, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  follower.stderr.on('data', (chunk) => {
    said += chunk
  })
  const exited = once(follower, 'exit')
  t.teardown(() => follower.kill('SIGKILL'))
  const last = (await number()) - 1
  while (follower.exitCode === null && (readManifest(directory)?.last ?? -1) < last) await sleep(50)
  follower.kill('SIGTERM')
  t.deepEqual(await exited, [0, null], said)
  t.true((readManifest(directory)?.last ?? -1) >= last, said)
}

test('what --public exports and follows is what a stranger reads of the history, event by event', async (t) => {
  const link = await submit(bob, 'tea', { title: 'Leaves', text: 'Which leaves?' })
  const comment = await say(bob, link, 'These leaves')
  await postForm(ann, '/api/vote', { id: comment, dir: 1 })
  await postForm(ann, '/api/report', { thing_id: comment, reason: 'too short' })
  await compose(bob, '/s/tea', 'a question', 'between us')
  await foundSubsite(root, 'cellar', { type: 'private' })
  await submit(root, 'cellar', { title: 'In the cellar' })
  await waitUntilSettled(site)
  await allNumbered(site)
  const directory = join(temporaryDirectory(t), 'export')
  const { code, stderr } = await runCommandWith(storesOf(site), 'export', '--to', directory, '--public', '--tables')
  t.is(code, 0, stderr)
  await followed(t, directory, async () => {
    await postForm(ann, '/api/remove', { id: link })
    await postForm(ann, '/api/lock', { id: link })
    await waitUntilSettled(site)
    return allNumbered(site)
  })
  // on servers, consequences may have come meanwhile
  const { last } = manifestIn(t, directory)
  const events = (await everyLine(site, site)).filter(({ kind, n }) => kind === 'event' && n <= (last ?? -1))
  t.deepEqual(
    linesIn(directory).map((line) => {
      const { schema, ...event } = JSON.parse(line)
      return { kind: 'event', ...event }
    }),
    events.map((event) => ({ ...event })),
  )
  const tables = ['accounts', 'subsites', 'links', 'comments', 'mod_log'].map((name) => linesIn(directory, `tables/${name}`).join('\n'))
  for (const secret of ['between us', 'too short', 'In the cellar', 'cellar'])
    for (const text of [linesIn(directory).join('\n'), ...tables]) t.false(text.includes(secret), secret)
})

test('a public export beside a running service has nothing of a subsite that turned private just now', async (t) => {
  const closing = await foundSubsite(ann, 'closing')
  await submit(ann, 'closing', { title: 'Once in the open' })
  await waitUntilSettled(site)
  await postForm(ann, '/api/site_admin', { sr: closing, type: 'private', show_media: 'false' })
  const directory = join(temporaryDirectory(t), 'export')
  const { code, stderr } = await runCommandWith(storesOf(site), 'export', '--to', directory, '--public', '--tables')
  t.is(code, 0, stderr)
  const events = linesIn(directory).map((line) => JSON.parse(line))
  t.deepEqual(
    events.filter((event) => JSON.stringify(event).includes(closing)).map(({ type, data }) => ({ type, data })),
    [{ type: 'SubsiteSettingChanged', data: { subsite: closing, setting: 'type', after: 'private' } }],
  )
  t.false(linesIn(directory, 'tables/links').join('\n').includes('Once in the open'))
})
