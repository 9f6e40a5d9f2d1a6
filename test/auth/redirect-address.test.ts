import test from 'ava'
import { checkRedirect } from '../../src/auth/redirect-address.ts'

for (const address of [
  'https://app.example/back?from=us',
  'https://app.example:8443/',
  'HTTPS://App.Example/',
  'http://localhost',
  'http://localhost:65010/callback',
  'http://127.0.0.1:9/back',
  'http://127.8.8.8/',
  'http://[::1]:8080/back',
])
  test(`${address} can be a redirect address of an app`, (t) => {
    for (const type of ['web', 'installed', 'script'] as const) t.is(checkRedirect(address, type), undefined, type)
  })

for (const address of ['com.example.app:/back', 'com.example.app://back', 'tea.app://back?x=1'])
  test(`${address} can be a redirect address of an app that is no web app`, (t) => {
    for (const type of ['installed', 'script'] as const) t.is(checkRedirect(address, type), undefined, type)
    t.is(checkRedirect(address, 'web')?.code, 'INVALID_SCHEME')
  })

for (const address of [
  'http://app.example/back',
  'http://localhost.evil.example/',
  'http://127.0.0.1.evil.example/',
  'http://10.0.0.1/',
  'http://0.0.0.0/',
  'https://ann@app.example/',
  'https://ann:secret@app.example/',
  'https://@app.example/',
  'https://app.example@evil.example/',
  'http://localhost@evil.example/',
  'com.example.app://ann@back',
  'https:app.example',
  'https:/app.example',
  'https://app.example/#',
  'https://app.example/#x',
  'https:\\\\app.example',
  'https://app.example\\@evil.example/',
  'https://app.example/\n',
  'https://app.example/a b',
  '/back',
  '//app.example/back',
  'app.example/back',
  'tea:/back',
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'blob:https://app.example/1',
  'file:///etc/passwd',
  'about:blank',
  'ftp://app.example/',
  'ws://localhost/',
  'intent:x',
  '.app:/back',
  'com..app:/back',
  `https://app.example/${'x'.repeat(2_048)}`,
])
  test(`${JSON.stringify(address).slice(0, 60)} cannot be a redirect address`, (t) => {
    t.is(checkRedirect(address, 'script')?.code, 'BAD_URL')
    for (const type of ['web', 'installed'] as const) t.truthy(checkRedirect(address, type), type)
  })

test('an empty address is refused', (t) => {
  for (const address of ['', ' ', '\n']) t.is(checkRedirect(address, 'script')?.code, 'NO_URL')
})
