import test from 'ava'
import { toEndpointName } from '../../../src/http/contract/endpoint.ts'
import { endpoints } from '../../../src/http/endpoints/all.ts'
import { actAddress, pageActs } from '../../../src/http/pages/acts.ts'
import { browserHeaders } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { submit } from '../../support/posting.ts'

// Forms that a page of another site, or of an attacker, sends by the browser of somebody who is logged in.

const { site, ann, bob } = await startTea()
const [own, other] = await Promise.all([ann.session(), bob.session()])
const link = await submit(bob, 'tea')
test.after.always(() => site.stop())

const FORM = 'application/x-www-form-urlencoded'

const send = (path: string, body: string, headers: Readonly<Record<string, string>>) =>
  fetch(`${site.url}${path}`, { method: 'POST', redirect: 'manual', body, headers: { ...browserHeaders, Cookie: own.cookie, ...headers } })

/** Values that let most endpoints do something, whatever their parameters. */
const fields: Readonly<Record<string, string>> = {
  id: link,
  thing_id: link,
  dir: '1',
  title: 'A pot',
  kind: 'self',
  sr: 'tea',
  text: 'here',
  name: 'bob',
  user: 'bob',
  to: 'bob',
  type: 'banned',
  subject: 'Hello',
  sr_name: 'tea',
  action: 'sub',
  short_name: 'a rule',
  description: 'why',
  op: 'save',
  stylesheet_contents: '.a{color:red}',
  page: 'index',
  content: 'green',
  how: 'yes',
  state: 'true',
  num: '1',
  display_name: 'pots',
  lang: 'en',
  redirect_uri: 'https://a.example/',
  app_type: 'script',
  flair_csv: 'bob,x,y',
  confirm: 'true',
  passwd: ann.password,
}

const fill = (path: string): string =>
  path
    .replace(/\[?\/s\/\{sub\}\]?/, '/s/tea')
    .replace('{fullname}', link)
    .replace('{username}', 'bob')
    .replace('{multipath}', 'user/ann/m/pots')
    .replace(/\{[^}]+\}/g, 'x')

const multipart = (sent: Readonly<Record<string, string>>): string =>
  `${Object.entries(sent)
    .map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--x--\r\n`

type Forgery = readonly [what: string, uh: string | undefined, type: string, headers: Readonly<Record<string, string>>]
const here = { 'Sec-Fetch-Site': 'same-origin' }
const elsewhere = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }

const forgeries: readonly Forgery[] = [
  ['without a modhash', undefined, FORM, here],
  ['with the modhash of another account', other.modhash, FORM, here],
  ['from another site', own.modhash, FORM, elsewhere],
  ['from a subdomain', own.modhash, FORM, { 'Sec-Fetch-Site': 'same-site' }],
  ['from another site, as an older browser says it', own.modhash, FORM, { Origin: 'https://evil.example' }],
  ['from a frame without an origin', own.modhash, FORM, { Origin: 'null' }],
  ['from another site, as an upload', own.modhash, 'multipart/form-data; boundary=x', elsewhere],
  ['as plain text, without a modhash', undefined, 'text/plain', elsewhere],
  ['as JSON, with the modhash of another account', other.modhash, 'application/json', elsewhere],
]

const bodyOf = (type: string, uh: string | undefined): string => {
  const sent = { ...fields, ...(uh !== undefined && { uh }) }
  if (type.startsWith('multipart')) return multipart(sent)
  return type === FORM ? new URLSearchParams(sent).toString() : JSON.stringify(sent)
}

/** Endpoints that begin or end a session, or are called without one. */
const withoutSession = /login|register|logout|_token$|\/post\//

const end = async (): Promise<string | null> => (await ann.get('/api/v1/me')).headers.get('x-log-position')

test.serial('no endpoint writes anything for a forged form, whatever its type', async (t) => {
  const writes = endpoints.filter(({ method, path }) => method !== 'GET' && !withoutSession.test(path))
  t.true(writes.length > 80)
  for (const endpoint of writes) {
    const before = await end()
    const direct = endpoint.method === 'POST' ? [fill(endpoint.path)] : []
    const targets = Object.hasOwn(pageActs, toEndpointName(endpoint))
      ? [...direct, actAddress(fill(endpoint.path), endpoint.method as 'POST')]
      : direct
    for (const target of targets)
      for (const [what, uh, type, headers] of forgeries) {
        const { status } = await send(target, bodyOf(type, uh), { ...headers, 'Content-Type': type })
        t.true(status < 500, `${target} ${what}: ${status}`)
      }
    t.is(await end(), before, toEndpointName(endpoint))
  }
})

/** Characters that a browser leaves out, ends a header field, or takes for a slash, and letters that no header field can have. */
const characters = [...Array.from({ length: 0x100 }, (_, code) => code), 0x2028, 0x2029, 0x3000, 0xfeff, 0x0436, 0x1f600].map((code) =>
  String.fromCodePoint(code),
)

test.serial('a form that succeeds leads to a page of this site, whatever its destination is made of', async (t) => {
  for (const character of characters)
    for (const dest of [`/${character}/evil.example`, `/s/tea?x=${character}`, `${character}//evil.example`]) {
      const body = new URLSearchParams({ uh: own.modhash, dest })
      const { status, headers } = await send(`/api/vote?id=${link}&dir=1`, body.toString(), { ...here, 'Content-Type': FORM })
      t.is(status, 303, JSON.stringify(dest))
      const location = headers.get('location') ?? ''
      t.regex(location, /^[!-~]+$/)
      t.is(new URL(location, site.url).origin, new URL(site.url).origin, JSON.stringify(dest))
    }
  const login = new URLSearchParams({ user: 'bob', passwd: bob.password, dest: '/s/\u0436\u0001' })
  const entered = await send('/post/login', login.toString(), { 'Content-Type': FORM, Cookie: '' })
  t.deepEqual([entered.status, entered.headers.get('location')], [302, '/s/%D0%B6%01'])
})
