import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApi } from './processes.ts'

/*
 * Makes the data file of a release, which every later version must open: `node test/support/data-file-fixture.ts v1.2.3`. A file that is there
 * stays: it was written by that release, and no other version can write it again.
 */

const ROOT = new URL('../../', import.meta.url)
const FILES = new URL('test/fixtures/data-files/', ROOT)

const run = async (program: string, ...args: readonly string[]): Promise<void> => {
  const [code] = await once(spawn(program, args, { cwd: ROOT, stdio: 'inherit' }), 'exit')
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`)
}

const [tag = ''] = process.argv.slice(2)
if (!/^v\d+\.\d+\.\d+(-(alpha|beta|rc)\.\d+)?$/.test(tag)) throw new Error(`'${tag}' is no version tag, such as v1.2.3 or v1.2.3-rc.1`)
const target = new URL(`${tag}.tar.gz`, FILES).pathname
if (existsSync(target)) throw new Error(`${target} exists`)

const directory = await mkdtemp(join(tmpdir(), 'rostra-'))
const file = `sqlite:${join(directory, 'rostra.db')}`
try {
  const service = await startApi({ EVENT_STORE_URL: file, DOCUMENT_STORE_URL: file })
  await run(process.execPath, 'demo/demo.ts', '--links', '6', '--url', service.url)
  await service.end()
  await mkdir(FILES, { recursive: true })
  await run('tar', '-C', directory, '-czf', target, '.')
} finally {
  await rm(directory, { recursive: true })
}
