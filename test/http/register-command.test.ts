import test from 'ava'
import { call, spawnProgram } from '../support/command.ts'
import { eventually } from '../support/community.ts'
import { refusalOf } from '../support/posting.ts'
import { startService } from '../support/service-process.ts'
import { servers } from '../support/shape.ts'
import { startSite, type TestSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

type Stores = { readonly eventStoreUrl: string; readonly documentStoreUrl: string }

const called = ({ eventStoreUrl, documentStoreUrl }: Stores, name: string, stdin: string) => ({
  env: { EVENT_STORE_URL: eventStoreUrl, DOCUMENT_STORE_URL: documentStoreUrl },
  args: [name],
  stdin,
})

/** `npx rostra register NAME` with this on stdin. */
const registerByCommand = (...what: Parameters<typeof called>) => spawnProgram('register', called(...what))
const registerHere = (...what: Parameters<typeof called>) => call('register', called(...what))

const login = (site: Pick<TestSite, 'post'>, user: string, passwd: string) => site.post('/api/login', { user, passwd, api_type: 'json' })

test('beside a running service only the command can register the name of an admin, who can log in at once', async (t) => {
  const site = await startSite({ admins: ['root', 'boss'] })
  t.teardown(site.stop)
  const { config } = site.running.app
  const overHttp = { user: 'Boss', passwd: 'correct horse', passwd2: 'correct horse', api_type: 'json' }
  t.is(refusalOf(await site.post('/api/register', overHttp)), 'USERNAME_TAKEN user')

  const { code, stdout, stderr } = await registerByCommand(config, 'Boss', 'a better horse\nand more\n')
  t.is(code, 0, stderr)
  t.regex(stdout, /^Boss is registered as t2_\w+\n$/)
  t.is(stderr, '')
  t.is(refusalOf(await login(site, 'boss', 'a better horse')), '')
  t.is(refusalOf(await login(site, 'boss', 'correct horse')), 'INCORRECT_USERNAME_OR_PASSWORD passwd')
  t.true(await eventually(async () => (await site.get('/user/boss/about')).at('data.name') === 'Boss'))

  const again = await registerHere(config, 'BOSS', 'another horse\n')
  t.deepEqual([again.code, again.stdout, again.stderr], [1, '', 'USERNAME_TAKEN: that username is already taken\n'])
  t.is(refusalOf(await login(site, 'boss', 'a better horse')), '', 'nothing changed')

  // the service goes on as it did
  t.is(typeof (await site.register('ann')).id, 'string')
})

/** Processes that open the same data file, one after the other. */
const withoutService = servers ? test.skip : test

withoutService('without a running service the command can register accounts, also before the first start', async (t) => {
  const directory = temporaryDirectory(t)
  const file = `sqlite:${directory}/rostra.db`
  const stores = { eventStoreUrl: file, documentStoreUrl: file }
  t.is((await registerByCommand(stores, 'root', 'correct horse')).code, 0)
  const first = await startService(directory, { ADMINS: 'root' })
  t.is(refusalOf(await login(first.caller, 'root', 'correct horse')), '')
  await first.end('SIGTERM')
  t.is((await registerHere(stores, 'second', 'correct horse\r\n')).code, 0)
  const second = await startSite({ directory })
  t.teardown(second.stop)
  t.is(refusalOf(await login(second, 'second', 'correct horse')), '')
  t.is((await second.get('/user/second/about')).at('data.name'), 'second')
})

withoutService('a failed registration prints one line and registers no account', async (t) => {
  const file = `sqlite:${temporaryDirectory(t)}/rostra.db`
  const stores = { eventStoreUrl: file, documentStoreUrl: file }
  for (const [name, input, code, line] of [
    ['ab', 'correct horse', 1, 'USERNAME_TOO_SHORT: '],
    ['a b c', 'correct horse', 1, 'USERNAME_INVALID_CHARACTERS: '],
    ['root', 'short', 1, 'SHORT_PASSWORD: the password must be at least 6 characters\n'],
    ['root', '\ncorrect horse', 1, 'SHORT_PASSWORD: '],
    ['root', '', 2, 'stdin holds no password\n'],
  ] as const) {
    const answer = await registerHere(stores, name, input)
    t.is(answer.code, code, answer.stderr)
    t.is(answer.stdout, '')
    t.true(answer.stderr.startsWith(line), answer.stderr)
    t.is(answer.stderr.split('\n').length, 2, answer.stderr)
  }
  t.is((await registerHere(stores, 'root', 'correct horse')).code, 0, 'the name is still free')
})
