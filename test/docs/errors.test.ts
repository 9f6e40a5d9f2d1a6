import { glob } from 'node:fs/promises'
import test from 'ava'
import { challengeErrors, errorCatalogue, tokenErrors } from '../../docs/error-catalogue.ts'
import { refusals } from '../../src/http/contract/refusals.ts'
import { root, textOf } from '../support/pages.ts'

const sources = new Map<string, string>()
for await (const file of glob('src/**/*.ts', { cwd: root })) sources.set(file, await textOf(file))
const source = [...sources.values()].join('\n')

const namesIn = (pattern: RegExp, text = source): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([, name = '']) => name))].sort()

/** The parameters that refusals name literally. */
const literal = [
  ...source.matchAll(/\brefuse\('([A-Z_0-9]+)', '(\w+)'\)/g),
  ...source.matchAll(/\bcode: '([A-Z_0-9]+)', field: '(\w+)'/g),
].map(([, code = '', field = '']) => ({ code, field }))

test('the catalogue of errors names the parameters that refusals name', (t) => {
  t.true(literal.length > 80)
  const missing = literal.filter(({ code, field }) => {
    const fields = errorCatalogue[code as keyof typeof errorCatalogue]?.fields
    return fields !== 'any' && fields?.includes(field) !== true
  })
  t.deepEqual(missing, [])
})

test('each code that stands in `reason` is in the table of refusals', (t) => {
  const literal = namesIn(/\breason: '([A-Z_0-9]+)'/g)
  t.true(literal.length > 0)
  t.deepEqual(
    literal.filter((code) => !(code in refusals)),
    [],
  )
})

test('the catalogue of errors has what the token endpoint says in `error`, and no other', (t) => {
  const oauth = sources.get('src/http/endpoints/auth/oauth.ts')
  t.deepEqual(Object.keys(tokenErrors).sort(), namesIn(/\b(?:failure\(|error: )'([a-z_]+)'/g, oauth))
})

test('the catalogue of errors has what `WWW-Authenticate` says, and no other', (t) => {
  t.deepEqual(Object.keys(challengeErrors).sort(), namesIn(/\bchallenge\('([a-z_]+)'/g))
})

test('each entry of the catalogue says in whole sentences why, and what to do', (t) => {
  for (const [code, { cause, remedy }] of Object.entries(errorCatalogue))
    for (const text of [cause, remedy]) t.regex(text, /^[A-Z`].*\.$/s, code)
})
