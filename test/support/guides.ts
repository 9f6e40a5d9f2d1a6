import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import MarkdownIt from 'markdown-it'

/** Returns the blocks of code in one language that a guide shows, in their order. */
const blocksOf = async (guide: string, language: string): Promise<readonly string[]> => {
  const text = await readFile(new URL(`../../docs/guide/${guide}.md`, import.meta.url), 'utf8')
  return new MarkdownIt()
    .parse(text, {})
    .filter(({ type, info }) => type === 'fence' && info === language)
    .map(({ content }) => content)
}

/** Programs of a guide are run by these, each as a file with that ending. */
const languages = {
  python: { command: ['python3'], ending: 'py' },
  typescript: { command: [process.execPath], ending: 'mts' },
  go: { command: ['go', 'run'], ending: 'go' },
} as const
export type Language = keyof typeof languages

const run = promisify(execFile)

/** Tells whether the machine has a program. */
export const has = (program: string, ...rest: readonly string[]): Promise<boolean> =>
  run(program, rest).then(
    () => true,
    () => false,
  )

export type Variables = Readonly<Record<string, string>>

type Program = {
  readonly guide: string
  readonly language: Language
  readonly arguments?: readonly string[]
  /** Texts in it to replace, so that it has something to do with few things. */
  readonly replace?: Variables
  /** The program itself, if it is not the first one of a page in `docs/guide/`. */
  readonly code?: string | undefined
}

/** The first block of a language in a guide, as its readers save it: the command that starts it. */
const saveExample = async (
  directory: string,
  { guide, language, replace = {}, arguments: rest = [], code: given }: Program,
): Promise<readonly string[]> => {
  const code = given ?? (await blocksOf(guide, language))[0] ?? ''
  const text = Object.entries(replace).reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`${guide} has no ${from} in ${language}`)
    return before.replaceAll(from, to)
  }, code)
  const { command, ending } = languages[language]
  const file = join(directory, `${guide}.${ending}`)
  await writeFile(file, text)
  return [...command, file, ...rest]
}

/** Runs a program of a guide to its end, and returns what it printed. */
export const printedBy = async (directory: string, program: Program, variables: Variables): Promise<string> => {
  const [command = '', ...rest] = await saveExample(directory, program)
  const { stdout } = await run(command, rest, { cwd: directory, env: { ...process.env, ...variables } })
  return stdout
}

/** A program of a guide that does not end by itself. */
export type Started = {
  /** Waits until it has printed something that matches. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly end: () => Promise<void>
}

const waitForEnd = (child: ChildProcess) => new Promise<void>((resolve) => child.once('close', () => resolve()))

export const startProgram = async (directory: string, program: Program, variables: Variables): Promise<Started> => {
  const [command = '', ...rest] = await saveExample(directory, program)
  const child = spawn(command, rest, { cwd: directory, env: { ...process.env, ...variables }, stdio: ['ignore', 'pipe', 'pipe'] })
  const over = waitForEnd(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      output += data
    })
  return {
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(output)
          if (found) resolve(found)
        }
        look()
        for (const stream of [child.stdout, child.stderr]) stream.on('data', look)
        void over.then(() => reject(new Error(`it ended without ${pattern}: ${output}`)))
      }),
    end: async () => {
      child.kill('SIGKILL')
      await over
    },
  }
}

/** Returns the commands of a guide for the shell, one script. */
export const shellOf = async (guide: string): Promise<string> => (await blocksOf(guide, 'sh')).join('\n')
