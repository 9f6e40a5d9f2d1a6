import type { Codec } from '../log/codec.ts'
import type { Blobs } from '../ports/blobs.ts'
import { type EventStore, LOG_START } from '../ports/event-store.ts'
import { blobUse } from './blob-use.ts'

const PAGE_BLOBS = 1_000

type CollectPorts = { readonly events: Pick<EventStore, 'readAll'>; readonly blobs: Pick<Blobs, 'collect'>; readonly open: Codec['open'] }

/** Deletes the blobs that no subsite has shown since a time (milliseconds since 1970), except those stored since then. */
export const collectUnused = async ({ events, blobs, open }: CollectPorts, since: number) => {
  const use = blobUse(open)
  for (
    let after = LOG_START, page = await events.readAll(after, PAGE_BLOBS);
    page.length > 0;
    page = await events.readAll(after, PAGE_BLOBS)
  ) {
    await use.note(page)
    after = page.at(-1)?.position ?? after
  }
  const kept = use.inUseSince(since)
  return { kept: kept.size, deleted: await blobs.collect((hash) => kept.has(hash), since) }
}
