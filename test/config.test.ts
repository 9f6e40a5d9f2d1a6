import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import pino from 'pino'
import { configOf } from '../src/config.ts'
import { misspeltVariables, urlOf, variables } from '../src/config-variables.ts'
import { explain } from '../src/operations/error-message.ts'
import { openStores } from '../src/stores.ts'

const config = (environment: Readonly<Record<string, string>>) => {
  const decoded = configOf(environment)
  if (E.isLeft(decoded)) throw new Error(decoded.left)
  return decoded.right
}

test('every setting has a default', (t) => {
  t.deepEqual(config({}), {
    host: '127.0.0.1',
    port: 8080,
    publicUrl: 'http://127.0.0.1:8080',
    eventStoreUrl: 'sqlite:data/rostra.db',
    documentStoreUrl: 'sqlite:data/rostra.db',
    sessionSecret: undefined,
    historyKeyFile: undefined,
    historyHeadFile: undefined,
    historyWitnesses: [],
    historyHeadSeconds: 60,
    trustProxy: 0,
    sharedCacheSeconds: 0,
    admins: [],
    defaultSubsites: [],
    bannedDomains: [],
    homeSubsite: undefined,
    captcha: false,
    pages: true,
    securityContact: undefined,
    rateLimits: false,
    readOnlyAs: undefined,
    projections: 'inline',
    duties: 'on',
    workerPort: 0,
    logLevel: 'info',
  })
})

const loopback = fc.oneof(
  fc.constantFrom('localhost', 'LocalHost', '::1', '0:0:0:0:0:0:0:1'),
  fc
    .tuple(fc.constantFrom('', '::ffff:'), fc.nat(255), fc.nat(255), fc.nat(255))
    .map(([before, ...rest]) => `${before}127.${rest.join('.')}`),
)
const reachable = fc.oneof(
  fc.constantFrom('0.0.0.0', '::', '::ffff:0.0.0.0', '::127.0.0.1', 'fe80::1', 'rostra.example', 'localhost.example'),
  fc.ipV4().filter((address) => !address.startsWith('127.')),
  fc
    .ipV4()
    .filter((address) => !address.startsWith('127.'))
    .map((address) => `::ffff:${address}`),
  fc.ipV6().filter((address) => !/^[:0]*:0*1$|127\.|7f[\da-f]{2}:[\da-f]+$/i.test(address)),
)
/** Addresses without wildcards and others of 0.0.0.0/8, which no client can connect to. */
const named = reachable.filter((address) => !/^[0:.]+$|^([0:]*ffff:)?(0\.|[\da-f]{1,2}:[\da-f]+$)/i.test(address))
const on = { captcha: true, rateLimits: true }
const off = { captcha: false, rateLimits: false }

test('limits and captchas are off by default only if the address listened on and the public one are both loopback', (t) => {
  const check = (protection: typeof on, host: string, name: string) => {
    t.like(config({ HOST: host, PUBLIC_URL: urlOf(name, 81) }), protection, `${host} ${name}`)
    t.like(config({ HOST: host, PUBLIC_URL: `https://${urlOf(name, 81).slice(7)}/site` }), protection, `${host} ${name}`)
  }
  fc.assert(fc.property(loopback, loopback, (host, name) => check(off, host, name)))
  fc.assert(fc.property(loopback, named, (host, name) => check(on, host, name)))
  fc.assert(fc.property(reachable, loopback, (host, name) => check(on, host, name)))
  fc.assert(fc.property(reachable, named, (host, name) => check(on, host, name)))
  t.like(config({ PUBLIC_URL: 'http://localhost.:81' }), on, 'a name that only a server of names knows')
  fc.assert(fc.property(loopback, (host) => void t.like(config({ HOST: host }), off, host)))
})

test('limits and captchas are on by default behind a trusted proxy, whatever the addresses', (t) => {
  t.like(config({ TRUST_PROXY: 'off' }), off)
  for (const proxies of ['1', '9']) t.like(config({ TRUST_PROXY: proxies }), on, proxies)
})

