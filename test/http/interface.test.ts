import { glob } from 'node:fs/promises'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import type { AnyEndpoint, Param } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { additions, declared, nameOf, partsOf, rows } from '../support/interface-table.ts'

const inTable = new Set(rows.map(nameOf))

/** Writes that need no modhash although a session's cookie comes with them. */
const exempt = new Set([
  'POST /api/new_captcha',
  'POST /api/search_site_names',
  'POST [/s/{sub}]/api/flairselector',
  'POST /api/register',
  'POST /api/login',
])

/** The most things on a page, where the interface does not say 100. */
const longest = new Map([
  ['GET [/s/{sub}]/api/flairlist', 1000],
  ['GET [/s/{sub}]/about/log', 500],
])

const needsModhash = (endpoint: AnyEndpoint) => endpoint.modhash ?? endpoint.method !== 'GET'

test('every row of the interface’s table is declared, with its values and feeds', (t) => {
  t.deepEqual(
    rows
      .flatMap(partsOf)
      .filter(({ served }) => !served)
      .map(({ name }) => name),
    [],
  )
})

test('every declared endpoint is in the interface’s table or in the list of additions', (t) => {
  t.deepEqual(
    endpoints.map(nameOf).filter((name) => !inTable.has(name) && !additions.has(name)),
    [],
    'add it to test/fixtures/additions.json',
  )
  t.deepEqual(
    [...additions].filter((name) => !declared.has(name)),
    [],
    'in the list, but not declared',
  )
})

const isEndpoint = (value: unknown): value is AnyEndpoint =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'handle' in value

test('every endpoint that a file of src/http/endpoints exports is served', async (t) => {
  const directory = new URL('../../src/http/endpoints/', import.meta.url)
  const served = new Set(endpoints)
  const unlisted: string[] = []
  for await (const file of glob('**/*.ts', { cwd: directory.pathname, exclude: ['**/*-worker.ts'] })) {
    const exported: Readonly<Record<string, unknown>> = await import(new URL(file, directory).href)
    for (const one of Object.values(exported).flat())
      if (isEndpoint(one) && !served.has(one)) unlisted.push(`${file}: ${one.method} ${one.path}`)
  }
  t.deepEqual(unlisted, [], 'add it to the list of its file, or that list to src/http/endpoints/all.ts')
})

for (const endpoint of endpoints)
  for (const [name, { decode, required, schema }] of Object.entries<Param<unknown>>(endpoint.params)) {
    if (endpoint.path.includes(`{${name}}`)) continue
    const what = `${nameOf(endpoint)}: ${name}`
    if (E.isLeft(decode(undefined, name)) || E.isLeft(decode('', name)))
      test(`${what}, which is refused when absent, is documented as required`, (t) => t.true(required))
    const values: unknown = schema.enum
    if (Array.isArray(values))
      test(`${what} accepts each of its documented values`, (t) => {
        for (const value of values) t.true(E.isRight(decode(String(value), name)), String(value))
      })
  }

test('no endpoint is declared twice', (t) => {
  t.is(declared.size, endpoints.length)
})

/** Listings that are feeds here, beyond what the interface has. */
const furtherFeeds: ReadonlySet<string> = new Set(['GET [/s/{sub}]/about/{location}'])

for (const row of rows) {
  const endpoint = declared.get(nameOf(row))
  if (endpoint)
    test(`${nameOf(row)} is declared as in the interface’s table`, (t) => {
      t.is<string, string>(endpoint.section, row.section, 'section')
      if (typeof endpoint.scope === 'function') t.is(row.scope, 'any', 'a scope that depends on parameters')
      else t.is(endpoint.scope, row.scope as typeof endpoint.scope, 'scope')
      t.is(endpoint.listing?.max, row.listing ? (longest.get(nameOf(row)) ?? 100) : undefined, 'listing')
      t.is(endpoint.json ?? false, row.api_type, '+json')
      t.false((endpoint.rss ?? false) && !row.rss && !furtherFeeds.has(nameOf(row)), 'rss')
      // A write with a session's cookie always needs it, also where the table has no mark.
      t.is(needsModhash(endpoint), row.method !== 'GET' && !exempt.has(nameOf(row)), 'modhash')
      t.true(needsModhash(endpoint) || !row.modhash, 'modhash')
      for (const [variable, values] of Object.entries(endpoint.values ?? {}))
        t.deepEqual(
          values.filter((value) => !row.values?.[variable]?.includes(value)),
          [],
          variable,
        )
      const others = [endpoint.aliases, endpoint.otherPaths].flatMap((paths) => paths ?? [])
      for (const alias of row.aliases ?? []) t.true(others.includes(alias), alias)
    })
}
