import { spawn } from 'node:child_process'

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

const ROOT = new URL('../../', import.meta.url)

type Environment = Readonly<Record<string, string>>

/** Run one of the commands under src/cli, as its own process, on the stores that the environment names. */
export const runCommandWith = (environment: Environment, name: string, ...args: readonly string[]): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`src/cli/${name}.ts`, ...args], { cwd: ROOT, env: { ...process.env, ...environment } })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (chunk) => {
      stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })

/** The same on a data file. */
export const runCommand = (name: string, file: string, ...args: readonly string[]): Promise<Finished> =>
  runCommandWith({ EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` }, name, ...args)
