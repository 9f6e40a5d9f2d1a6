import { DAY } from '../domain/time.ts'
import { codec } from '../log/codec.ts'
import { openKeyring } from '../log/keys.ts'
import { collectUnused } from './blob-use.ts'
import { parseArguments } from './command-line.ts'
import { type Program, runProgram } from './program.ts'
import { openToRead } from './stores.ts'

const usage = {
  usage: 'npx rostra collect-images [--days N]',
  help: `Deletes images and published stylesheets that no subsite shows, and what was stored for an upload that was refused or broken off.
The log says which are shown. A server may run meanwhile, and so may several: what somebody uploads again is kept.

  --days N  delete what has not been shown for so many days, at least 1; default 1, for which caches may keep an image, too`,
  options: { days: { type: 'string' } },
} as const

export const collectImages: Program = async ({ args, env, stdout }) => {
  const { days } = parseArguments(usage, args).values
  const { events, vault, blobs, close } = await openToRead(env)
  try {
    const grace = Math.max(1, Number(days ?? 1) || 1) * DAY
    const { kept, deleted } = await collectUnused({ events, blobs, open: codec(openKeyring(vault)).open }, Date.now() - grace)
    stdout.write(`${deleted} deleted, ${kept} in use\n`)
    return 0
  } finally {
    await close()
  }
}

if (import.meta.main) await runProgram(collectImages)
