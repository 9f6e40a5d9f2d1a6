import { readFile } from 'node:fs/promises'
import test from 'ava'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'

type Row = {
  readonly section: string
  readonly method: string
  readonly path: string
  readonly scope: string
  readonly listing: boolean
  readonly modhash: boolean
  readonly api_type: boolean
  readonly rss: boolean
  readonly values?: Readonly<Record<string, readonly string[]>>
  readonly aliases?: readonly string[]
}

const fixture = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')) as T

/** The specification's table. */
const rows = await fixture<readonly Row[]>('endpoints.json')
/** What of it is not served yet; this list only ever shrinks. */
const missing = new Set(await fixture<readonly string[]>('undeclared.json'))
/** What is served beyond it, because nothing works without. */
const additions = new Set(await fixture<readonly string[]>('additions.json'))

const nameOf = ({ method, path }: { readonly method: string; readonly path: string }) => `${method} ${path}`
const declared = new Map<string, AnyEndpoint>(endpoints.map((endpoint) => [nameOf(endpoint), endpoint]))
const inTable = new Set(rows.map(nameOf))

/** Everything a row asks for, each with a name of its own: the endpoint, each closed value, the feed. */
const partsOf = (row: Row): readonly { readonly name: string; readonly served: boolean }[] => {
  const endpoint = declared.get(nameOf(row))
  const values = Object.entries(row.values ?? {}).flatMap(([variable, choices]) =>
    choices.map((choice) => ({
      name: `${nameOf(row)} ${variable}=${choice}`,
      served: endpoint?.values?.[variable]?.includes(choice) ?? false,
    })),
  )
  const feed = row.rss ? [{ name: `${nameOf(row)} .rss`, served: endpoint?.rss ?? false }] : []
  return endpoint ? [...values, ...feed] : [{ name: nameOf(row), served: false }]
}

/** Writes that need no modhash although a session's cookie comes with them. */
const exempt = new Set([
  'POST /api/new_captcha',
  'POST /api/search_site_names',
  'POST [/s/{sub}]/api/flairselector',
  'POST /api/register',
  'POST /api/login',
])

const needsModhash = (endpoint: AnyEndpoint) => endpoint.modhash ?? endpoint.method !== 'GET'

test('every row of the table is declared, or stands in the list of what is missing', (t) => {
  const unserved = rows.flatMap(partsOf).filter(({ served }) => !served)
  t.log(`${rows.filter((row) => declared.has(nameOf(row))).length} of ${rows.length} rows are declared; missing parts: ${unserved.length}`)
  t.deepEqual(
    unserved.map(({ name }) => name).filter((name) => !missing.has(name)),
    [],
    'neither declared nor in test/fixtures/undeclared.json',
  )
})

test('nothing in the list of what is missing is declared', (t) => {
  const unserved = new Set(
    rows
      .flatMap(partsOf)
      .filter(({ served }) => !served)
      .map(({ name }) => name),
  )
  t.deepEqual(
    [...missing].filter((name) => !unserved.has(name)),
    [],
    'declared: take it out of test/fixtures/undeclared.json',
  )
})

test('every declared endpoint is in the table, or in the list of additions', (t) => {
  t.deepEqual(
    endpoints.map(nameOf).filter((name) => !inTable.has(name) && !additions.has(name)),
    [],
  )
  t.deepEqual(
    [...additions].filter((name) => !declared.has(name)),
    [],
    'in the list, but not declared',
  )
})

test('no endpoint is declared twice', (t) => {
  t.is(declared.size, endpoints.length)
})

for (const row of rows) {
  const endpoint = declared.get(nameOf(row))
  if (endpoint)
    test(`${nameOf(row)} is declared as the table has it`, (t) => {
      t.is(endpoint.section, row.section, 'section')
      if (typeof endpoint.scope === 'function') t.is(row.scope, 'any', 'a scope that depends on parameters')
      else t.is(endpoint.scope, row.scope as typeof endpoint.scope, 'scope')
      t.is(endpoint.listing !== undefined, row.listing, 'listing')
      t.is(endpoint.json ?? false, row.api_type, '+json')
      t.false((endpoint.rss ?? false) && !row.rss, 'rss')
      // A write with a session's cookie always needs it, also where the table has no mark.
      t.is(needsModhash(endpoint), row.method !== 'GET' && !exempt.has(nameOf(row)), 'modhash')
      t.true(needsModhash(endpoint) || !row.modhash, 'modhash')
      for (const [variable, values] of Object.entries(endpoint.values ?? {}))
        t.deepEqual(
          values.filter((value) => !row.values?.[variable]?.includes(value)),
          [],
          variable,
        )
      for (const alias of row.aliases ?? []) t.true(endpoint.aliases?.includes(alias), alias)
    })
}
