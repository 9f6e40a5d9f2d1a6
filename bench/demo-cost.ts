import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { untilWritten } from './service.ts'
import { ratio, say, toWholeText } from './table.ts'
import { serve, type Version } from './versions.ts'

/** Writes the demo of a version into a service. */
export const writeDemo = async ({ checkout }: Version, links: number, url: string): Promise<void> => {
  const demo = join(checkout, 'demo/demo.ts')
  await promisify(execFile)(process.execPath, [demo, '--links', String(links), '--url', url], { maxBuffer: Number.POSITIVE_INFINITY })
}

/** Prints what `npm run demo` costs the service of each version for an event, with the hashes of passwords left out. */
export const demoCost = async (versions: readonly Version[], links: number, directory: string): Promise<void> => {
  for (const version of versions) {
    const dataDirectory = join(directory, `demo-${version.name}`)
    mkdirSync(dataDirectory)
    const service = await serve(version, join(dataDirectory, 'data.db'))
    const before = service.cpu()
    const begun = performance.now()
    await writeDemo(version, links, service.url)
    const seconds = (performance.now() - begun) / 1_000
    await untilWritten(service)
    const [all, hashing] = [service.cpu() - before, service.hashing()]
    const events = await service.events()
    const each = ((all - hashing) / events) * 1_000
    say(
      `${version.name}: the demo of ${toWholeText(links)} links in ${toWholeText(seconds)} s, ${toWholeText(events)} events: ${toWholeText(all)} s of processor time, of which hashes ${toWholeText(hashing)} s`,
    )
    say(`  without them ${ratio(each)} ms for each event (0.50 wanted)`)
    await service.stop()
  }
}
