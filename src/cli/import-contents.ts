import type { VaultKind } from '../ports/vault.ts'
import type { Content, ExportedRecord } from './export-format.ts'
import type { ImportTarget } from './import-targets.ts'
import type { ProgressBar } from './progress-bar.ts'

const EVENTS_BETWEEN_REPORTS = 500

const store = async ({ vault }: ImportTarget, { kind, id, owner, value }: ExportedRecord) => {
  await vault.putIf(kind as VaultKind, id, 0, { value, ...(owner !== null && { owner }) })
}

/** Writes the checked contents of an export to a target. Returns the number of events. */
export const importContents = async (target: ImportTarget, contents: AsyncIterable<Content>, bar: ProgressBar): Promise<number> => {
  let total = 0
  let count = 0
  try {
    for await (const content of contents) {
      if ('header' in content) total = content.header.events
      else if ('entry' in content) {
        await target.put(content.entry)
        count += 1
        if (count % EVENTS_BETWEEN_REPORTS === 0) bar.update(count, total)
      } else if ('bytes' in content) await target.blobs.put(content.bytes)
      else await store(target, content.record)
    }
    await target.end()
    bar.update(count, total)
    return count
  } finally {
    bar.stop()
  }
}
