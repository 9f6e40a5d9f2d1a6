import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { startSite } from './support/site.ts'
import { temporaryDirectory } from './support/temporary.ts'

const run = promisify(execFile)
const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
const [, commands = ''] = /## Try it\n\n```sh\n([\s\S]*?)```/.exec(readme) ?? []
const [, excerpt = 'null'] = /## What you get\n[\s\S]*?```json\n([\s\S]*?)```/.exec(readme) ?? []

/** The link that the commands post, in a listing, with the same id whenever it was posted. */
const leafIn = (listing: string) => {
  const { kind, data } = JSON.parse(listing.replaceAll(/(?<="t5_|comments\/)\w+/g, 'id'))
  return { kind, leaf: data.children.find((thing: { readonly data: { readonly title: string } }) => thing.data.title === 'The leaf') }
}

const shell = await run('bash', ['-c', 'command -v curl sed']).then(
  () => true,
  () => false,
)

;(shell ? test : test.skip)('the commands of the README work, also a second time on the same site', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const cwd = temporaryDirectory(t)
  const script = commands.replace(/^S=.*$/m, `S=${site.url}`)
  t.not(script, commands)
  for (const time of [1, 2]) {
    const { stdout } = await run('bash', ['-eu', '-c', script], { cwd })
    t.regex(stdout, /"name":"ann"/)
    t.regex(stdout, /Soft, and \*two\* minutes/)
    if (time === 1) t.like(leafIn((await site.get('/s/tea/new')).text), leafIn(excerpt))
    t.is((await site.get('/s/tea/new')).text.match(/"title":"The leaf"/g)?.length, time)
    const log = await site.get('/s/tea/about/log')
    for (const action of ['lock', 'sticky', 'removelink', 'approvelink'])
      t.true((log.text.match(new RegExp(`"action":"${action}"`, 'g'))?.length ?? 0) >= time, `${action}, time ${time}`)
  }
})
