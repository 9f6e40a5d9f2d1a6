import test from 'ava'
import { canonicalUrl, domainOf } from '../../src/domain/canonical-url.ts'

const same: readonly (readonly [string, string])[] = [
  ['http://Example.org/Pot', 'http://example.org/pot'],
  ['http://www.example.org/', 'http://example.org/'],
  ['http://example.org/#lid', 'http://example.org/'],
  ['http://example.org:80/', 'http://example.org/'],
  ['HTTPS://www.example.org:443', 'https://example.org'],
  ['https://example.org:0443?q=1', 'https://example.org?q=1'],
  ['ftp://example.org:21/pot', 'ftp://example.org/pot'],
  ['https://example.org:/pot', 'https://example.org/pot'],
]
const different: readonly (readonly [string, string])[] = [
  ['http://example.org/', 'https://example.org/'],
  ['http://example.org/pot', 'http://example.org/pot/'],
  ['http://example.org/?a=1', 'http://example.org/?a=2'],
  ['http://example.org/#!one', 'http://example.org/#!two'],
  ['https://example.org:80/', 'https://example.org/'],
  ['http://example.org:443/', 'http://example.org/'],
  ['http://example.org:21/', 'http://example.org/'],
  ['http://example.org:8080/', 'http://example.org/'],
  ['http://example.org/?a=http://example.org:80/', 'http://example.org/?a=http://example.org/'],
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
