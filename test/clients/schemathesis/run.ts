import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandLine } from '../../../src/cli/command-line.ts'
import { startService } from '../../support/service-process.ts'
import { seed } from '../scene.ts'

const VERSION = '4.32.5'
/** Cases of each tag, which its operations share. */
const CASES = 1_000
/** Cases at a time: one whose `min_position` is not reached waits a second, as most of those of a read without other parameters do. */
const CASES_AT_A_TIME = 4

const { positionals: chosen } = commandLine({
  usage: 'node test/clients/schemathesis/run.ts [tag …]',
  help: `Lets schemathesis ask a service of its own what it likes, ${CASES} cases of each tag of docs/openapi.json, or of those named, with a
fresh token. What schemathesis.toml beside this file explains stands. It needs python3, and takes about an hour.

Exit code 0: it finds nothing else; 1: it does, and says what.`,
  most: 99,
})

type Operation = { readonly tags: readonly string[] }
type Document = {
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/**
 * schemathesis rewrites `prefixItems` for older drafts and then cannot read them as what they are; `items` beside them says nearly as much.
 * Feeds are left out: who sends a token, as every case here does, gets JSON at their addresses.
 */
const toReadable = (text: string): string => {
  const document = JSON.parse(text, (_, value) => (value?.prefixItems ? { ...value, prefixItems: undefined } : value))
  const paths = Object.entries(document.paths).filter(([path]) => !path.endsWith('.rss'))
  return JSON.stringify({ ...document, paths: Object.fromEntries(paths) })
}

const run = (program: string, parameters: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn(program, parameters, { cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: 'inherit' })
    child.once('error', () => resolve(null))
    child.once('close', resolve)
  })

/** The token of somebody who moderates what is there. */
const tokenOf = async (url: string, { password, accounts }: Awaited<ReturnType<typeof seed>>): Promise<string> => {
  const app = accounts.ann
  const answer = await fetch(`${url}/api/v1/access_token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${btoa(`${app?.client_id}:${app?.client_secret}`)}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'ann', password }),
  })
  const body: { readonly access_token?: string } = JSON.parse(await answer.text())
  if (body.access_token === undefined) throw new Error(`no token: ${JSON.stringify(body)}`)
  return body.access_token
}

const place = await mkdtemp(join(tmpdir(), 'rostra-schemathesis-'))
let failed = 0
try {
  const text = toReadable(await readFile(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))
  const document: Document = JSON.parse(text)
  await writeFile(join(place, 'openapi.json'), text)
  await run('python3', ['-m', 'venv', join(place, 'venv')])
  await run(join(place, 'venv/bin/pip'), ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`])
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
  for (const { name } of document.tags.filter(({ name }) => chosen.length === 0 || chosen.includes(name))) {
    // a service for each tag: what one tag's cases did, such as wrong passwords by the hundred, must not refuse the next one's
    const own = await mkdtemp(join(place, 'service-'))
    const service = await startService(own, { RATE_LIMITS: 'off', CAPTCHA: 'off' })
    try {
      const token = await tokenOf(service.url, await seed(service.url))
      const count = operations.filter(({ tags }) => tags?.includes(name)).length
      const status = await run(join(place, 'venv/bin/schemathesis'), [
        ...['run', join(place, 'openapi.json'), '--url', service.url, '--include-tag', name, '--checks', 'all', '--continue-on-failure'],
        ...[
          '--max-examples',
          String(Math.ceil(CASES / count)),
          '--workers',
          String(CASES_AT_A_TIME),
          '--header',
          `Authorization: bearer ${token}`,
        ],
      ])
      if (status !== 0) failed += 1
    } finally {
      await service.end('SIGTERM')
    }
  }
} finally {
  await rm(place, { recursive: true, force: true })
}
process.exitCode = failed > 0 ? 1 : 0
