import { glob } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import test from 'ava'
import { pageOf, root, textOf } from '../support/pages.ts'

const folder = 'docs/decisions/'
const INDEX = `${folder}README.md`

/** Every decision by its number: the page and the heading that hold it. */
const decisions = new Map<number, { readonly page: string; readonly anchor: string }>()
/** The sources that each decision names by their paths, up to the heading of the next one. */
const namedSources = new Map<number, readonly string[]>()
const twice: number[] = []
const pages = (await Array.fromAsync(glob(`${folder}*.md`, { cwd: root }))).filter((page) => page !== INDEX).toSorted()
for (const page of pages) {
  const content = await textOf(page)
  for (const { text, anchor } of pageOf(content).headings) {
    const number = Number(/^(\d+)\. /.exec(text)?.[1])
    if (Number.isNaN(number)) continue
    if (decisions.has(number)) twice.push(number)
    decisions.set(number, { page, anchor })
  }
  for (const section of content.split(/^(?=#+ \d+\. )/m)) {
    const [, number] = /^#+ (\d+)\. /.exec(section) ?? []
    const files = [...section.matchAll(/`((?:src|projections)\/[^`]+\.ts)`/g)].map(([, file = '']) => file)
    if (number !== undefined) namedSources.set(Number(number), files)
  }
}

/** The numbers of decisions that a text mentions, also as `decisions 47 to 60` or `decisions 42, 62 and 130`. */
const mentionedIn = (text: string): readonly number[] =>
  [...text.matchAll(/\bdecisions?[ \n]+(\d+(?:(?:,| and| to) \d+)*)/gi)].flatMap(([, numbers = '']) =>
    (numbers.match(/\d+/g) ?? []).map(Number),
  )

/** The comment with which a source that holds rules of decisions begins, and the empty line after it. */
const headOf = (numbers: readonly number[]): string =>
  `// Decision${numbers.length === 1 ? ` ${numbers[0]}` : `s ${numbers.slice(0, -1).join(', ')} and ${numbers.at(-1)}`}.\n\n`

/** Every source, its text, and the numbers of the decisions that it names at its head. */
const sources = await Array.fromAsync(glob('{src,projections}/**/*.ts', { cwd: root }), async (file) => {
  const text = await textOf(file)
  const [first = ''] = text.split('\n', 1)
  return { file, text, numbers: /^\/\/ Decisions? /.test(first) ? mentionedIn(first) : [] }
})

test('each decision has one number, which is a heading, and the number of a page that is named after one', async (t) => {
  t.deepEqual(twice, [])
  for (const page of pages) {
    const numbers = [...decisions].filter(([, decision]) => decision.page === page).map(([number]) => number)
    t.true(numbers.length > 0, page)
    const [, named] = /^(\d{4})-/.exec(basename(page)) ?? []
    if (named !== undefined) t.deepEqual(numbers, [Number(named)], page)
  }
})

test('the index lists each decision exactly once, and leads to its heading', async (t) => {
  const listed = pageOf(await textOf(INDEX)).links.map(({ text, target }) => [Number(text), target] as const)
  t.deepEqual(
    listed.map(([number]) => number).toSorted((a, b) => a - b),
    [...decisions.keys()].toSorted((a, b) => a - b),
  )
  for (const [number, target] of listed) {
    const { page, anchor } = decisions.get(number) ?? {}
    const [file = '', place = anchor] = target.split('#')
    t.is(`${join(folder, file)}#${place}`, `${page}#${anchor}`, `${INDEX}: ${number}`)
  }
})

test('every decision that is mentioned anywhere exists', async (t) => {
  const files = await Array.fromAsync(glob(['{src,projections,test,docs,bench,demo,deploy}/**/*.{ts,md,yml}', '*.md'], { cwd: root }))
  let mentions = 0
  for (const file of files)
    for (const number of mentionedIn(await textOf(file))) {
      mentions += 1
      t.true(decisions.has(number), `${file} mentions decision ${number}`)
    }
  t.true(mentions > 50)
})

test('every link of the documents leads to a file and a heading, and one that names a decision to that decision', async (t) => {
  const files = await Array.fromAsync(glob(['docs/**/*.md', '*.md'], { cwd: root }))
  for (const file of files)
    for (const { text, target } of pageOf(await textOf(file)).links) {
      if (/^[a-z]+:/.test(target)) continue
      const where = `${file}: ${target}`
      const [path = '', place] = target.split('#')
      const page = path === '' ? file : join(dirname(file), path)
      const led = page.endsWith('.md') ? pageOf(await textOf(page).catch(() => '')).headings : undefined
      t.true(led === undefined ? (await Array.fromAsync(glob(page, { cwd: root }))).length === 1 : led.length > 0, where)
      if (place !== undefined) t.true(led?.some(({ anchor }) => anchor === place) ?? false, where)
      const [number] = mentionedIn(text)
      if (number === undefined) continue
      const decision = decisions.get(number)
      t.is(page, decision?.page ?? '', where)
      if (place !== undefined) t.is(place, decision?.anchor ?? '', where)
    }
})

test('a source names decisions at its head in one form, in the order of their numbers', (t) => {
  for (const { file, text, numbers } of sources)
    if (numbers.length > 0) t.true(text.startsWith(headOf([...new Set(numbers)].toSorted((a, b) => a - b))), file)
})

test('a source that a decision names by its path names that decision at its head', (t) => {
  const atHead = new Map(sources.map(({ file, numbers }) => [file, numbers]))
  const named = [...namedSources].flatMap(([number, files]) => files.map((file) => ({ number, file })))
  t.true(named.length > 20)
  for (const { number, file } of named) t.true(atHead.get(file)?.includes(number) ?? false, `${file} does not name decision ${number}`)
})

/** Decisions whose rule is in no source, each with the reason. */
const withoutSource: ReadonlyMap<number, string> = new Map([[20, 'decision 70 replaced it']])

test('each decision is named at the head of a source, unless no source holds it', (t) => {
  const atHeads = new Set(sources.flatMap(({ numbers }) => numbers))
  for (const number of decisions.keys())
    t.is(
      atHeads.has(number),
      !withoutSource.has(number),
      `decision ${number}: ${withoutSource.get(number) ?? 'which file holds its rule?'}`,
    )
})

test('mentions are found in the forms in which they are written', (t) => {
  t.deepEqual(mentionedIn('(decision 104), Decision 7 and decisions 47 to 60; a decision. 5 of them'), [104, 7, 47, 60])
  t.deepEqual(mentionedIn('Decisions 42, 62 and 130. decision 9: 17'), [42, 62, 130, 9])
  t.is(headOf([47]), '// Decision 47.\n\n')
  t.is(headOf([42, 130]), '// Decisions 42 and 130.\n\n')
  t.is(headOf([42, 62, 130]), '// Decisions 42, 62 and 130.\n\n')
})
