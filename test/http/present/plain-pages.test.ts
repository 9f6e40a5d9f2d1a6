import { readFileSync } from 'node:fs'
import test from 'ava'
import { consentPage, invalidAuthorizationPage, loginPage, ownPage, welcomePage } from '../../../src/http/present/html-pages.ts'

const recorded = JSON.parse(readFileSync(new URL('../../fixtures/plain-pages.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>
const client = { id: 'a', name: 'An app <b>' } as Parameters<typeof consentPage>[0]['client']
const captcha = '5f0c7d3e9a1b4c2d8e6f7a8b9c0d1e2f'
const wrong = { text: 'that password is incorrect', field: 'passwd' }

const pages: Readonly<Record<string, Parameters<typeof ownPage>[0]>> = {
  login: loginPage({ kind: 'login', dest: '/s/tea?a=1&b="2"' }),
  'failed login': loginPage({ kind: 'login', dest: '/', error: wrong, typed: { user: 'ann' } }),
  register: loginPage({ kind: 'register', dest: '/s/tea' }),
  'register with a captcha': loginPage({ kind: 'register', dest: '/', captcha }),
  consent: consentPage({
    client,
    user: 'ann',
    scopes: ['identity', 'read'],
    subsites: ['tea'],
    permanent: false,
    fields: { state: '"x"', uh: 'h' },
  }),
  'consent to everything': consentPage({ client, user: 'ann', scopes: '*', subsites: undefined, permanent: true, fields: {} }),
  'invalid request': invalidAuthorizationPage('no <app>', 'client_id'),
}

test('without frames the pages for logging in, registering and consent are byte for byte as they were before there were frames', (t) => {
  t.deepEqual(Object.keys({ welcome: '', ...pages }), Object.keys(recorded))
  t.is(welcomePage, recorded.welcome ?? '')
  for (const [name, page] of Object.entries(pages)) t.is(String(ownPage(page).body), recorded[name] ?? '', name)
})
