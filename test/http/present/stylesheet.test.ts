import test from 'ava'
import { parse, walk } from 'css-tree'
import { type CompileOutput, compile } from '../../../src/http/stylesheet/compile.ts'
import fc, { anyText } from '../../support/properties.ts'

const files = { pot: `${'a'.repeat(64)}.png`, 'tea-leaf': `${'b'.repeat(64)}.jpg` }
const compiled = (source: string): CompileOutput => compile({ source, files, folder: '/s/tea/images' })
const cssOf = (source: string): string => {
  const done = compiled(source)
  return 'css' in done ? done.css : `refused: ${JSON.stringify(done.problems)}`
}

const taken: Readonly<Record<string, string>> = {
  '': '',
  '/* only words */': '',
  'a { color: red }': 'a{color:red}',
  '.side, #x > li::before { content: "tea"; margin: calc(1px + 2em) }': '.side,#x>li::before{content:"tea";margin:calc(1px + 2em)}',
  'a { background: url(%%pot%%) no-repeat }': `a{background:url(/s/tea/images/${files.pot})no-repeat}`,
  'a { background: url("%%tea-leaf%%") }': `a{background:url(/s/tea/images/${files['tea-leaf']})}`,
  '@media (max-width: 600px) { a { display: none } }': '@media (max-width:600px){a{display:none}}',
  '@supports (display: grid) { a { display: grid } }': '@supports (display:grid){a{display:grid}}',
  '@-webkit-keyframes k { from { left: 0 } to { left: 9px } }': '@-webkit-keyframes k{from{left:0}to{left:9px}}',
  '@page { margin: 1cm }': '@page{margin:1cm}',
  'a { -moz-transform: rotate(3deg); transition: left 1s cubic-bezier(0,0,1,1) }':
    'a{-moz-transform:rotate(3deg);transition:left 1s cubic-bezier(0,0,1,1)}',
  ':root { color-scheme: light dark } a { color: light-dark(#333, rgb(1 2 3)); border: 1px solid LIGHT-DARK(red, tan) }':
    ':root{color-scheme:light dark}a{color:light-dark(#333,rgb(1 2 3));border:1px solid LIGHT-DARK(red,tan)}',
  // a hash and what stands in parentheses, not a function
  'a { background: #ckit-image-set(red) }': 'a{background:#ckit-image-set(red)}',
  'a:not(.b):nth-child(2n + 1)[href^="x"] { color: #fff !important }': 'a:not(.b):nth-child(2n+1)[href^="x"]{color:#fff!important}',
}

for (const [source, css] of Object.entries(taken)) test(`this stylesheet is accepted: ${source}`, (t) => t.is(cssOf(source), css))

const refused: readonly string[] = [
  'a { background: light-dark(url(http://evil.example), red) }',
  '@import url(http://evil.example/x.css);',
  '@import "//evil.example";',
  '@IMPORT url(%%pot%%);',
  '@charset "utf-7";',
  '@namespace url(http://evil.example);',
  '@font-face { font-family: x; src: url(http://evil.example/f) }',
  '@-moz-document url(http://evil.example) { a { color: red } }',
  '@property --x { syntax: "*" }',
  '@layer x;',
  'a { background: url(http://evil.example/x.png) }',
  'a { background: url(//evil.example/x.png) }',
  'a { background: url("javascript:alert(1)") }',
  'a { background: url(data:image/svg+xml,<svg/onload=alert(1)>) }',
  'a { background: url(/api/vote) }',
  'a { background: url(%%unknown%%) }',
  'a { background: url(%%pot%%/../../api) }',
  'a { background: url(%%__proto__%%) }',
  'a { background: url(%%constructor%%) }',
  'a { background: u\\72l(http://evil.example) }',
  'a { background: image-set("http://evil.example/x.png" 1x) }',
  'a { background: -webkit-image-set(url(%%pot%%) 1x) }',
  'a { background: image("http://evil.example/x.png") }',
  'a { background: src("http://evil.example/x.png") }',
  'a { background: element(#x) }',
  'a { background: cross-fade(url(%%pot%%), url(%%pot%%)) }',
  'a { width: expression(alert(1)) }',
  'a { width: exp/**/ression(alert(1)) }',
  'a { behavior: url(%%pot%%) }',
  'a { -moz-binding: url(%%pot%%) }',
  'a { -ms-behavior: url(%%pot%%) }',
  'a { filter: progid:DXImageTransform.Microsoft.AlphaImageLoader(src="http://evil.example") }',
  'a { color: var(--x) }',
  'a { --x: url(http://evil.example) }',
  'a { padding: env(safe-area-inset-top) }',
  'a { content: attr(href url) }',
  'a { background: attr( data-x URL , none) }',
  'a { background: -moz-attr(x url) }',
  'a { content: attr(x/**/url) }',
  'a { color: red;; }',
  'a { color: (red }',
  'a { color: {red} }',
  '} a { color: red }',
  '<!-- a { color: red } -->',
  'a { content: "</style><script>alert(1)</script>" }',
  'a { color: red } \u0000',
  'a { color: red } \u202e',
  'a { color: r\u200bed }',
  'a { color: red \ud800 }',
  'a { color: red } /* \ue000 */',
  'a { color: red } /* \u0007 */',
  'a { --x: 1 } '.repeat(30),
  `@media ${'@media x {'.repeat(10_000)}`,
  `a { color: ${'('.repeat(50_000)} }`,
  `${'a{'.repeat(40_000)}`,
  `/*${'x'.repeat(100 * 1024)}*/`,
]

