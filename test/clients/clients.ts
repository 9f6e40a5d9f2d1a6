import { readFileSync } from 'node:fs'

export type Command = readonly [program: string, ...rest: readonly string[]]

/** A client that others wrote, with our program that calls it as its users would. */
export type Client = {
  readonly name: string
  /** Its name on the command line. */
  readonly key: string
  /** A folder of `test/clients/programs/`; the run works in a copy. */
  readonly folder: string
  readonly version: string
  /** The programs that the machine must have. */
  readonly needs: readonly string[]
  /** Run in turn, in the copy. */
  readonly install: readonly Command[]
  readonly run: Command
}

const folders = new URL('programs/', import.meta.url)

/** The version of a package that a file pins. */
const readPinned = (file: string, pattern: RegExp): string => {
  const version = pattern.exec(readFileSync(new URL(file, folders), 'utf8'))?.[1]
  if (version === undefined) throw new Error(`${file} does not pin what ${pattern} finds`)
  return version
}

type Python = {
  readonly key: string
  readonly folder: string
  readonly requirements: string
  readonly package: string
  readonly program: string
  readonly options?: readonly string[]
  readonly prepare?: readonly Command[]
}

/** A package of PyPI, in an environment of its own, whose file of requirements pins it and all that it needs. */
const python = (name: string, { key, folder, requirements, package: wanted, program, options = [], prepare = [] }: Python): Client => ({
  name,
  key,
  folder,
  version: readPinned(`${folder}/${requirements}`, new RegExp(`^${wanted}==(\\S+)`, 'm')),
  needs: ['python3'],
  install: [
    ['python3', '-m', 'venv', 'venv'],
    ['venv/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements],
    ...prepare,
  ],
  run: ['venv/bin/python', program, ...options],
})

type Node = { readonly key: string; readonly package: string; readonly program: string; readonly prepare?: readonly Command[] }

/** A package of npm, with a lock file. Its `package.json` is its own, so the dependencies are none of the project's. */
const node = (name: string, { key, package: wanted, program, prepare = [] }: Node): Client => ({
  name,
  key,
  folder: key,
  version: readPinned(`${key}/package.json`, new RegExp(`"${wanted}": "([^"]+)"`)),
  needs: ['npm'],
  install: [['npm', 'ci', '--no-audit', '--no-fund', '--loglevel=error'], ...prepare],
  run: [process.execPath, program],
})

/** The client that a generator makes of the document, whose path is in `OPENAPI`; `OPENAPI_CURRENT` has the path of the one without older spellings. */
const typescript: Client = {
  name: 'openapi-typescript with openapi-fetch',
  key: 'typescript',
  folder: 'typescript',
  version: `${readPinned('typescript/package.json', /"openapi-typescript": "(.*)"/)}, ${readPinned('typescript/package.json', /"openapi-fetch": "(.*)"/)}`,
  needs: ['node', 'npm'],
  install: [
    ['npm', 'ci', '--no-audit', '--no-fund'],
    // the program must compile with the types of both documents
    ...['OPENAPI_CURRENT', 'OPENAPI'].flatMap((document): readonly Command[] => [
      ['sh', '-c', `npx --no-install openapi-typescript "$${document}" --output rostra.d.ts`],
      ['npx', '--no-install', 'tsc'],
    ]),
  ],
  run: ['node', 'program.ts'],
}

const go: Client = {
  name: 'oapi-codegen',
  key: 'go',
  folder: 'go',
  version: readPinned('go/go.mod', /oapi-codegen\/v2 v(\S+)/),
  needs: ['go'],
  install: [
    ['sh', '-c', 'mkdir rostra && go tool oapi-codegen -config generator.yaml "$OPENAPI"'],
    ['go', 'build', '-o', 'program', '.'],
  ],
  run: ['./program'],
}

/** It shares what reports its results with the generated client in Go. */
const goReddit: Client = {
  name: 'go-reddit through the proxy',
  key: 'go-reddit',
  folder: 'go-reddit',
  version: readPinned('go-reddit/go.mod', /go-reddit\/v2 v(\S+)/),
  needs: ['go'],
  install: [
    ['cp', '../go/report.go', '.'],
    ['go', 'build', '-o', 'program', '.'],
  ],
  run: ['./program'],
}

/** In the order of the table. */
export const clients: readonly Client[] = [
  python('PRAW 7', { key: 'praw-7', folder: 'praw-7-and-8', requirements: 'requirements-7.txt', package: 'praw', program: 'program.py' }),
  python('PRAW 8', { key: 'praw-8', folder: 'praw-7-and-8', requirements: 'requirements-8.txt', package: 'praw', program: 'program.py' }),
  python('PRAW 8 through the proxy', {
    key: 'praw-8-proxy',
    folder: 'praw-7-and-8',
    requirements: 'requirements-8.txt',
    package: 'praw',
    program: 'program.py',
    options: ['proxy'],
  }),
  python('Async PRAW', {
    key: 'async-praw',
    folder: 'async-praw',
    requirements: 'requirements.txt',
    package: 'asyncpraw',
    program: 'program.py',
  }),
  node('snoowrap', { key: 'snoowrap', package: 'snoowrap', program: 'program.mjs' }),
  goReddit,
  typescript,
  python('openapi-python-client', {
    key: 'python',
    folder: 'python',
    requirements: 'requirements.txt',
    package: 'openapi-python-client',
    program: 'program.py',
    prepare: [
      [
        'sh',
        '-c',
        'venv/bin/openapi-python-client generate --path "$OPENAPI" --config generator.yaml --output-path rostra --meta none --fail-on-warning',
      ],
    ],
  }),
  go,
]

/** A program of PyPI that was written for Reddit, unchanged, behind the proxy; `run_….py` starts it as its users do. */
const program = (name: string): Client =>
  python(name, {
    key: name,
    folder: 'reddit-programs',
    requirements: `requirements-${name}.txt`,
    package: name,
    program: `run_${name.replaceAll('-', '_')}.py`,
  })

/** In the order of the second table. */
export const programs: readonly Client[] = ['prawtools', 'shreddit', 'bdfr', 'gallery-dl', 'tuir'].map(program)
