import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ExecutionContext } from 'ava'
import { sample } from './full.ts'
import { temporaryDirectory } from './temporary.ts'

/** One change of one source file that makes it wrong: the text as it is there, once, and what takes its place. */
export type Mutation = readonly [file: string, from: string, to: string]

const ROOT = new URL('../../', import.meta.url).pathname
const COPIED = ['projections', 'src/reactions']

/** Small changes that a slip of the hand makes, wherever they can be made. */
const SLIPS: readonly (readonly [wherever: RegExp, becomes: string])[] = [
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/===/g, '!=='],
  [/!==/g, '==='],
  [/&&/g, '||'],
  [/: null\b/g, ': 0'],
  [/: 0\b/g, ': 1'],
  [/: at\b/g, ': 0'],
  [/slot - 1/g, 'slot'],
  [/\.subsite\b/g, '.account'],
  [/^ {4}[A-Z]\w+: .*\],$/gm, ''],
]

/** Not code that decides what a document is: types, comments and imports. */
const inert = /^(\*|\/\*|\/\/|readonly |import |type |export type )/

/** Every slip that can be made in a file, after the place where its rules begin. */
export const slipsIn = (file: string, begins: RegExp): readonly Mutation[] => {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const start = Math.max(0, source.search(begins))
  return SLIPS.flatMap(([wherever, becomes]) =>
    [...source.matchAll(wherever)].flatMap(({ index, 0: found }): Mutation[] => {
      const line = source.slice(source.lastIndexOf('\n', index) + 1).trimStart()
      if (index < start || inert.test(line)) return []
      return [[file, source, source.slice(0, index) + becomes + source.slice(index + found.length)]]
    }),
  )
}

/** Tells whether the text that a mutation replaces is in its file, exactly once. */
const fits = (source: string, from: string): boolean => source.split(from).length === 2

/** The sources with one mutation, in a directory of their own; all that is not mutated there is the project's own, and loaded once. */
export const mutant = (t: ExecutionContext, [file, from, to]: Mutation) => {
  if (!COPIED.some((part) => file.startsWith(`${part}/`)))
    throw new Error(`${file} is not copied: a mutation would change the source itself`)
  const directory = temporaryDirectory(t)
  mkdirSync(join(directory, 'src'))
  for (const part of COPIED) cpSync(join(ROOT, part), join(directory, part), { recursive: true })
  for (const room of readdirSync(join(ROOT, 'src'))) {
    if (!COPIED.includes(`src/${room}`)) symlinkSync(join(ROOT, 'src', room), join(directory, 'src', room))
  }
  for (const name of ['node_modules', 'package.json']) symlinkSync(join(ROOT, name), join(directory, name))
  const source = readFileSync(join(directory, file), 'utf8')
  if (!fits(source, from)) throw new Error(`${file} does not hold, exactly once: ${from}`)
  writeFileSync(
    join(directory, file),
    source.replace(from, () => to),
  )
  return { load: <Module>(path: string): Promise<Module> => import(pathToFileURL(join(directory, path)).href) }
}

/** Checks that the audit finds each of some mutations. `findingsOf` audits what a mutation makes wrong. */
export const expectFindings = async (
  t: ExecutionContext,
  mutations: readonly Mutation[],
  findingsOf: (mutation: Mutation) => Promise<readonly string[]>,
): Promise<void> => {
  const misfits = mutations.filter(([file, from]) => !fits(readFileSync(join(ROOT, file), 'utf8'), from))
  t.deepEqual(misfits, [], 'each replaces a text of its file, also one that this run does not try')
  for (const mutation of sample(mutations, 4)) {
    const findings = await findingsOf(mutation)
    t.true(findings.length > 0, mutation.join(' | '))
    t.log(findings[0])
  }
}
