import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { checkTitle, saysNsfw } from '../../src/domain/link.ts'
import { checkLine, checkMarkdown, checkText, firstCharacters, foldLine, isBlank, isLongerThan } from '../../src/domain/text-limits.ts'
import { isSelfWord, parseUrl } from '../../src/domain/url.ts'
import fc, { anyText } from '../support/properties.ts'

test('a folded title has single spaces inside and none around, and folding again changes nothing', (t) => {
  const messy = fc.string({ unit: fc.constantFrom('a', 'é', '𝕏', ' ', '\t', '\n', '\u00a0', '\u3000') })
  fc.assert(
    fc.property(messy, (title) => {
      const folded = foldLine(title)
      return !/\s\s|^\s|\s$|[^\S ]/u.test(folded) && foldLine(folded) === folded
    }),
  )
  t.is(checkTitle(foldLine(' \u3000 '))?.code, 'NO_TEXT')
})
test('nsfw and nsfl count only as whole words', (t) => {
  for (const title of ['NSFW', 'tea [nsfl]', 'very-nsfw!']) t.true(saysNsfw(title), title)
  for (const title of ['nsfws', 'ansfw', 'n s f w', 'safe']) t.false(saysNsfw(title), title)
})
test('lengths count characters, not code units', (t) => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, max) => isLongerThan(max, text) === [...text].length > max))
  t.is(checkText('x'.repeat(11), 10, 'text')?.text, 'this is too long (max: 10)')
})
test('the first characters of a text are whole', (t) => {
  const texts = fc.string({ unit: fc.constantFrom('a', 'é', '𝕏', '🍵') })
  fc.assert(fc.property(texts, fc.nat(40), (text, max) => firstCharacters(max, text) === [...text].slice(0, max).join('')))
  t.is(firstCharacters(3, '𝕏𝕏𝕏𝕏'), '𝕏𝕏𝕏')
})
test('a text of invisible characters alone is empty, and visible text that contains them is not', (t) => {
  const invisible = [
    ...' \n\u00a0\u00ad\u034f\u061c\u115f\u17b4\u180e\u200b\u200d\u200e\u202e\u2028\u2060\u2066\u2800\u3000\u3164\ufe0f\ufeff\uffa0\ufffa\u{e0041}\u{e0100}\u{1d173}\u{1d159}',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...invisible)), fc.constantFrom('a', '.', '🍵', '茶', 'ᄀ', '\u0600'), (some, visible) => {
      const text = some.join('')
      t.is(checkText(text, 1_000, 'text')?.code, 'NO_TEXT')
      t.is(checkText(text + visible + text, 1_000, 'text'), undefined)
      return isBlank(text) && !isBlank(visible + text)
    }),
  )
})
test('Markdown made of references to invisible characters alone is empty', (t) => {
  for (const blank of ['&#8203;', '&#x200B;\n\n&nbsp;', ' &#X2060; &zwj;&NoBreak;\u200b', '&#160;', '&#10;'])
    t.deepEqual(checkMarkdown(blank, 100, 'text'), { code: 'NO_TEXT', field: 'text' }, blank)
  for (const shown of [
    '&#8203;a',
    '&#65;',
    '`&#8203;`',
    '    &#8203;',
    '\t&nbsp;',
    '&#0;',
    '&#1114112;',
    '&#x;',
    '&#8203',
    '&amp;#8203;',
    '&amp;',
  ])
    t.is(checkMarkdown(shown, 100, 'text'), undefined, shown)
  t.is(checkMarkdown('&nbsp;'.repeat(30).concat('a'), 100, 'text')?.code, 'TOO_LONG')
})
test('a line with a control character that is no white space is BAD_STRING', (t) => {
  for (const control of ['\0', '\u0007', '\u001b', '\u007f', '\u0085', '\u009b'])
    t.deepEqual(checkLine(foldLine(`a${control}b`), 10, 'title'), { code: 'BAD_STRING', field: 'title' }, JSON.stringify(control))
  t.is(checkLine(foldLine('a\tb\nc'), 10, 'title'), undefined)
})

