import test from 'ava'
import { canonicalUrl, domainOf } from '../../src/domain/canonical-url.ts'

const same: readonly (readonly [string, string])[] = [
  ['http://Example.org/Pot', 'http://example.org/pot'],
  ['http://www.example.org/', 'http://example.org/'],
  ['http://example.org/#lid', 'http://example.org/'],
]
const different: readonly (readonly [string, string])[] = [
  ['http://example.org/', 'https://example.org/'],
  ['http://example.org/pot', 'http://example.org/pot/'],
  ['http://example.org/?a=1', 'http://example.org/?a=2'],
  ['http://example.org/#!one', 'http://example.org/#!two'],
  ['http://www2.example.org/', 'http://example.org/'],
]

for (const [one, other] of same) test(`${one} and ${other} are the same address`, (t) => t.is(canonicalUrl(one), canonicalUrl(other)))
for (const [one, other] of different)
  test(`${one} and ${other} are different addresses`, (t) => t.not(canonicalUrl(one), canonicalUrl(other)))

test('the domain of a URL is its host without www', (t) => {
  t.is(domainOf('https://www.Example.org:8080/pot'), 'example.org')
  t.is(domainOf('https://tea.example.org/'), 'tea.example.org')
  t.is(domainOf('no url'), '')
})
