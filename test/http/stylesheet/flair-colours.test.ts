import test from 'ava'
import { compile } from '../../../src/http/stylesheet/compile.ts'
import { flairColours } from '../../../src/http/stylesheet/flair-colours.ts'

const published = (source: string): string => {
  const done = compile({ source, files: { pot: 'a.png' }, folder: '/s/tea/images' })
  return 'css' in done ? done.css : `refused: ${done.problems[0]?.message}`
}

test('flair takes three colours of its classes, whatever else the sheet says', (t) => {
  for (const [source, colours] of [
    [
      '.flair-hot { color: #F00; background-color : rgb(1, 2, 3); border-color: red }',
      'color:#F00;background-color:rgb(1,2,3);border-color:red',
    ],
    ['.flair-hot { color: rgba(255 0 0 / 50%) !important; border-color: hsl(120deg, 50%, 50%) }', 'border-color:hsl(120deg,50%,50%)'],
    ['.flair-hot { color: red; position: fixed; font-size: 999px; content: "x"; display: none; opacity: 0 }', 'color:red'],
    ['.md { color: red } .flair-hot { color: blue } .side { color: green }', 'color:blue'],
    ['@media print { .x { color: red } } .flair-hot { color: blue }', 'color:blue'],
  ] as const)
    t.is(flairColours(published(source)), `.badge.flair.flair-hot{${colours}}`, source)
  t.is(
    flairColours(published('.flair-hot, .flair-Cold-1 { color: red } .flair-warm { color: tan }')),
    '.badge.flair.flair-hot,.badge.flair.flair-Cold-1{color:red}\n.badge.flair.flair-warm{color:tan}',
  )
})

test('nothing but flair is coloured, and by nothing but colours', (t) => {
  for (const source of [
    '',
    '.badge { color: red }',
    '.flair { color: red }',
    '.flair-hot .author { color: red }',
    '.flair-hot, .author { color: red }',
    '.flair-hot + form { color: red }',
    '.flair-hot:hover { color: red }',
    '.flair-hot::before { color: red }',
    '.flair-hot.vote { color: red }',
    'body:has(.flair-hot) { color: red }',
    ':not(.flair-hot) { color: red }',
    '@media screen { .flair-hot { color: red } .flair-cold { color: red } }',
    '@supports (color: red) { .flair-hot { color: red } }',
    '.flair-hot { & .author { color: red } }',
    '.flair-hot { background-color: url(%%pot%%) }',
    '.flair-hot { background: red }',
    '.flair-hot { color: attr(title) }',
    '.flair-hot { color: color-mix(in srgb, red, blue) }',
    '.flair-hot { border-color: red red }',
    '.md { content: "}.flair-hot{position:fixed}" }',
  ])
    t.is(flairColours(published(source)), '', source)
  // a text that pretends to be a rule gains no more than a rule
  t.is(flairColours(published('.md { content: "}.flair-hot{color:red}" }')), '.badge.flair.flair-hot{color:red}')
})

test('a text that no compiler made yields nothing but colours of flair either', (t) => {
  for (const text of [
    '.flair-a{color:red',
    '}}}.flair-a{color:red}',
    '{{{',
    '.flair-a{color:red;}</style>{',
    '.flair-a{color:red}}.b{color:red}',
    '{'.repeat(100_000),
  ])
    t.regex(flairColours(text), /^(?:\.badge\.flair\.flair-a\{color:red\})?$/, text.slice(0, 40))
})
