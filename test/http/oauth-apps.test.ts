import { ask, basic, challengeOf, registerApp, startOAuth, tokenOf, withToken } from '../support/oauth.ts'
import { testOn } from '../support/test-on.ts'

/** One after the other, since only few requests from one address may wait for the hash of a password. */
const { serial: test } = testOn(startOAuth)

test('an app has an id and a secret of fixed lengths; an installed app has no secret', (t) => {
  const { script, web, installed } = t.context
  for (const { id } of [script, web, installed]) t.regex(id, /^[\w-]{14}$/)
  for (const { secret } of [script, web]) t.regex(secret, /^[\w-]{27}$/)
  t.is(installed.secret, '')
})

test('an invalid app is refused with the reason', async (t) => {
  const { annHere } = t.context
  const right = { name: 'mine', app_type: 'script', redirect_uri: 'http://localhost' }
  for (const [wrong, reason, field] of [
    [{ name: '' }, 'NO_TEXT', 'name'],
    [{ name: '\u200b\u202e\u3164' }, 'NO_TEXT', 'name'],
    [{ app_type: 'other' }, 'INVALID_OPTION', 'app_type'],
    [{ redirect_uri: '' }, 'NO_URL', 'redirect_uri'],
    [{ redirect_uri: '/back' }, 'BAD_URL', 'redirect_uri'],
    [{ redirect_uri: 'javascript:alert(1)' }, 'BAD_URL', 'redirect_uri'],
    [{ redirect_uri: 'http://localhost/#x' }, 'BAD_URL', 'redirect_uri'],
    [{ redirect_uri: 'http://app.example/back' }, 'BAD_URL', 'redirect_uri'],
    [{ redirect_uri: `http://localhost/${'x'.repeat(2_048)}` }, 'BAD_URL', 'redirect_uri'],
    [{ app_type: 'web', redirect_uri: 'tea.app://back' }, 'INVALID_SCHEME', 'redirect_uri'],
  ] as const) {
    const answer = await annHere.post('/api/v1/apps', { ...right, ...wrong })
    t.is(answer.status, 400, JSON.stringify(wrong))
    t.is(answer.at('reason'), reason)
    t.deepEqual(answer.at('fields'), [field])
  }
  t.is((await t.context.site.post('/api/v1/apps', right)).at('reason'), 'USER_REQUIRED')
})

test('apps are listed to their owner without the secret, and deleting one ends its tokens', async (t) => {
  const { ann, bob, annHere } = t.context
  const app = await registerApp(ann, 'script')
  const token = tokenOf(t, await ask(t.context, app, { grant_type: 'client_credentials' }))
  const listed = await annHere.get('/api/v1/apps')
  t.true(listed.text.includes(app.id) && !listed.text.includes(app.secret))
  t.is((await bob.request('DELETE', `/api/v1/apps/${app.id}`)).status, 404)
  t.is((await withToken(t.context, token).get('/s/tea/about')).status, 200)
  t.is((await annHere.request('DELETE', `/api/v1/apps/${app.id}`)).status, 204)
  const ended = await withToken(t.context, token).get('/s/tea/about')
  t.is(ended.status, 401)
  t.is(challengeOf(ended), 'invalid_token')
  t.is((await ask(t.context, app, { grant_type: 'client_credentials' })).status, 401)
})

test('an account can have at most a hundred apps, also by concurrent requests', async (t) => {
  const collector = await t.context.site.register('collector')
  const app = { name: 'one of many', app_type: 'script', redirect_uri: 'http://localhost/' }
  const answers = await Promise.all(Array.from({ length: 105 }, () => collector.post('/api/v1/apps', app)))
  t.is(answers.filter(({ status }) => status === 201).length, 100)
  const [refused] = answers.filter(({ status }) => status !== 201)
  t.deepEqual([refused?.status, refused?.at('reason')], [409, 'CONFLICT'])
  const [{ client_id } = { client_id: '' }] = (await collector.get('/api/v1/apps')).body as unknown as { client_id: string }[]
  t.is((await collector.request('DELETE', `/api/v1/apps/${client_id}`)).status, 204)
  t.is((await collector.post('/api/v1/apps', app)).status, 201)
})

test('a client without valid credentials is 401', async (t) => {
  const { site, script, web, installed } = t.context
  const grant = { grant_type: 'client_credentials' }
  const wrong = [
    {},
    basic(script.id, 'wrong'),
    basic(script.id, ''),
    basic(script.id, web.secret),
    basic('unknown', script.secret),
    { Authorization: `Basic ${Buffer.from(script.id).toString('base64')}` },
    { Authorization: 'Basic %%%' },
    { Authorization: 'Basic' },
  ]
  for (const headers of wrong)
    for (const path of ['/api/v1/access_token', '/api/v1/revoke_token']) {
      const answer = await site.post(path, { ...grant, token: 'x' }, headers)
      t.is(answer.status, 401, `${path} ${JSON.stringify(headers)}`)
      t.regex(answer.headers.get('www-authenticate') ?? '', /^Basic realm="/)
      t.deepEqual(answer.body, {
        message: 'Unauthorized',
        error: 401,
        reason: 'OAUTH2_INVALID_CLIENT',
        explanation: 'The client id or its secret is wrong.',
        documentation_url: `${site.url}/docs/errors#OAUTH2_INVALID_CLIENT`,
      })
    }
  t.is((await site.post('/api/v1/access_token', { ...grant, client_id: script.id, client_secret: script.secret })).status, 401)
  const device = { grant_type: 'https://oauth.example/grants/installed_client', device_id: 'd'.repeat(20) }
  t.is((await site.post('/api/v1/access_token', device, basic(installed.id, 'whatever'))).at('token_type'), 'bearer')
})
