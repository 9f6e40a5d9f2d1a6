import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { FAILED_LOGINS } from '../../src/limits/login-throttle.ts'
import { call, spawnProgram } from '../support/command.ts'
import { eventually } from '../support/community.ts'
import { refusalOf } from '../support/posting.ts'
import { startSite } from '../support/site.ts'

test('npx rostra set-password gives an account another password and ends its sessions and tokens, beside a running service', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const [ann, bob] = await Promise.all([site.register('Ann'), site.register('bob')])
  const { eventStoreUrl, documentStoreUrl } = site.running.app.config
  const env = { EVENT_STORE_URL: eventStoreUrl, DOCUMENT_STORE_URL: documentStoreUrl }
  const set = (name: string, password: string) => call('set-password', { env, args: [name], stdin: `${password}\n` })
  const logIn = async (user: string, passwd: string) =>
    (await site.post('/api/login', { user, passwd, api_type: 'json' })).at('json.errors.0.0')
  t.deepEqual(await spawnProgram('set-password', { env, args: ['ann'], stdin: 'another-horse\n' }), {
    code: 0,
    stdout: 'the password of Ann is changed, and its sessions are ended\n',
    stderr: '',
  })
  t.is(await logIn('ann', ann.password), 'INCORRECT_USERNAME_OR_PASSWORD')
  t.is(await logIn('ann', 'another-horse'), undefined)
  for (let tries = 0; tries < 300 && (await ann.get('/api/v1/me')).status !== 401; tries++) await sleep(30)
  t.is((await ann.get('/api/v1/me')).status, 401, 'a token from before is no more')
  t.is((await bob.get('/api/v1/me')).status, 200)

  await site.running.app.vault.delete('credentials', ann.id)
  t.is((await set('ann', 'imported-horse')).code, 0, 'an account that was imported without passwords gets one')
  t.is(await logIn('ann', 'imported-horse'), undefined)

  t.regex((await set('bob', 'short')).stderr, /^SHORT_PASSWORD: /)
  t.is(await logIn('bob', bob.password), undefined)
  t.like(await set('nobody_1', 'another-horse'), { code: 1, stderr: "USER_DOESNT_EXIST: that user doesn't exist\n" })
  const { modhash: uh, cookie } = await bob.session()
  t.is((await site.post('/api/delete_user', { passwd: bob.password, uh }, { Cookie: cookie })).status, 200)
  t.like(await set('bob', 'another-horse'), { code: 1, stderr: "USER_DOESNT_EXIST: that user doesn't exist\n" })
  t.is((await call('set-password', { env })).code, 2)
})

test('a password that is set while its account is deleted leaves nothing behind', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const { app } = site.running
  const env = { EVENT_STORE_URL: app.config.eventStoreUrl, DOCUMENT_STORE_URL: app.config.documentStoreUrl }
  const accounts = await Promise.all(Array.from({ length: 8 }, (_, n) => site.register(`leaver_${n}`)))
  const left = await Promise.all(
    accounts.map(async (leaver, n) => {
      const { modhash: uh, cookie } = await leaver.session()
      const setting = call('set-password', { env, args: [leaver.name], stdin: 'another-horse\n' })
      await sleep(n * 50)
      const deleted = await site.post('/api/delete_user', { passwd: leaver.password, uh, api_type: 'json' }, { Cookie: cookie })
      await setting
      // the account stays if the other password was set before this one was checked
      return refusalOf(deleted) === '' ? [leaver] : []
    }),
  )
  const leavers = left.flat()
  t.true(leavers.length > 0)
  for (const { id } of leavers) t.true(await eventually(async () => (await app.vault.get('credentials', id)) === undefined))
})

test('who failed to log in too often logs in at once with the password that is set then', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const [ann, bob] = await Promise.all([site.register('Ann'), site.register('bob')])
  const env = { EVENT_STORE_URL: site.running.app.config.eventStoreUrl, DOCUMENT_STORE_URL: site.running.app.config.documentStoreUrl }
  const logIn = async (user: string, passwd: string) =>
    (await site.post('/api/login', { user, passwd, api_type: 'json' })).at('json.errors.0.0')
  const failTooOften = async (name: string) => {
    for (let tries = 0; tries < FAILED_LOGINS.pair.most; tries++) t.is(await logIn(name, 'wrong-horse'), 'INCORRECT_USERNAME_OR_PASSWORD')
    t.is(await logIn(name, 'wrong-horse'), 'RATELIMIT')
  }
  await failTooOften('ann')
  await failTooOften('bob')
  t.is(await logIn('ann', ann.password), 'RATELIMIT')
  t.is((await call('set-password', { env, args: ['ann'], stdin: 'another-horse\n' })).code, 0)
  t.is(await logIn('ANN', 'another-horse'), undefined)
  await failTooOften('ann')
  t.is(await logIn('bob', bob.password), 'RATELIMIT')
})