test('a url is completed and normalized before it is stored', (t) => {
  const stored: readonly (readonly [string, string])[] = [
    [' tea.example ', 'http://tea.example'],
    ['HTTPS://Tea.Example/Path?Q=1#F', 'https://tea.example/Path?Q=1#F'],
    ['ftp://tea.example/a%20b', 'ftp://tea.example/a%20b'],
    ['http://tea.example/a b', 'http://tea.example/a%20b'],
    ['example.org:8080/x', 'http://example.org:8080/x'],
    ['http://bücher.example/ü', 'http://xn--bcher-kva.example/ü'],
    ['http://a_b.example', 'http://a_b.example'],
    ['http://localhost/', 'http://localhost/'],
    ['http://127.0.0.1/', 'http://127.0.0.1/'],
    ['http://tea.example?q=a@b', 'http://tea.example?q=a@b'],
    ['http://tea.example/%00?', ''],
    ['http://tea.example/?a=%00', 'http://tea.example/?a=%00'],
  ]
  for (const [given, kept] of stored)
    t.deepEqual(parseUrl(given), kept === '' ? E.left({ code: 'BAD_URL', field: 'url' }) : E.right(kept), given)
})
test('only an empty port and the default port of the written scheme are dropped from a url', (t) => {
  const defaults: Readonly<Record<string, number>> = { http: 80, https: 443, ftp: 21 }
  const hosts = fc.constantFrom('tea.example', 'TEA.example', 'bücher.example', '127.0.0.1', 'localhost')
  const schemes = fc.constantFrom('http', 'https', 'ftp', 'HTTP', 'Https', 'FTP', undefined)
  const ports = fc.oneof(fc.constantFrom(80, 443, 21), fc.integer({ min: 0, max: 65_535 }), fc.constant(undefined))
  const rests = fc.constantFrom('', '/', '/x:80/', '?x=http://a:80/', '#:443')
  fc.assert(
    fc.property(schemes, hosts, ports, rests, fc.boolean(), (scheme, host, port, rest, colon) => {
      const written = port === undefined ? (colon && scheme ? ':' : '') : `:${colon ? '0' : ''}${port}`
      const stored = E.getOrElse(() => '')(parseUrl(`${scheme === undefined ? '' : `${scheme}://`}${host}${written}${rest}`))
      const named = (scheme ?? 'http').toLowerCase()
      const ascii = host === 'bücher.example' ? 'xn--bcher-kva.example' : host.toLowerCase()
      return stored === `${named}://${ascii}${port === undefined || port === defaults[named] ? '' : `:${port}`}${rest}`
    }),
  )
  for (const url of ['http://tea.example:x', 'http://tea.example:65536', 'http://tea.example:-1', 'http://tea.example:8:8', 'http://:80'])
    t.true(E.isLeft(parseUrl(url)), url)
})
test('malformed and dangerous urls are refused', (t) => {
  t.deepEqual(parseUrl('  '), E.left({ code: 'NO_URL', field: 'url' }))
  const refused = [
    'javascript:alert(1)',
    'mailto:ann@tea.example',
    'gopher://tea.example',
    'http://',
    'http:///path',
    'http://ann:secret@tea.example',
    'http://a..b',
    'http://te a.example',
    'http://[::1]/',
    'http://tea.example/\u0007',
    'http://tea.example/\ud800',
    `http://${'x'.repeat(64)}.example`,
    `http://tea.example/${'x'.repeat(2_048)}`,
    'http://tea!.example',
    'http://tea.example\\path',
    'http://tea.example\\.other.example/',
    'http://ann@tea.example:80',
    'http://[2001:db8::1]:443/',
    '//tea.example',
    'http://1',
  ]
  for (const url of refused) t.deepEqual(parseUrl(url), E.left({ code: 'BAD_URL', field: 'url' }), url)
})
test('normalizing a stored url again changes nothing, and other parsers read the same host', (t) => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https', 'ftp'] }), (url) => {
      const once = parseUrl(url)
      if (E.isLeft(once)) return true
      const twice = parseUrl(once.right)
      return E.isRight(twice) && twice.right === once.right && URL.canParse(once.right) && new URL(once.right).host === new URL(url).host
    }),
  )
  fc.assert(fc.property(anyText(), (text) => E.isLeft(parseUrl(text)) || URL.canParse(E.getOrElse(() => '')(parseUrl(text)))))
  t.true(isSelfWord(' Self '))
  t.false(isSelfWord('selfish'))
})
