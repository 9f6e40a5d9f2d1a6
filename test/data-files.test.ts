import { join } from 'node:path'
import test from 'ava'
import { spawnCommand } from './support/command.ts'
import { dataFileTags, unpackDataFile } from './support/data-files.ts'
import { loginSession, startService } from './support/service-process.ts'

/** The demo's first person with seed 1, in every file. */
const PERSON = 'Aaliyah_Bosco'
const PASSWORD = `demo-1-${PERSON}`

/** Earlier histories whose leaves were others: an operator begins a new origin, as the refusal says. */
const needNewOrigin = ['v0.1.0-alpha.1']

for (const tag of dataFileTags)
  test(`a data file of ${tag} is opened, served and written to, and the audit finds no difference`, async (t) => {
    const directory = unpackDataFile(t, tag)
    const file = join(directory, 'rostra.db')
    if (needNewOrigin.includes(tag)) {
      const error = await t.throwsAsync(startService(directory))
      t.regex(error.message, /: the history \S+ is of v0\.1\.0-alpha\.1, .*: npx rostra history new-origin begins one .*$/m)
      const begun = await spawnCommand('history', file, 'new-origin')
      t.is(begun.code, 0, begun.stderr)
      t.regex(begun.stdout, /it names the last head, of 382 events, of \S+, unproved/)
    }
    const service = await startService(directory)
    t.teardown(() => service.kill('SIGKILL'))
    t.is((await service.caller.get('/health/ready')).status, 200)
    const links = (await service.caller.get('/new.json')).at('data.children') as readonly { readonly data: { readonly name: string } }[]
    t.true(links.length > 0)
    const session = await loginSession(service.caller, PERSON, PASSWORD)
    const form = { thing_id: links[0]?.data.name, text: 'still here', api_type: 'json' }
    const posted = await service.caller.post('/api/comment', form, session.headers)
    t.deepEqual(posted.at('json.errors'), [])
    t.is((await service.end('SIGTERM')).code, 0)
    const audit = await spawnCommand('audit', file)
    t.is(audit.code, 0, audit.stdout + audit.stderr)
  })
