import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { wrapProse } from '../../docs/wrap-prose.ts'
import { commandLine } from '../../src/cli/command-line.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { openApiOf } from '../../src/http/openapi/document.ts'
import { startService } from '../support/service-process.ts'
import { startBrowser } from './browser.ts'
import { type Client, type Command, clients, programs } from './clients.ts'
import { startProxy } from './proxy.ts'
import { lineOf, type Result, resultsOf, type Table, type Tried, withSections } from './results.ts'
import { type Scene, seed } from './scene.ts'

const {
  positionals: chosenKeys,
  values: { programs: onlyPrograms = false },
} = commandLine({
  usage: 'npm run test:clients -- [client …], npm run test:programs -- [program …]',
  help: `Runs the clients of test/clients/clients.ts, or with --programs the programs there, or those of some keys, against the service,
each with a service of its own, and renews their sections in docs/clients.md.

Exit code 0: all that the interface offers works; 1: something failed.`,
  options: { programs: { type: 'boolean' } },
  most: clients.length,
})
const [table, all]: readonly [Table, readonly Client[]] = onlyPrograms ? ['programs', programs] : ['clients', clients]

/** The number that run at a time. */
const CLIENTS_AT_ONCE = 2
const COMMAND_MS = 5 * 60_000
/** Messages of programs that cannot reach their registry. */
const UNREACHABLE =
  /ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|NewConnectionError|NameResolutionError|Temporary failure in name|no such host|connection refused|i\/o timeout|timed out/i

/** The document without older spellings, in the folder of the run. */
const CURRENT_DOCUMENT = 'openapi-current.json'
const page = new URL('../../docs/clients.md', import.meta.url)
const absolute = (path: string) => fileURLToPath(new URL(path, import.meta.url))

type Run = { readonly code: number | null; readonly printed: string; readonly errors: string }

const run = ([program, ...rest]: Command, cwd: string, environment: Readonly<Record<string, string>> = {}): Promise<Run> =>
  new Promise((resolve) => {
    const child = spawn(program, rest, {
      cwd,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: COMMAND_MS,
    })
    let printed = ''
    let errors = ''
    child.stdout.on('data', (data) => {
      printed += data
    })
    child.stderr.on('data', (data) => {
      errors += data
    })
    child.once('error', (error) => resolve({ code: null, printed, errors: errors + error }))
    child.once('close', (code) => resolve({ code, printed, errors }))
  })

const say = (line: string) => process.stdout.write(`${line}\n`)
const lastLines = (text: string) => text.trim().split('\n').slice(-12).join('\n    ')

type Seeded = { readonly directory: string; readonly content: Scene['content'] }

/** A service with limits off receives the content; each client's has a copy of the data, and limits on. */
const seedService = async (place: string): Promise<Seeded> => {
  const directory = join(place, 'seed')
  await mkdir(directory)
  const service = await startService(directory, { RATE_LIMITS: 'off', CAPTCHA: 'off' })
  const content = await seed(service.url)
  await service.end('SIGTERM')
  return { directory, content }
}

/** Returns the lack of the machine, or the error of the installation; undefined once it is installed. */
const installClient = async (
  client: Client,
  folder: string,
  place: string,
): Promise<{ readonly lacking: boolean; readonly problem: string } | undefined> => {
  for (const program of client.needs)
    if ((await run(['sh', '-c', `command -v ${program}`], folder)).code !== 0) return { lacking: true, problem: `there is no ${program}` }
  for (const command of client.install) {
    const { code, printed, errors } = await run(command, folder, {
      OPENAPI: absolute('../../docs/openapi.json'),
      OPENAPI_CURRENT: join(place, CURRENT_DOCUMENT),
    })
    if (code === 0) continue
    const lacking = UNREACHABLE.test(errors)
    return { lacking, problem: lacking ? 'its registry cannot be reached' : `${command.join(' ')}\n    ${lastLines(printed + errors)}` }
  }
  return undefined
}

/** In a copy of all programs, since they share what reports. */
const folderOf = ({ key, folder }: Client, place: string) => join(place, key, folder)

