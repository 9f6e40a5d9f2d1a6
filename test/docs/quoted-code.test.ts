import { access, glob } from 'node:fs/promises'
import test from 'ava'
import MarkdownIt from 'markdown-it'
import { root, textOf } from '../support/pages.ts'

/** The blocks of code of a page that quote a file: its name, and the stretches between the lines that leave something out. */
const quotesIn = (page: string) =>
  new MarkdownIt()
    .parse(page, {})
    .filter(({ type, info }) => type === 'fence' && info === 'ts')
    .map(({ content }) => {
      const [first = '', ...lines] = content.trimEnd().split('\n')
      return { file: first.replace(/^\/\/ /, ''), stretches: lines.join('\n').split('\n…\n') }
    })

const indented = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(by))

/** Returns the end of a stretch of whole lines in a text, at any one indentation, at or after an offset; undefined if it is not there. */
const endOf = (stretch: string, text: string, from: number): number | undefined => {
  for (let by = 0; by <= 16; by += 2) {
    const lines = `\n${indented(stretch, by)}\n`
    const at = text.indexOf(lines, from)
    if (at >= 0) return at + lines.length - 1
  }
  return undefined
}

/** The first stretch of a quotation that does not stand in a text, in the order of the quotation. */
const missingFrom = (text: string, stretches: readonly string[]): string | undefined => {
  let from = 0
  for (const stretch of stretches) {
    const end = endOf(stretch, `\n${text}`, from)
    if (end === undefined) return stretch
    from = end
  }
  return undefined
}

test('the code that docs/architecture.md quotes stands in the files that it names', async (t) => {
  const quotes = quotesIn(await textOf('docs/architecture.md'))
  t.true(quotes.length >= 10)
  for (const { file, stretches } of quotes) t.is(missingFrom(await textOf(file), stretches), undefined, file)
})

test('a quotation is compared literally, in whole lines and in order', (t) => {
  const text = 'const a = 1\nif (a) {\n  b(a)\n  c(a)\n}\n'
  t.is(missingFrom(text, ['const a = 1', 'b(a)\nc(a)']), undefined)
  t.is(missingFrom(text, ['if (a) {\n  b(a)']), undefined)
  for (const wrong of [['b(a)', 'const a = 1'], ['b(a)\n  c(a)'], ['b(a)\n}'], ['const a'], ['b(a )']])
    t.truthy(missingFrom(text, wrong), wrong.join(' … '))
})

test('every file of the project that a document names exists', async (t) => {
  const pages = await Array.fromAsync(glob(['docs/**/*.md', '*.md'], { cwd: root }))
  for (const page of pages)
    for (const [file] of (await textOf(page)).matchAll(
      /(?<![\w/.-])(?:src|projections|test|docs|bench|demo|deploy)\/[\w./-]+\.(?:ts|md|json|yml|py)\b/g,
    ))
      await t.notThrowsAsync(access(`${root}${file}`), `${page} names ${file}`)
})
