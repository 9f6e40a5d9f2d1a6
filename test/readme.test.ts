import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { startTea } from './support/cast.ts'
import { submit } from './support/posting.ts'

const run = promisify(execFile)
const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
const [, command = '', excerpt = 'null'] = /## Ask it\n[\s\S]*?```sh\n([\s\S]*?)```\n\n```json\n([\s\S]*?)```/.exec(readme) ?? []

const shell = await run('bash', ['-c', 'command -v curl']).then(
  () => true,
  () => false,
)

;(shell ? test : test.skip)('the request of the README is answered as it says', async (t) => {
  const { site, ann, bob } = await startTea()
  t.teardown(site.stop)
  const link = await submit(ann, 'tea', { title: 'The leaf', url: 'https://example.com/leaf' })
  await ann.post('/api/vote', { id: link, dir: 1 })
  for (const dir of [1, -1]) await bob.post('/api/vote', { id: link, dir })

  const script = command.replace('http://127.0.0.1:8080', site.url)
  t.not(script, command)
  const { stdout } = await run('bash', ['-eu', '-c', script])
  const sameIds = (text: string) => JSON.parse(text.replaceAll(/(?<="t5_|comments\/)\w+/g, 'id'))
  t.like(sameIds(stdout), sameIds(excerpt))
})
