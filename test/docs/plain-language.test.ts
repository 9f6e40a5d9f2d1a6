import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { root } from '../support/pages.ts'

/** A sentence that starts so has no subject: "What …", "Whether …", "Which …". */
const nounClause = /^(?:What|Whether|Who|Whom|Whose|Which|Told)\b/i
/** A comment that starts so names a circumstance or a group instead of its subject. */
const circumstance = /^(?:Of|The same|By|How|Why|Where|Those|That|Made|Kept|Found|Held|Led)\b/i

/** A comment that starts so gives an order instead of saying what the declaration does: "Write …" for "Writes …". */
const order =
  /^(?:Add|Append|Ask|Begin|Break|Bring|Close|Do|Drop|End|Find|Get|Give|Have|Hold|Keep|Let|Make|Perform|Put|Remove|Return|Send|Take|Tell|Write) /
/** A comment that starts so says when or from where, but not what. */
const fragment = /^(?:As SIG|At once|From now|Into|Mostly|Ready|So many|To be|In which|In whose) ?/

/** The comments of a source, each as one line of text. */
const commentsIn = (source: string): readonly string[] => {
  const comments: string[][] = []
  let open: 'block' | 'lines' | undefined
  for (const line of source.split('\n')) {
    const text = line.replace(/^\s*(?:\/\*\*?|\*\/?|\/\/)\s?|\s*\*\/\s*$/g, '').trim()
    const [, before = '', after] = /^(.*\S)\s+\/(?:\/|\*\*?)\s(.*)$/.exec(line) ?? []
    if (open === 'block') {
      comments.at(-1)?.push(text)
      if (line.includes('*/')) open = undefined
    } else if (/^\s*\/\*/.test(line)) {
      comments.push([text])
      open = line.includes('*/') ? undefined : 'block'
    } else if (/^\s*\/\//.test(line)) {
      if (open === 'lines') comments.at(-1)?.push(text)
      else comments.push([text])
      open = 'lines'
    } else {
      // behind code; an odd number of quotes before it means that it stands in a text
      if (after !== undefined && before.split("'").length % 2 === 1 && before.split('`').length % 2 === 1) comments.push([after])
      open = undefined
    }
  }
  return comments.map((lines) => lines.filter((line) => line !== '').join(' '))
}

/** The comments of a source that have a sentence without a subject. */
const unclearComments = (source: string): readonly string[] =>
  commentsIn(source).filter((comment) => {
    const sentences = comment.replace(/^@\w+ /, '').split(/(?<=[.;!?]) (?=[A-Z])/)
    return (
      [circumstance, order, fragment].some((unclear) => unclear.test(sentences[0] ?? '')) ||
      nounClause.test(sentences[0] ?? '') ||
      sentences.some((one) => nounClause.test(one) && /^[A-Z]/.test(one))
    )
  })

/** Words that are no verbs but look like none of the participles. */
const banned = new Set(
  'after all among anew around at become becomes by deep done due each either everything found fresh from held hidden it its kept late led lenient no nobody of only otherwise own raw reach sent several shallow short shown some somebody the told unread when whole without'.split(
    ' ',
  ),
)
/** Participles, adjectives, adverbs and prepositions that the rule for ends of words does not find, for functions inside others, too. */
const bannedWithin = new Set(
  'above across along always at bad before behind below beneath beside between beyond bound bought brought built caught chosen drawn driven during first forgotten given gone grown inside into known last left less lost made mine more most never now off once other out outside over paid past per plain rest same seen since sold some sought spent still such taken taught then there these this those thrown through to too torn toward under until up upon via where which while within worn written wrong'.split(
    ' ',
  ),
)
/** Verbs and nouns that end like participles. */
const permitted = new Set(
  'embed feed need seed embedding heading ranking string listen open token fasten harden hasten lengthen shorten tighten loosen flatten enable disable'.split(
    ' ',
  ),
)

/** Tells whether a function's name is one participle, adjective or preposition. */
const isUnclearName = (name: string): boolean => banned.has(name) || (/^[a-z]+(?:ed|ing|en|able)$/.test(name) && !permitted.has(name))

