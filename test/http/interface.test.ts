import test from 'ava'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { additions, declared, missing, nameOf, partsOf, rows } from '../support/interface-table.ts'

const inTable = new Set(rows.map(nameOf))

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
