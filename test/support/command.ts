import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { auditAll } from '../../src/cli/audit.ts'
import { collectImages } from '../../src/cli/collect-images.ts'
import { dropObsolete } from '../../src/cli/drop-obsolete.ts'
import { exportLog } from '../../src/cli/export.ts'
import { grant } from '../../src/cli/grant.ts'
import { keepHistory } from '../../src/cli/history.ts'
import { importExport } from '../../src/cli/import.ts'
import { exitCodeOf, type Program } from '../../src/cli/program.ts'
import { rebuildReadModels } from '../../src/cli/rebuild.ts'
import { registerAccount } from '../../src/cli/register.ts'
import { replay } from '../../src/cli/replay.ts'
import { scrub } from '../../src/cli/scrub.ts'
import { setPassword } from '../../src/cli/set-password.ts'
import { verifyLog } from '../../src/cli/verify.ts'
import { witness } from '../../src/cli/witness.ts'

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** The programs under src/cli, by the names of their files. */
export const programs = {
  audit: auditAll,
  'collect-images': collectImages,
  'drop-obsolete': dropObsolete,
  export: exportLog,
  grant,
  history: keepHistory,
  import: importExport,
  rebuild: rebuildReadModels,
  register: registerAccount,
  replay,
  scrub,
  'set-password': setPassword,
  verify: verifyLog,
  witness,
} as const satisfies Readonly<Record<string, Program>>
export type ProgramName = keyof typeof programs

const ROOT = new URL('../../', import.meta.url)

type Environment = Readonly<Record<string, string>>
type Called = { readonly env?: Environment; readonly args?: readonly string[]; readonly stdin?: string }

const collectInto = (parts: string[], onWrite: (text: string) => Promise<void> = async () => {}) =>
  new Writable({
    decodeStrings: false,
    highWaterMark: 1, // the program waits for each write
    write: (chunk, _encoding, done) => {
      parts.push(String(chunk))
      onWrite(String(chunk)).then(() => done(), done)
    },
  })

/**
 * Runs one of the programs in this thread, which takes a tenth of the time that it takes as its own process. It waits for `onWrite` after
 * each piece of its output.
 */
export const call = async (
  name: ProgramName,
  { env = {}, args = [], stdin = '' }: Called = {},
  onWrite?: (text: string) => Promise<void>,
): Promise<Finished> => {
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const outputs = { stdout: collectInto(stdout, onWrite), stderr: collectInto(stderr) }
  const code = await exitCodeOf(programs[name], {
    args,
    env: { ...process.env, ...env },
    stdin: () => Readable.from([stdin]),
    ...outputs,
  })
  for (const output of Object.values(outputs)) await finished(output.end())
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

/** Runs a program as its own process. */
export const spawnProgram = (name: ProgramName, { env = {}, args = [], stdin = '' }: Called = {}): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`src/cli/${name}.ts`, ...args], { cwd: ROOT, env: { ...process.env, ...env } })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.stdin.on('error', () => {}) // it may end without reading
    child.stdin.end(stdin)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })

/** Returns the variables that name a data file. */
export const onFile = (file: string): Environment => ({ EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` })

/** Runs a program on a data file, in this thread. */
export const runCommand = (name: ProgramName, file: string, ...args: readonly string[]): Promise<Finished> =>
  call(name, { env: onFile(file), args })

/** Runs a command as its own process. */
export const spawnCommand = (name: ProgramName, file: string, ...args: readonly string[]): Promise<Finished> =>
  spawnProgram(name, { env: onFile(file), args })

/** Runs a program as its own process on the stores that the environment names. */
export const runCommandWith = (env: Environment, name: ProgramName, ...args: readonly string[]): Promise<Finished> =>
  spawnProgram(name, { env, args })
