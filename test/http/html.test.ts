import test from 'ava'
import fc from 'fast-check'
import { type Html, html, renderIf, url } from '../../src/http/wire/html.ts'

const evil = '"><script>alert(1)</script>'

const accepted: Readonly<Record<string, readonly [made: () => Html, text: string]>> = {
  'between tags': [() => html`<p>${evil}</p>`, '<p>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</p>'],
  'in a quoted attribute': [() => html`<p title="a ${evil}">x</p>`, '<p title="a &quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;">x</p>'],
  'an address': [() => html`<a href="${url('/s/tea?a=1&b=2')}">x</a>`, '<a href="/s/tea?a=1&amp;b=2">x</a>'],
  'within this site': [() => html`<a href="/docs/${'a"b'}">x</a>`, '<a href="/docs/a&quot;b">x</a>'],
  'markup and numbers': [() => html`<ul>${[html`<li>${1}</li>`, undefined, html`<li>2</li>`]}</ul>`, '<ul><li>1</li><li>2</li></ul>'],
  'after a script and a comment': [
    () => html`<script src="/a.js"></script><!-- a < b --><b>${'<'}</b>`,
    '<script src="/a.js"></script><!-- a < b --><b>&lt;</b>',
  ],
  'a sign that begins no tag': [() => html`1 < 2 ${'<'}`, '1 < 2 &lt;'],
  nothing: [() => html`<p>${undefined}${renderIf('', () => html`x`)}${renderIf(null, () => html`x`)}</p>`, '<p></p>'],
}

for (const [title, [made, text]] of Object.entries(accepted))
  test(`a value may stand ${title}`, (t) => {
    t.is(made().text, text)
    t.is(made().text, text)
  })

const refused: Readonly<Record<string, () => Html>> = {
  'in an unquoted attribute': () => html`<p title=${evil}>x</p>`,
  'in a single-quoted attribute': () => html`<p title='${evil}'>x</p>`,
  'as the name of a tag': () => html`<${evil}>x</p>`,
  'as a part of the name of a tag': () => html`<h${1}>x</h1>`,
  'as the name of an attribute': () => html`<p ${evil}>x</p>`,
  'as an attribute': () => html`<p ${html`title="x"`}>x</p>`,
  'as the name of an attribute with a value': () => html`<p ${evil}="x">x</p>`,
  'in what runs on an event': () => html`<p onclick="f('${evil}')">x</p>`,
  'in what runs on an event, in capitals': () => html`<p ONLOAD="${evil}">x</p>`,
  'in a style': () => html`<p style="color: ${evil}">x</p>`,
  'in a document within': () => html`<iframe srcdoc="${evil}"></iframe>`,
  'in a list of addresses': () => html`<img alt="" srcset="${evil}">`,
  'where a page goes by itself': () => html`<meta http-equiv="refresh" content="0;url=${evil}">`,
  'in a script': () => html`<script>f(${evil})</script>`,
  'in a style sheet': () => html`<style>p { color: ${evil} }</style>`,
  'in a comment': () => html`<!-- ${evil} -->`,
  'after the name of a site': () => html`<a href="https://${evil}">x</a>`,
  'after the name of a protocol': () => html`<a href="javascript:${evil}">x</a>`,
  'after a single slash': () => html`<a href="/${evil}">x</a>`,
  'as an address that is a text': () => html`<a href="${evil}">x</a>`,
  'as the address of a form': () => html`<form action="${'/x'}"></form>`,
  'as the address of a button': () => html`<button formaction="${'/x'}">x</button>`,
  'as the address of an image': () => html`<img alt="" src="${'/x'}">`,
  'as markup in an attribute': () => html`<p title="${html`<b>x</b>`}">x</p>`,
  'before the end of a tag that is left out': () => html`<p>${evil}</p`,
}

for (const [title, made] of Object.entries(refused)) test(`no value may stand ${title}`, (t) => void t.throws(made))

test('an address leads to this site or to the web, whatever it is made of', (t) => {
  for (const address of ['/', '/s/tea', '#x', 'https://a.example/', 'HTTP://a.example']) t.is(url(address).text, address)
  for (const address of [
    'javascript:alert(1)',
    'JaVaScRiPt:1',
    'java\tscript:1',
    ' javascript:1',
    'data:text/html,x',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'mailto:a@b',
    'evil',
  ])
    t.is(url(address).text, 'about:blank#blocked', address)
})

test('whatever the values, the tags of a template are those that it has', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', 'a', '!', '-') }), fc.string(), (a, b) => {
      const { text } = html`<p title="${a}" data-b="${b}">${b}<i>${a}</i></p>`
      return (text.match(/[<>]/g) ?? []).length === 8 && (text.match(/"/g) ?? []).length === 4
    }),
  )
  t.pass()
})
