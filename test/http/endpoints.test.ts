import { globSync, readFileSync } from 'node:fs'
import test from 'ava'
import { listingParameters } from '../../src/http/contract/listing-params.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'

/** Tests that ask all endpoints, or a table of them, and so ask a new one in passing. */
const general = ['curl-examples', 'every-choice', 'parameters', 'hostile-parameters', 'endpoints', 'account-quota']

/** Endpoints that a test asks by a path which it makes, and where. */
const madeUp: Readonly<Record<string, string>> = {
  'POST [/s/{sub}]/api/reorder_subsite_rules': 'test/http/subsite-pages.test.ts',
  'POST [/s/{sub}]/api/delete_sr_header': 'test/http/images.test.ts',
  'POST [/s/{sub}]/api/delete_sr_icon': 'test/http/images.test.ts',
  'POST [/s/{sub}]/api/delete_sr_banner': 'test/http/images.test.ts',
  'GET /awards/{file}': 'test/http/every-choice.test.ts',
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** A path as a test writes it, with anything in the place of its variables. */
const spelling = (path: string): RegExp =>
  new RegExp(
    `${path
      .replace('[/s/{sub}]', '')
      .split(/\{\w+\}/)
      .map(escaped)
      .join('[^/?\'"`]+')}(?![\\w/])`,
  )

test('every endpoint is asked in a test of its own', (t) => {
  const tests = globSync('test/http/{,pages/}*.test.ts')
    .filter((file) => !general.some((name) => file.endsWith(`/${name}.test.ts`)))
    .map((file) => readFileSync(file, 'utf8'))
    .join('')
  const unasked = endpoints.filter(({ path }) => !spelling(path).test(tests)).map(({ method, path }) => `${method} ${path}`)
  t.deepEqual(unasked.toSorted(), Object.keys(madeUp).toSorted(), 'add a case to test/http/<section>.test.ts')
})

// a generated client may send every default that the document declares
test('a parameter that is absent means the default that is declared for it', (t) => {
  const defaults = endpoints.flatMap(({ method, path, params }) =>
    Object.entries(params).flatMap(([name, { decode, schema }]) =>
      schema.default !== undefined
        ? [{ where: `${method} ${path} ${name}`, absent: decode(undefined, name), sent: decode(String(schema.default), name) }]
        : [],
    ),
  )
  t.true(defaults.length > 50)
  for (const { where, absent, sent } of defaults) t.deepEqual(absent, sent, where)
  const [limit] = listingParameters(100)
  t.is(limit?.name, 'limit')
  t.false('default' in Object(limit?.schema), 'that of a listing is a preference of the viewer')
})
