import { readFile } from 'node:fs/promises'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { parse } from 'yaml'
import { settledByCompose } from '../../docs/env-example.ts'
import { configOf } from '../../src/config.ts'
import { variables } from '../../src/config-variables.ts'

type Service = {
  readonly image: string
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly cap_add?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly mem_limit?: string
  readonly pids_limit?: number
  readonly privileged?: boolean
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
}

const file = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8')
const image = await readFile(new URL('../../Dockerfile', import.meta.url), 'utf8')
const imageEnvironment = Object.fromEntries(
  [...image.matchAll(/^(?:ENV| {3}) +(\w+)=([^\s\\]+)/gm)].map(([, name, value]) => [name, value]),
)
type Compose = { readonly services: Readonly<Record<string, Service>> }
const { services } = parse(file, { merge: true }) as Compose
const alone = parse(await readFile(new URL('../../compose.yml', import.meta.url), 'utf8')) as Compose

for (const [name, service] of Object.entries({ ...services, ...alone.services }))
  test(`the container of ${name} writes to volumes only, has no unneeded capability, and has limits`, (t) => {
    t.true(service.read_only)
    t.deepEqual(service.cap_drop, ['ALL'])
    t.deepEqual(service.cap_add ?? [], name === 'secret' ? ['CHOWN'] : [])
    t.deepEqual(service.security_opt, ['no-new-privileges:true'])
    t.truthy(service.mem_limit)
    t.true((service.pids_limit ?? 0) > 0)
    t.not(service.privileged, true)
  })

test('every image has an exact version or a digest', (t) => {
  for (const [name, { image }] of Object.entries({ ...services, ...alone.services }))
    if (!image.startsWith('rostra:')) t.regex(image, /:\d+\.\d+\.\d+|@sha256:[0-9a-f]{64}$/, name)
})

test('containers, npm and systemd start the service by the same command', async (t) => {
  const textOf = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8')
  t.is(JSON.parse(await textOf('package.json')).scripts.start, 'exec bin/rostra start')
  t.true(services.api?.command?.at(-1)?.endsWith(' exec bin/rostra start'))
  t.deepEqual(services.projections?.command, ['bin/rostra', 'worker'])
  t.deepEqual(JSON.parse(/^CMD (\[.*\])$/m.exec(image)?.[1] ?? '[]'), ['bin/rostra', 'start'])
  t.regex(await textOf('deploy/rostra.service'), /^ExecStart=\S+\/bin\/rostra start$/m)
})

/** Expands a value of the file as Compose does: `${NAME:-default}`, where a default may contain such a part again. */
const interpolated = (value: string, given: Readonly<Record<string, string>>): string => {
  const once = value.replace(/\$\{(\w+):-([^${}]*)\}/g, (_, name: string, otherwise: string) => given[name] || otherwise)
  return once === value ? value : interpolated(once, given)
}

/** The configuration of an API process in its container, for what the shell or `.env` has set. */
const configured = (given: Readonly<Record<string, string>> = {}) => {
  const environment = Object.entries(services.api?.environment ?? {}).map(([name, value]) => [name, interpolated(value, given)])
  return configOf({ ...imageEnvironment, SESSION_SECRET: 's'.repeat(32), ...Object.fromEntries(environment) })
}

test('the compose file passes every variable on, except those that it decides itself, and its API and workers get the same', (t) => {
  const { environment = {} } = services.api ?? {}
  t.deepEqual(services.projections?.environment, environment)
  for (const name of Object.keys(variables))
    if (!settledByCompose.includes(name)) t.regex(environment[name] ?? '', new RegExp(`^\\$\\{${name}:-.*\\}$`), name)
    else t.notRegex(environment[name] ?? '', /\$/, name)
  t.deepEqual(
    Object.keys(environment).filter((name) => !(name in variables)),
    [],
  )
})

test('the compose file of one container passes on every variable that the other does', (t) => {
  const { environment = {}, ports } = alone.services.rostra ?? {}
  const named = Object.keys(variables).filter((name) => !settledByCompose.includes(name))
  t.deepEqual(Object.keys(environment).sort(), named.sort())
  const given = { ...imageEnvironment, PUBLIC_URL: interpolated(environment.PUBLIC_URL ?? '', {}) }
  t.like(configOf(given), { right: { captcha: true, rateLimits: true, trustProxy: 0, publicUrl: 'http://127.0.0.1:8080' } })
  t.true(E.isLeft(configOf({ ...given, PUBLIC_URL: interpolated(environment.PUBLIC_URL ?? '', { PUBLISH: '0.0.0.0:80' }) })))
  t.deepEqual(
    ports?.map((port) => interpolated(port, {})),
    ['127.0.0.1:8080:8080'],
  )
})

test('captchas and limits are on in containers unless they are switched off', (t) => {
  const on = { captcha: true, rateLimits: true, trustProxy: 1, publicUrl: 'http://127.0.0.1:8080' }
  t.like(configured(), { right: on })
  t.like(configured({ PUBLIC_URL: 'http://localhost' }), { right: { ...on, publicUrl: 'http://localhost' } })
  t.like(configured({ CAPTCHA: 'off', RATE_LIMITS: 'off' }), { right: { captcha: false, rateLimits: false } })
})

test('containers that are published without a public address do not start', (t) => {
  const ports = (given: Readonly<Record<string, string>>) => services.proxy?.ports?.map((port) => interpolated(port, given))
  t.deepEqual([ports({}), ports({ PUBLISH: '0.0.0.0:80' })], [['127.0.0.1:8080:8080'], ['0.0.0.0:80:8080']])
  for (const PUBLISH of ['0.0.0.0:80', '80', '[::]:443', '127.0.0.1:9090', 'localhost:80']) {
    const alone = configured({ PUBLISH })
    t.true(E.isLeft(alone) && alone.left.startsWith(`PUBLIC_URL is "${PUBLISH}", but must be `), JSON.stringify(alone))
    t.like(configured({ PUBLISH, PUBLIC_URL: 'https://rostra.example' }), { right: { publicUrl: 'https://rostra.example', captcha: true } })
  }
})

test('.env.example has each variable once, with its default, and is ignored by Git once it is copied', async (t) => {
  const example = await readFile(new URL('../../.env.example', import.meta.url), 'utf8')
  const entries = [...example.matchAll(/^#([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value] as const)
  const others = [...new Set([...file.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name))].filter((name) => !(name in variables))
  t.deepEqual(entries.map(([name]) => name).toSorted(), [...Object.keys(variables), ...others].toSorted())
  t.deepEqual(configOf(Object.fromEntries(entries)), configOf({}))
  for (const [name, value] of entries.filter(([name]) => others.includes(name))) t.true(file.includes(`\${${name}:-${value}}`), name)
  t.regex(await readFile(new URL('../../.gitignore', import.meta.url), 'utf8'), /^\.env$/m)
})
test('the image holds the documents that /docs shows', async (t) => {
  for (const name of ['Dockerfile', '.dockerignore']) {
    const lines = (await readFile(new URL(`../../${name}`, import.meta.url), 'utf8')).split('\n')
    const wanted =
      name === 'Dockerfile'
        ? ['COPY docs/*.md docs/', 'COPY docs/guide docs/guide', 'COPY docs/adapters docs/adapters']
        : ['!docs/*.md', '!docs/guide', '!docs/adapters']
    t.deepEqual(
      wanted.filter((line) => !lines.includes(line)),
      [],
      name,
    )
  }
})
