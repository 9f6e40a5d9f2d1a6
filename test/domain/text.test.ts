import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { mentionedNames } from '../../src/domain/mentions.ts'
import { checkText, firstCharacters, isLongerThan } from '../../src/domain/text.ts'
import { checkTitle, foldTitle, saysNsfw } from '../../src/domain/title.ts'
import { isSelfWord, parseUrl } from '../../src/domain/url.ts'
import fc, { anyText } from '../support/properties.ts'

test('a folded title has single spaces inside and none around, and folding again changes nothing', (t) => {
  const messy = fc.string({ unit: fc.constantFrom('a', 'é', '𝕏', ' ', '\t', '\n', '\u00a0', '\u3000') })
  fc.assert(
    fc.property(messy, (title) => {
      const folded = foldTitle(title)
      return !/\s\s|^\s|\s$|[^\S ]/u.test(folded) && foldTitle(folded) === folded
    }),
  )
  t.is(checkTitle(foldTitle(' \u3000 '))?.code, 'NO_TEXT')
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
test('u/name outside code mentions an account, at most three in a text', (t) => {
  const mentions: readonly (readonly [string, readonly string[]])[] = [
    ['hello /u/Ann and u/bob-2', ['ann', 'bob-2']],
    ['(/u/ann), [x](/u/bob)', ['ann', 'bob']],
    ['/u/ann /u/ANN', ['ann']],
    ['/u/ann /u/bob /u/cat', ['ann', 'bob', 'cat']],
    ['/u/ann /u/bob /u/cat /u/dan', []],
    ['http://example.com/u/ann', []],
    ['menu/ann u/ab u/', []],
    ['`/u/ann` ``x /u/bob`` /u/cat', ['cat']],
    ['```\n/u/ann\n```\n/u/bob', ['bob']],
    ['text\n\n    /u/ann\n\n/u/bob', ['bob']],
    ['~~~~\n/u/ann\n~~~\n/u/bob\n~~~~~\n/u/cat', ['cat']],
    ['```\n/u/ann', []],
    ['`` /u/ann ` /u/bob `` /u/cat ` /u/dan', ['cat', 'dan']],
    ['``` `/u/ann` ` /u/bob', ['bob']],
    [`/u/${'x'.repeat(21)}`, []],
  ]
  for (const [text, names] of mentions) t.deepEqual(mentionedNames(text), names, text)
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