for (const [n, source] of refused.entries())
  test(`refused ${n}: ${source.slice(0, 80).replace(/[^ -~]/g, '?')} (${source.length})`, (t) => {
    const done = compiled(source)
    t.true('problems' in done, JSON.stringify(done).slice(0, 200))
    if (!('problems' in done)) return
    t.true(done.problems.length > 0 && done.problems.length <= 20)
    t.true(done.problems.every(({ line }) => Number.isInteger(line)))
  })

test('each error names its line', (t) => {
  const done = compiled('a { color: red }\nb { behavior: x }\n\nc { width: expression(1) }')
  t.deepEqual('problems' in done && [...new Set(done.problems.map(({ line }) => line))], [2, 4])
})

test('a stylesheet nested too deeply is refused as such, and an unknown image is named', (t) => {
  const messageOf = (source: string) => {
    const done = compiled(source)
    return 'problems' in done && done.problems.map(({ message }) => message)
  }
  for (const source of [`a { color: ${'('.repeat(50_000)} }`, ':not('.repeat(20_000), '@media x {'.repeat(10_000)])
    t.deepEqual(messageOf(source), ['this is nested too deeply'], source.slice(0, 20))
  t.deepEqual(messageOf('a { background: url(%%lid%%) }'), ['there is no image called lid'])
})

test('the images that a stylesheet shows are listed once, by file', (t) => {
  const done = compiled('a { background: url(%%pot%%) } b { background: url(%%pot%%), url(%%tea-leaf%%) }')
  t.deepEqual('shown' in done && done.shown, [files.pot, files['tea-leaf']])
})

const pieces = fc.constantFrom(
  ...[
    'a',
    '.b',
    '#c',
    '*',
    ' ',
    '\n',
    '{',
    '}',
    '(',
    ')',
    '[',
    ']',
    ';',
    ':',
    ',',
    '"',
    "'",
    '/*',
    '*/',
    '\\',
    '@',
    '%%pot%%',
    '%%',
    '--x',
  ],
  ...[
    'url(',
    'URL(',
    'u\\rl(',
    'http://evil.example',
    '//evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '@import ',
    '@media ',
    '@font-face',
  ],
  ...[
    'color:red',
    'background:',
    'behavior:',
    '-moz-binding:',
    'expression(',
    'image-set(',
    'var(',
    'src(',
    '</style>',
    '<script>',
    '<!--',
    '-->',
  ],
)
const hostile = fc.oneof(
  fc.array(pieces, { maxLength: 40 }).map((parts) => parts.join('')),
  anyText({ maxLength: 200 }),
  fc
    .constantFrom(...refused.filter((source) => source.length < 500))
    .chain((source) => fc.tuple(fc.nat(source.length), pieces).map(([at, piece]) => source.slice(0, at) + piece + source.slice(at))),
)

/** Functions that run scripts, load files or take values from elsewhere. */
const loading = /expression|image|element|^(?:-\w+-)?(?:var|env|src|url|cross-fade)$/i

test('a published stylesheet refers only to images of its subsite', (t) => {
  fc.assert(
    fc.property(hostile, (source) => {
      const done = compiled(source)
      if (!('css' in done)) return
      // quotes within a text are escaped when it is published, by a character that a source may not have
      const bare = done.css.replace(/"(?:[^"\\]|\\.)*"/gs, '"x"')
      t.false(/[\\<]/.test(bare), done.css)
      t.is(cssOf(bare.replaceAll(/url\(\/s\/tea\/images\/a{64}\.png\)/g, 'url(%%pot%%)')).startsWith('refused'), false, done.css)
      walk(parse(done.css), (node) => {
        if (node.type === 'Url') t.regex(node.value, /^\/s\/tea\/images\/[ab]{64}\.(png|jpg)$/)
        if (node.type === 'Function') t.notRegex(node.name, loading, done.css)
        if (node.type === 'Declaration') t.notRegex(node.property, /^--|behavior|binding/i, done.css)
        if (node.type === 'Atrule') t.notRegex(node.name, /import|font-face|namespace|charset/i, done.css)
      })
    }),
    { numRuns: 2000 },
  )
})

test('a stylesheet made to be slow to parse is checked in bounded time', (t) => {
  const slow = [
    'a '.repeat(8_000),
    `a{${'color:red;'.repeat(1_600)}}`,
    `a{background:${'url(%%pot%%),'.repeat(1_200)}url(%%pot%%)}`,
    `a${':not(a'.repeat(2_000)}${')'.repeat(2_000)}{color:red}`,
    `${'{'.repeat(16_000)}`,
    `a{width:${'calc('.repeat(3_000)}1px${')'.repeat(3_000)}}`,
    '"'.repeat(16_000),
    `@media ${'(a) and '.repeat(2_000)}(b){a{color:red}}`,
    '/*'.repeat(8_000),
  ]
  for (const source of slow) {
    const began = performance.now()
    compiled(source)
    t.true(performance.now() - began < 10_000, source.slice(0, 20))
  }
})
