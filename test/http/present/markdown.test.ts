import test from 'ava'
import { accountsLinkedBy, bodyHtml, renderAhead, renderMarked } from '../../../src/http/present/markdown.ts'
import { render } from '../../../src/http/present/markdown-renderer.ts'
import { escapeHtml } from '../../../src/http/wire/html.ts'
import fc from '../../support/properties.ts'

const inner = (text: string) => bodyHtml(text).replace(/^<div class="md">|\n<\/div>$/g, '')

const renders = test.macro({
  exec: (t, text: string, html: string) => t.is(inner(text), html),
  title: (_, text = '') => `${JSON.stringify(text)} is rendered`,
})

test(renders, '*a* **b** ~~c~~ `d`', '<p><em>a</em> <strong>b</strong> <s>c</s> <code>d</code></p>')
test(renders, '> q', '<blockquote>\n<p>q</p>\n</blockquote>')
test(renders, '[x](http://e.x "t")', '<p><a title="t" href="http://e.x" rel="nofollow">x</a></p>')
test(renders, 'see http://e.x/u/ann.', '<p>see <a href="http://e.x/u/ann" rel="nofollow">http://e.x/u/ann</a>.</p>')
test(
  renders,
  '/u/ann, u/bob-1 and /s/tea',
  '<p><a href="/u/ann">/u/ann</a>, <a href="/u/bob-1">u/bob-1</a> and <a href="/s/tea">/s/tea</a></p>',
)
test(
  renders,
  '/u/_name_ and /u/_anna and /u/bob_',
  '<p><a href="/u/_name_">/u/_name_</a> and <a href="/u/_anna">/u/_anna</a> and <a href="/u/bob_">/u/bob_</a></p>',
)
test(renders, '/u/_a and /u/b_', '<p>/u/_a and /u/b_</p>')
test(renders, '/u/\\_name\\_ \\/u/ann', '<p><a href="/u/_name_">/u/_name_</a> /u/ann</p>')
test(
  renders,
  '_by /u/ann_ **/u/bob**, ~~/u/cat~~',
  '<p><em>by <a href="/u/ann">/u/ann</a></em> <strong><a href="/u/bob">/u/bob</a></strong>, <s><a href="/u/cat">/u/cat</a></s></p>',
)
test(renders, '_/u/ann_ __/u/ann___', '<p><em><a href="/u/ann">/u/ann</a></em> <strong><a href="/u/ann_">/u/ann_</a></strong></p>')
for (const path of [
  '/s/abcd/',
  '/s/abcd/wiki/faq',
  '/u/name/',
  '/u/name/m/x',
  '/s/a_b+tea/top?t=all&x=1',
  '/s/tea/comments/1/a_slug/',
  '/s/tea/wiki/faq#brew',
  '/s/tea/hot.rss',
])
  for (const after of ['', '.', ', and', ':', '?', '!', ' ~', ')', '"'])
    test(renders, `${path}${after}`, `<p><a href="${path.replace('&', '&amp;')}">${path.replace('&', '&amp;')}</a>${after}</p>`)
test(renders, 's/old/new/ /u/ann/../bob', '<p>s/old/new/ <a href="/u/ann/">/u/ann/</a>../bob</p>')
test(renders, 'mažu/dideliu e.x/?n=/u/ann e.x/#/u/ann', '<p>mažu/dideliu e.x/?n=/u/ann e.x/#/u/ann</p>')
test(renders, '你好/u/ann的 /u/ann님', '<p>你好<a href="/u/ann">/u/ann</a>的 <a href="/u/ann">/u/ann</a>님</p>')
for (const after of [':', '?', '!', '.', ',', '~~', '_', '*', '?!', '&gt;', "'", ')'])
  for (const url of ['http://e.x/a', 'https://e.x/a_b/?q=1', 'https://e.x/?a=1&b', 'ftp://e.x/~a', 'HTTP://e.x:8080/(a)'])
    test(renders, `${url}${after} b`, `<p><a href="${escapeHtml(url)}" rel="nofollow">${escapeHtml(url)}</a>${after} b</p>`)
test(
  renders,
  '~~http://e.x/a~~ _http://e.x/b_ **http://e.x/c**',
  '<p><s><a href="http://e.x/a" rel="nofollow">http://e.x/a</a></s> <em><a href="http://e.x/b" rel="nofollow">http://e.x/b</a></em> <strong><a href="http://e.x/c" rel="nofollow">http://e.x/c</a></strong></p>',
)
test(renders, 'x/u/ann `/u/ann` au/bob', '<p>x/u/ann <code>/u/ann</code> au/bob</p>')
test(renders, '[/u/ann](/s/tea)', '<p><a href="/s/tea">/u/ann</a></p>')
test(renders, '<b>x</b> & <script>alert(1)</script>', '<p>&lt;b&gt;x&lt;/b&gt; &amp; &lt;script&gt;alert(1)&lt;/script&gt;</p>')
test(renders, '![pixel](http://spy.x/p.png)', '<p>!<a href="http://spy.x/p.png" rel="nofollow">pixel</a></p>')
test(renders, '[x](javascript:alert(1))', '<p>[x](javascript:alert(1))</p>')
test(renders, '[x](//evil.x)', '<p><a href="//evil.x" rel="nofollow">x</a></p>')

test('rendered text is wrapped in a div whose class depends on its kind; an empty text renders to nothing', (t) => {
  t.is(bodyHtml('x'), '<div class="md"><p>x</p>\n</div>')
  t.is(renderMarked('x'), '<!-- SC_OFF --><div class="md"><p>x</p>\n</div><!-- SC_ON -->')
  t.is(renderMarked(''), null)
})