test('CAPTCHA and RATE_LIMITS decide, wherever the service can be reached', (t) => {
  t.like(config({ PUBLIC_URL: 'https://rostra.example/' }), { publicUrl: 'https://rostra.example', ...on })
  t.like(config({ PUBLIC_URL: 'https://rostra.example', CAPTCHA: 'off' }), { captcha: false, rateLimits: true })
  t.like(config({ HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost', TRUST_PROXY: '1', CAPTCHA: 'off', RATE_LIMITS: 'off' }), off)
  t.like(config({ CAPTCHA: 'on', RATE_LIMITS: 'on' }), on)
})

test('an IPv6 address is written in brackets', (t) => {
  t.like(config({ HOST: '::1', PORT: '81' }), { publicUrl: 'http://[::1]:81' })
})

test('lists in settings are separated by commas and lower-cased', (t) => {
  t.like(config({ ADMINS: ' Ann,bob_2 ,', DEFAULT_SUBSITES: 'Tea,coffee', BANNED_DOMAINS: 'Spam.example' }), {
    admins: ['ann', 'bob_2'],
    defaultSubsites: ['tea', 'coffee'],
    bannedDomains: ['spam.example'],
  })
})

test('there is no home subsite by default; its name is case-insensitive', (t) => {
  t.is(config({}).homeSubsite, undefined)
  t.is(config({ HOME_SUBSITE: 'Tea' }).homeSubsite, 'tea')
  t.throws(() => config({ HOME_SUBSITE: 'a/b' }), { message: /^HOME_SUBSITE is "a\/b", but must be the name of a subsite$/ })
})

test('EventStoreDB and MongoDB with a session secret use projection workers by default', (t) => {
  const distributed = {
    EVENT_STORE_URL: 'esdb://log:2113?tls=false',
    DOCUMENT_STORE_URL: 'mongodb://documents/rostra',
    SESSION_SECRET: 's'.repeat(32),
  }
  t.like(config(distributed), { projections: 'external', eventStoreUrl: distributed.EVENT_STORE_URL })
  t.like(config({ ...distributed, PROJECTIONS: 'inline' }), { projections: 'inline' })
  for (const scheme of ['kurrentdb', 'kurrentdb+discover', 'kdb', 'kdb+discover']) {
    const eventStoreUrl = `${scheme}://log:2113`
    t.like(config({ ...distributed, EVENT_STORE_URL: eventStoreUrl }), { projections: 'external', eventStoreUrl })
  }
})

const refused: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
  [{ PORT: 'http' }, 'PORT is "http", but must be a port from 0 to 65535'],
  [{ PORT: '65536' }, 'PORT is "65536", but must be a port from 0 to 65535'],
  [{ HOST: 'a b' }, 'HOST is "a b", but must be a host name or an IP address'],
  [
    { PUBLIC_URL: 'rostra.example' },
    'PUBLIC_URL is "rostra.example", but must be an http or https address without credentials, query and fragment',
  ],
  [
    { EVENT_STORE_URL: 'data.db' },
    'EVENT_STORE_URL is "data.db", but must be sqlite:FILE, esdb://… or esdb+discover://… (kurrentdb and kdb mean the same as esdb)',
  ],
  [
    { HOST: '0.0.0.0' },
    'HOST is "0.0.0.0", which no link can name: set PUBLIC_URL to the address that clients use, such as http://localhost:8080',
  ],
  [
    { HOST: '::', PORT: '80' },
    'HOST is "::", which no link can name: set PUBLIC_URL to the address that clients use, such as http://localhost:80',
  ],
  [
    { HOST: '::ffff:0.0.0.0' },
    'HOST is "::ffff:0.0.0.0", which no link can name: set PUBLIC_URL to the address that clients use, such as http://localhost:8080',
  ],
  [
    { PUBLIC_URL: 'http://0.0.0.0:8080' },
    'PUBLIC_URL is "http://0.0.0.0:8080", but must be an address that clients can use, such as http://localhost:8080',
  ],
  [{ PUBLIC_URL: 'http://0/x' }, 'PUBLIC_URL is "http://0/x", but must be an address that clients can use, such as http://localhost:8080'],
  [{ TRUST_PROXY: 'yes' }, 'TRUST_PROXY is "yes", but must be off, or the number of proxies in front (1 to 9)'],
  [{ CAPTCHA: 'true' }, 'CAPTCHA is "true", but must be on or off'],
  [{ RATE_LIMITS: '1' }, 'RATE_LIMITS is "1", but must be on or off'],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL is "loud", but must be fatal, error, warn, info, debug, trace, silent'],
  [{ ADMINS: 'a b' }, 'ADMINS is "a b", but must be usernames, separated by commas'],
  [{ SESSION_SECRET: 'short' }, 'SESSION_SECRET is (hidden), but must be at least 32 characters'],
  [{ PROJECTIONS: 'external' }, 'PROJECTIONS is "external", but must be inline with SQLite'],
  [{ DUTIES: 'off' }, 'DUTIES is "off", but must be on with SQLite'],
]

for (const [environment, line] of refused)
  test(`${line.split(',')[0]} ends the start`, (t) => {
    t.deepEqual(configOf(environment), E.left(line))
  })

const servers = { EVENT_STORE_URL: 'esdb://log:2113', DOCUMENT_STORE_URL: 'mongodb://documents/rostra', SESSION_SECRET: 's'.repeat(32) }

/** Values that no variable may have; those of stores that only their drivers refuse are below. */
const wrong: Readonly<Record<string, readonly string[]>> = {
  HOST: [
    '999.1.1.1',
    '256.256.256.256',
    '1.2.3',
    '1',
    '0x',
    ':::',
    '::g',
    '[::1]',
    'fe80::1%eth0',
    'a..b',
    '.',
    '-',
    '-a',
    'a/b',
    'é',
    'x'.repeat(64),
  ],
  PAGES: ['yes'],
  SECURITY_CONTACT: ['ann', 'mailto:ann', 'http://a.example/', 'https://a.example/ b'],
  PORT: ['http', '-1', '65536', '8080 ', '0x50', '1e3', '١'],
  PUBLIC_URL: [
    'http://',
    'http://a b',
    ' http://a',
    'http://999.1.1.1',
    'http://[::g]',
    'http://a:99999',
    'ftp://a',
    'https://a/?q',
    'https://a#f',
    'http://u:p@a',
    'https:a',
    'http:/a',
    'http:\\\\a',
    'http://a/"<>',
    'http://é.example',
  ],
  EVENT_STORE_URL: ['data.db', 'sqlite:', 'sqlite: ', 'sqlite::memory:', 'sqlite:file:a.db', 'esdb:', 'esdb://', 'http://log:2113'],
  DOCUMENT_STORE_URL: ['data.db', 'sqlite:', 'sqlite::memory:', 'mongodb:', 'mongodb://', 'http://documents'],
  SESSION_SECRET: ['short', 's'.repeat(31)],
  HISTORY_KEY_FILE: ['keys/'],
  HISTORY_HEAD_FILE: ['keys/'],
  SHARED_CACHE_SECONDS: ['0', '3601', '1.5', '-1', 'on', '060'],
  HISTORY_WITNESSES: [
    'http://w.example',
    'ftp://w.example/#w+2b2a1c1d+BAAA',
    'https://w.example/#w+00000000+BAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'x',
  ],
  HISTORY_HEAD_SECONDS: ['0', '3601', '1.5', '-1', 'often', '060'],
  TRUST_PROXY: ['on', '0', '10', '-1', '1.5', 'loopback'],
  ADMINS: ['a b', 'ann,x', 'é', 'x'.repeat(21), '[service]'],
  DEFAULT_SUBSITES: ['a b', 'tea,-', 'é', 'x'.repeat(22)],
  BANNED_DOMAINS: ['a b', 'http://spam.example', 'spam..example', '.'],
  HOME_SUBSITE: ['a/b', 'tea,milk', 'é', 'x'.repeat(22)],
  CAPTCHA: ['true', 'ON', '1'],
  RATE_LIMITS: ['yes', 'Off', '0'],
  READ_ONLY: ['yes', 'ON'],
  READ_ONLY_AS: ['root', 'moderators'],
  READ_ONLY_AS_ANYWHERE: ['true', 'ON'],
  PROJECTIONS: ['external', 'none'],
  DUTIES: ['off', 'true'],
  WORKER_PORT: ['http', '65536', '-1'],
  LOG_LEVEL: ['loud', 'INFO', '30'],
}

test('every variable refuses wrong values, each with one line that names it, the value and what is accepted', (t) => {
  t.deepEqual(Object.keys(wrong).toSorted(), Object.keys(variables).toSorted())
  for (const [name, values] of Object.entries(wrong))
    for (const value of values) {
      const decoded = configOf({ ...(name.endsWith('_STORE_URL') ? servers : {}), [name]: value })
      if (E.isRight(decoded)) return t.fail(`${name}=${value}`)
      const shown = name === 'SESSION_SECRET' ? '(hidden)' : JSON.stringify(value.replace(/\/\/.*@/, '//***@'))
      t.true(decoded.left.startsWith(`${name} is ${shown}, but must be `), decoded.left)
      t.notRegex(decoded.left, /\n/)
    }
})

test('the host names and addresses that exist are accepted', (t) => {
  for (const HOST of ['0.0.0.0', '::', '::1', '::ffff:1.2.3.4', 'localhost', 'a.example', 'x1', '1x.example', 'under_score'])
    t.is(config({ HOST, PUBLIC_URL: 'http://localhost' }).host, HOST)
})

/** No data file. */
const directory = mkdtempSync(join(tmpdir(), 'rostra-config-'))
const other = join(directory, 'other.txt')
writeFileSync(other, 'a text of more than sixteen bytes')
test.after.always(() => rmSync(directory, { recursive: true }))

for (const [what, environment, line] of [
  ['a data file below a file', { EVENT_STORE_URL: `sqlite:${other}/x.db` }, /^EVENT_STORE_URL is ".*x\.db", but must be sqlite:FILE, /],
  [
    'a directory as data file',
    { EVENT_STORE_URL: `sqlite:${directory}` },
    /^EVENT_STORE_URL is ".*", but must be sqlite:FILE, .*directory/,
  ],
  ['a device as data file', { EVENT_STORE_URL: 'sqlite:/dev/null' }, /^EVENT_STORE_URL is ".*", but must be sqlite:FILE, .*device/],
  [
    'a file of another kind',
    { EVENT_STORE_URL: `sqlite:${other}` },
    /^EVENT_STORE_URL is ".*", but must be sqlite:FILE, .*not an SQLite file/,
  ],
  [
    'no address of EventStoreDB, before the document server is there',
    { ...servers, EVENT_STORE_URL: 'esdb://log:99999', DOCUMENT_STORE_URL: 'mongodb://127.0.0.1:1/rostra' },
    /^EVENT_STORE_URL: port "99999"/,
  ],
  ['no address of MongoDB', { ...servers, DOCUMENT_STORE_URL: 'mongodb://:::' }, /^DOCUMENT_STORE_URL is not a MongoDB address/],
  [
    'a port of MongoDB that is none',
    { ...servers, DOCUMENT_STORE_URL: 'mongodb://x:99999' },
    /^DOCUMENT_STORE_URL is not a MongoDB address/,
  ],
  [
    'an option that MongoDB has not',
    { ...servers, DOCUMENT_STORE_URL: 'mongodb://x/?foo=bar' },
    /^DOCUMENT_STORE_URL is not a MongoDB address/,
  ],
] as const)
  test(`${what} ends the start with one line`, async (t) => {
    const urls = { ...environment, ...(!('DOCUMENT_STORE_URL' in environment) && { DOCUMENT_STORE_URL: environment.EVENT_STORE_URL }) }
    const decoded = config({ SESSION_SECRET: servers.SESSION_SECRET, ...urls })
    const error = await t.throwsAsync(openStores(decoded, pino({ level: 'silent' }), AbortSignal.timeout(5_000)))
    t.regex(explain(error), line)
    t.notRegex(explain(error), /\n/)
  })

test('other pairs of stores are refused, each with one line', (t) => {
  const pairs = [
    { EVENT_STORE_URL: 'sqlite:a.db' },
    { EVENT_STORE_URL: 'sqlite:a.db', DOCUMENT_STORE_URL: 'mongodb://x' },
    { EVENT_STORE_URL: 'esdb://x' },
    { EVENT_STORE_URL: 'esdb://x', DOCUMENT_STORE_URL: 'mongodb://x' },
  ]
  for (const pair of pairs) {
    const decoded = configOf(pair)
    t.true(E.isLeft(decoded) && /^(DOCUMENT_STORE_URL|SESSION_SECRET) is [^\n]+, but [^\n]+$/.test(decoded.left), JSON.stringify(decoded))
  }
})

test('messages show addresses without credentials', (t) => {
  const secret = { EVENT_STORE_URL: 'esdb://ann:pa/ss@log', DOCUMENT_STORE_URL: 'sqlite:x.db' }
  const line = E.getOrElse(() => '')(E.swap(configOf(secret)))
  t.regex(line, /esdb:\/\/\*\*\*@log/)
  t.notRegex(line, /pa\/ss/)
})

test('every environment variable is described with its default', async (t) => {
  const source = await readFile(new URL('../src/config.ts', import.meta.url), 'utf8')
  const read = [...source.matchAll(/value\('(\w+)'/g)].map(([, name]) => String(name))
  t.deepEqual(Object.keys(variables).toSorted(), read.toSorted())
  for (const [name, { fallback }] of Object.entries(variables))
    if (!/\s|HOST/.test(fallback)) t.deepEqual(configOf(name.endsWith('_STORE_URL') ? {} : { [name]: fallback }), configOf({}), name)
})

test('workers and commands need no session secret', (t) => {
  const servers = { EVENT_STORE_URL: 'esdb://log:2113', DOCUMENT_STORE_URL: 'mongodb://documents' }
  t.true(E.isLeft(configOf(servers)))
  t.true(E.isRight(configOf(servers, 'work')))
})

test('only a data file is only read, and only where it is only read it is said as whom', (t) => {
  const readOnlyAs = (environment: Readonly<Record<string, string>>) => {
    const decoded = configOf(environment)
    return E.isRight(decoded) ? decoded.right.readOnlyAs : decoded.left
  }
  t.is(readOnlyAs({ READ_ONLY: 'on' }), 'anybody')
  t.is(readOnlyAs({ READ_ONLY: 'on', READ_ONLY_AS: 'admin' }), 'admin')
  t.is(readOnlyAs({ READ_ONLY_AS: 'admin' }), 'READ_ONLY_AS is "admin", but READ_ONLY is not on')
  for (const reach of [
    { HOST: '0.0.0.0', PUBLIC_URL: 'http://localhost' },
    { HOST: 'a.example' },
    { PUBLIC_URL: 'https://a.example' },
    { TRUST_PROXY: '1' },
  ]) {
    const environment = { READ_ONLY: 'on', READ_ONLY_AS: 'moderator', ...reach }
    t.is(
      readOnlyAs(environment),
      'READ_ONLY_AS is "moderator", but with this HOST, PUBLIC_URL or TRUST_PROXY other machines can reach the service and would read as that account: READ_ONLY_AS_ANYWHERE=on allows it',
    )
    t.is(readOnlyAs({ ...environment, READ_ONLY_AS_ANYWHERE: 'on' }), 'moderator')
    t.is(readOnlyAs({ ...environment, READ_ONLY_AS: 'anybody' }), 'anybody')
  }
  for (const HOST of ['127.0.0.1', '::1', 'localhost']) t.is(readOnlyAs({ READ_ONLY: 'on', READ_ONLY_AS: 'admin', HOST }), 'admin')
  t.regex(
    String(readOnlyAs({ ...servers, READ_ONLY: 'on' })),
    /^READ_ONLY is "on", but EVENT_STORE_URL ".+" is no data file: npx rostra replay makes one$/,
  )
})

test('a variable that differs from a known one by one or two letters is named, and no other', (t) => {
  const named = (...names: readonly string[]) => misspeltVariables(Object.fromEntries(names.map((name) => [name, 'on'])))
  t.deepEqual(named('CAPTHCA'), ['CAPTHCA is not a variable of this service: did you mean CAPTCHA?'])
  for (const [wrong, known] of [
    ['PUBLIC_URI', 'PUBLIC_URL'],
    ['captcha', 'CAPTCHA'],
    ['HOSTS', 'HOST'],
    ['RATE_LIMIT', 'RATE_LIMITS'],
    ['DOCUMENTSTORE_URL', 'DOCUMENT_STORE_URL'],
  ] as const)
    t.deepEqual(named(wrong), [`${wrong} is not a variable of this service: did you mean ${known}?`])
  t.deepEqual(named(...Object.keys(variables)), [])
  t.deepEqual(named('HOME', 'PATH', 'PWD', 'USER', 'SHELL', 'LANG', 'HOSTNAME', 'LOGNAME', 'TERM', 'NODE_ENV', 'TMPDIR', 'MAIL'), [])
  t.deepEqual(misspeltVariables({ CAPTHCA: '' }), [])
})
