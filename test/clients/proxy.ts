import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('../../docs/adapters/rostra-proxy.mjs', import.meta.url))

/** The proxy as its users start it, on a free port, in front of a service. */
export const startProxy = async (service: string, options: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [program, service, '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.once('exit', () => reject(new Error(`the proxy ended: ${output}`)))
    child.stdout.on('data', (data) => {
      output += data
      const ready = / listening on (https?:\S+)\n/.exec(output)
      if (ready?.[1]) resolve(ready[1])
    })
  })
  return { url, stop: () => child.kill() }
}
