import { readFileSync } from 'node:fs'

export type Command = readonly [program: string, ...rest: readonly string[]]

/** A client that others wrote, with our program that calls it as its users would. */
export type Client = {
  readonly name: string
  /** What to call it on the command line. */
  readonly key: string
  /** Of `test/clients/programs/`; the run works in a copy. */
  readonly folder: string
  readonly version: string
  /** What the machine must have. */
  readonly needs: readonly string[]
  /** Run in turn, in the copy. */
  readonly install: readonly Command[]
  readonly run: Command
}

const programs = new URL('programs/', import.meta.url)

/** The version of a package that a file pins. */
const pinned = (file: string, pattern: RegExp): string => {
  const version = pattern.exec(readFileSync(new URL(file, programs), 'utf8'))?.[1]
  if (version === undefined) throw new Error(`${file} does not pin what ${pattern} finds`)
  return version
}

type Python = {
  readonly key: string
  readonly folder: string
  readonly requirements: string
  readonly package: string
  readonly program: string
  readonly prepare?: readonly Command[]
}

/** A package of PyPI, in an environment of its own, whose file of requirements pins it and all that it needs. */
const python = (name: string, { key, folder, requirements, package: wanted, program, prepare = [] }: Python): Client => ({
  name,
  key,
  folder,
  version: pinned(`${folder}/${requirements}`, new RegExp(`^${wanted}==(\\S+)`, 'm')),
  needs: ['python3'],
  install: [
    ['python3', '-m', 'venv', 'venv'],
    ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements],
    ...prepare,
  ],
  run: ['venv/bin/python', program],
})

/** In the order of the table. */
export const clients: readonly Client[] = [
  python('PRAW 7', { key: 'praw-7', folder: 'praw', requirements: 'requirements-7.txt', package: 'praw', program: 'program.py' }),
  python('PRAW 8', { key: 'praw-8', folder: 'praw', requirements: 'requirements-8.txt', package: 'praw', program: 'program.py' }),
]