const resultsWith = async (client: Client, place: string, { directory, content }: Seeded): Promise<readonly Result[]> => {
  const data = join(place, client.key, 'data')
  await cp(directory, data, { recursive: true })
  const service = await startService(data, { RATE_LIMITS: 'on', CAPTCHA: 'on' })
  const browser = await startBrowser(service.url)
  const proxy = await startProxy(service.url)
  try {
    const document = absolute('../../docs/openapi.json')
    const adapters = absolute('../../docs/adapters')
    const scene: Scene = { url: service.url, proxy: proxy.url, browser: browser.url, document, adapters, content }
    const ran = await run(client.run, folderOf(client, place), { SCENE: JSON.stringify(scene), NODE: process.execPath })
    const results = resultsOf(ran.printed)
    if (ran.code === 0 && results.length > 0) return results
    return [
      ...results,
      { outcome: 'failed', call: 'all of it', reason: `ended with ${ran.code}\n    ${lastLines(ran.printed + ran.errors)}` },
    ]
  } finally {
    browser.stop()
    proxy.stop()
    await service.end('SIGTERM')
  }
}

/** Returns undefined for a client that the machine cannot install. */
const tryClient = async (client: Client, place: string, ready: Promise<Seeded>): Promise<Tried | undefined> => {
  const folder = folderOf(client, place)
  await rm(join(place, client.key), { recursive: true, force: true })
  await cp(absolute('programs'), join(place, client.key), { recursive: true })
  const began = performance.now()
  const problem = await installClient(client, folder, place)
  if (problem?.lacking) {
    say(`left out: ${client.name}: ${problem.problem}`)
    return undefined
  }
  const installed = performance.now()
  const results: readonly Result[] = problem
    ? [{ outcome: 'failed', call: 'install', reason: problem.problem }]
    : await resultsWith(client, place, await ready)
  const times = [began, installed].map((from, index) => (((index === 0 ? installed : performance.now()) - from) / 1000).toFixed(0))
  say(`${client.name}: installed in ${times[0]} s, ran ${times[1]} s`)
  return { client: client.name, version: client.version, results }
}

const hasFailed = ({ results }: Tried): boolean => results.some(({ outcome }) => outcome === 'failed')
const sayResults = ({ client, results }: Tried) => say(results.map((result) => lineOf(client, result)).join('\n'))

const place = await mkdtemp(join(tmpdir(), 'rostra-clients-'))
await writeFile(join(place, CURRENT_DOCUMENT), JSON.stringify(openApiOf(endpoints, { current: true })))
const chosen = all.filter(({ key }) => chosenKeys.length === 0 || chosenKeys.includes(key))
const tried: Tried[] = []
const accept = (result: Tried) => {
  sayResults(result)
  tried.push(result)
}
const failedOnce: Client[] = []
try {
  const ready = seedService(place)
  const waiting = [...chosen]
  const worker = async () => {
    for (let client = waiting.shift(); client; client = waiting.shift()) {
      const result = await tryClient(client, place, ready)
      if (result === undefined) continue
      if (hasFailed(result)) {
        say(result.results.map(({ outcome, call, reason }) => `${client.name}, beside others: ${outcome} ${call} ${reason}`).join('\n'))
        failedOnce.push(client)
      } else accept(result)
    }
  }
  await Promise.all([ready, ...Array.from({ length: CLIENTS_AT_ONCE }, worker)])
  // A client waits for a busy machine only so long, so one that failed beside others runs once more, alone.
  for (const client of failedOnce) {
    say(`once more, alone: ${client.name}`)
    const result = await tryClient(client, place, ready)
    if (result) accept(result)
  }
} finally {
  await rm(place, { recursive: true, force: true })
}
await writeFile(
  page,
  wrapProse(
    withSections(
      await readFile(page, 'utf8'),
      table,
      all.map(({ name }) => name),
      tried,
    ),
  ),
)
process.exitCode = tried.some(hasFailed) ? 1 : 0