test('columns of tables keep their alignment', (t) => {
  t.true(inner('|a|b|\n|-|:-:|\n|1|2|').includes('<td align="center">2</td>'))
})

test('the accounts that a text mentions are exactly those that it links to', async (t) => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['hello /u/Ann and u/bob-2 /u/ANN', ['ann', 'bob-2']],
    ['(/u/ann), [x](/u/bob "t") [x](u/cat) [/u/dan](/s/tea)', ['ann', 'bob']],
    ['https://example.com/?next=/u/name http://example.com/u/ann <http://e.x/u/ann>', []],
    ['> `/u/ann`\n>\n>     /u/bob\n\n> ```\n> /u/cat', []],
    ['- /u/ann\n  - /u/bob\n\n    /u/cat', ['ann', 'bob', 'cat']],
    ['text\n    /u/ann\n\n| a | /u/bob |\n|-|-|\n| u/cat | b |\n\n# /u/dan', ['ann', 'bob', 'cat', 'dan']],
    ['/u/name/ /u/other/m/x', ['name', 'other']],
    ['/u/_name_ *u/ann*', ['_name_', 'ann']],
    ['menu/ann u/ab u/ \\/u/cat', []],
    [`/u/${'x'.repeat(21)}`, []],
    ['[a]: /u/ann\n\n[b][a] ``x /u/bob``', ['ann']],
    // a browser opens the page of an account also from these
    ['[x](/u/%61nn) [x](/u/&#98;ob) [x](/%75/cat) [x](/s/../u/dan)', ['ann', 'bob', 'cat', 'dan']],
    ['[x](/./u/eve/m/x) [x](/u/f%6f%6F?a#b)', ['eve', 'foo']],
    ['[x](/u/ann%2fx) [x](/u/an%zz) [x](//u/bob) [x](/u/cat/../dan) [x](/u/a%6) [x](/u/%c3%a9ve) [x](/u/../eve)', ['dan']],
  ]
  for (const [text, names] of cases) t.deepEqual(await accountsLinkedBy(text), names, text)
  const bits = [
    '/u/ann',
    'u/bob',
    '/u/_c_d_',
    '/',
    '_',
    '*',
    '`',
    '\n',
    '    ',
    '> ',
    '- ',
    '|',
    ' ',
    '\\',
    '[',
    '](',
    ')',
    'http://',
    '?x=',
    '"',
    '<',
    '~~',
    '# ',
    '茶',
    'é',
    '.',
  ]
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...bits), { maxLength: 25 }), async (parts) => {
      const text = parts.join('')
      const links = [...bodyHtml(text).matchAll(/<a\b[^>]*>/g)].flatMap(
        ([tag]) => /\shref="\/u\/([\w-]{3,20})(?![\w-])[^"]*"/.exec(tag)?.[1] ?? [],
      )
      t.deepEqual(await accountsLinkedBy(text), [...new Set(links.map((name) => name.toLowerCase()))], text)
    }),
    { numRuns: 1_000 },
  )
})

/** A tag that no text may bring, or one with what a browser would run of its own accord. */
const dangerous =
  /^<(?!\/?(?:p|br|hr|a|em|strong|s|code|pre|blockquote|ul|ol|li|h[1-6]|table|thead|tbody|tr|th|td|div)\b)|\son\w+\s*=|href="\s*(?:javascript|data|vbscript|file):|style=/i

test('no text can produce markup beyond that of Markdown', (t) => {
  const bits = [
    '<script>',
    '</div>',
    '<img src=x onerror=alert(1)>',
    'javascript:alert(1)',
    '[x](',
    ')',
    '![',
    ']',
    '<http://x>',
    '&lt;',
    '&#106;avascript:',
    '"',
    "'",
    '`',
    '\n',
    '    ',
    '|',
    '-',
    '> ',
    '* ',
    '<!--',
    '-->',
    'data:text/html,x',
    '\\',
    '/u/ann',
    '<a href="x" onclick="y">',
    '\u0000',
    '\u2028',
    'http://e.x/"onmouseover="x',
  ]
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 6 })), { maxLength: 30 }), (parts) => {
      for (const tag of bodyHtml(parts.join('')).match(/<("[^"]*"|[^>"])*>/g) ?? []) t.notRegex(tag.replace(/title="[^"]*"/, ''), dangerous)
    }),
    { numRuns: 500 },
  )
})

test('hostile texts of 40,000 characters are rendered in bounded time', (t) => {
  const texts = [
    '['.repeat(40_000),
    '*a**a'.repeat(8_000),
    '>'.repeat(40_000),
    '`'.repeat(39_999),
    `${'|a'.repeat(200)}\n${'|-'.repeat(200)}\n${'|b\n'.repeat(13_000)}`,
    '- '.repeat(20_000),
    '<a '.repeat(13_000),
    'http://'.repeat(5_700),
    '[a]('.repeat(10_000),
  ]
  for (const text of texts) {
    const started = performance.now()
    render(text)
    t.true(performance.now() - started < 20_000, `${text.slice(0, 20)} took ${performance.now() - started} ms`)
  }
})

test('a failure to render texts ahead is a rejection, also when it happens at once', async (t) => {
  const failing = {
    *[Symbol.iterator]() {
      yield 'x'
      throw new Error('no more texts')
    },
  }
  const ahead = renderAhead(failing)
  await t.throwsAsync(async () => ahead, { message: 'no more texts' })
})