const declaration = /^(export )?(?:async )?(?:function\*? (\w+)|const (\w+)(?::[^=\n]+)? =\s*(?:async )?(?:\(|<|\w+ =>))/gm

/** Returns the unclear names of functions at the top of a source: the exported ones alone, or all. */
const unclearNames = (source: string, which: 'all' | 'exported' = 'exported'): readonly string[] =>
  [...source.matchAll(declaration)]
    .filter(([, exported]) => which === 'all' || exported !== undefined)
    .map(([, , declared, assigned]) => declared ?? assigned ?? '')
    .filter(isUnclearName)

/** Matches a function that has a name, however deep it stands: its parameters may be in parentheses, too. */
const anyFunction =
  /^[ \t]*(?:export )?(?:async )?(?:function\*? (\w+)|const (\w+)(?::[^=\n]+)? =\s*(?:async )?(?:function\b|(?:<[^>()]*>\s*)?\((?:[^()]|\([^()]*\))*\)(?:: [^=\n]+)?\s*=>|\w+ =>))/gm

/** Returns the unclear names of all functions of a source, also of those inside others. */
const unclearNamesWithin = (source: string): readonly string[] =>
  [...source.matchAll(anyFunction)]
    .map(([, declared, assigned]) => declared ?? assigned ?? '')
    .filter((name) => isUnclearName(name) || bannedWithin.has(name))

const MAX_PROSE_CHARACTERS = 120

/** Lines of prose that are too wide: not those of tables, of code, of links alone, and of generated markers. */
const wideLines = (page: string): readonly string[] => {
  let isCode = false
  return page.split('\n').filter((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    return !isCode && line.length > MAX_PROSE_CHARACTERS && !/^\s*(?:\||<|\[[^\]]+\]: )/.test(line) && line.trim().includes(' ')
  })
}

/** Returns the files that break a rule, each with what breaks it. */
const findBreaches = async (patterns: readonly string[], exclude: readonly string[], findIn: (text: string) => readonly string[]) => {
  const files = await Array.fromAsync(glob(patterns, { cwd: root, exclude }))
  const all = await Promise.all(files.toSorted().map(async (file) => [file, findIn(await readFile(join(root, file), 'utf8'))] as const))
  return all.filter(([, breaches]) => breaches.length > 0)
}

const programs = '{src,projections,bench,demo}/**/*.ts'
const sources = [programs, 'test/**/*.ts', 'docs/*.ts']
const generated = ['src/http/pages/wire-types.ts', 'test/clients/programs/**', 'test/docs/plain-language.test.ts']

test('a comment starts with its subject', async (t) => {
  t.deepEqual(await findBreaches(sources, generated, unclearComments), [])
})

test('a function of a program, and an exported one of a test, is named by a verb or a noun, not by a bare participle', async (t) => {
  t.deepEqual(await findBreaches([programs], generated, (source) => unclearNames(source, 'all')), [])
  t.deepEqual(await findBreaches(sources, generated, (source) => unclearNames(source)), [])
})

test('a function of the service is named by a verb or a noun wherever it stands, not by a participle, an adverb or a preposition', async (t) => {
  t.deepEqual(await findBreaches(['{src,projections}/**/*.ts'], [...generated, 'src/http/openapi/docs-page.ts'], unclearNamesWithin), [])
})

test('prose of documents is at most 120 characters wide', async (t) => {
  t.deepEqual(await findBreaches(['*.md', 'docs/**/*.md'], [], wideLines), [])
})

test('comments are found before, in and behind code, and sentences without a subject in them', (t) => {
  t.deepEqual(
    unclearComments('/** What it says. */\n/**\n * Says it.\n * What else, nobody knows.\n */\nconst a = 1 // whether it does\n'),
    ['What it says.', 'Says it. What else, nobody knows.', 'whether it does'],
  )
  t.deepEqual(unclearComments("/** Says what it is. */\nconst a = 'b // what' // the rest\n// Returns\n// what it is\n"), [])
})

test('orders and circumstances are found in place of what a declaration does', (t) => {
  t.deepEqual(unclearComments('/** Write a log. */\n/** Writes a log. */\n/** Into all read models. */\n/** Endings of words. */\n'), [
    'Write a log.',
    'Into all read models.',
  ])
})

test('names of functions are found however these are written, names of values are not', (t) => {
  t.deepEqual(
    unclearNames(
      'export const kept = (a: A): B => a\nexport async function* told() {}\nexport const found: Find =\n  async <T>(a: T) => a\nexport const hidden = 1',
    ),
    ['kept', 'told', 'found'],
  )
  t.deepEqual(unclearNames('const kept = (a: A): B => a\n', 'all'), ['kept'])
  t.deepEqual(
    unclearNames(
      'const kept = (a: A): B => a\nexport const keep = () => 1\nexport const heldBy = () => 1\nexport const hidden = new Set()',
    ),
    [],
  )
})

test('names of functions inside others are found, those of values with parentheses are not', (t) => {
  const source =
    'const read = () => {\n  const kept = async <T>(a: (b: B) => C): Promise<T> => a\n  const before: Find = (a) => a\n  const last = (a + b) * c\n' +
    '  const shown = list.map((a) => a)\n  function gone() {}\n  const first = (await list()).at(0)\n}\n'
  t.deepEqual(unclearNamesWithin(source), ['kept', 'before', 'gone'])
})
