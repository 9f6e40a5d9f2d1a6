import { spawn } from 'node:child_process'

export type Finished = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

const ROOT = new URL('../../', import.meta.url)

/** Run one of the commands under src/cli on a data file, as its own process. */
export const runCommand = (name: string, file: string, ...args: readonly string[]): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [`src/cli/${name}.ts`, ...args], {
      cwd: ROOT,
      env: { ...process.env, EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` },
    })
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
