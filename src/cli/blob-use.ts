// Decision 81.

import { fold } from '../domain/decision.ts'
import type { Logged } from '../domain/events.ts'
import { Images } from '../domain/images.ts'
import { Stylesheet } from '../domain/stylesheet.ts'
import type { Codec } from '../log/codec.ts'
import type { BlobHash, Blobs } from '../ports/blobs.ts'
import { type EventStore, LOG_START, type RecordedEvent } from '../ports/event-store.ts'

type ImageEvent = Logged<'ImageUploaded' | 'ImageDeleted' | 'ImageErased' | 'StylesheetSaved'>

const decides: ReadonlySet<string> = new Set<ImageEvent['type']>(['ImageUploaded', 'ImageDeleted', 'ImageErased', 'StylesheetSaved'])

/** Returns the hash of an image from its file name, which ends in its format. */
const hashOf = (file: string): BlobHash => file.split('.')[0] ?? ''

const inImages = ({ named, header, icon, banner }: Images): readonly BlobHash[] =>
  [...named, header, icon, banner].flatMap((image) => (image ? [image.hash] : []))

const inStylesheet = ({ css, images }: Stylesheet): readonly BlobHash[] => [...(css === null ? [] : [css]), ...images.map(hashOf)]

/**
 * Folds from the log itself which blobs subsites show: read models may be late, or under construction. Events must be noted in the order of
 * the log, each once.
 */
export const blobUse = (open: Codec['open']) => {
  const images = new Map<string, Images | undefined>()
  const stylesheets = new Map<string, Stylesheet | undefined>()
  /** Shown blobs by stream. */
  const shown = new Map<string, ReadonlySet<BlobHash>>()
  /** The times, in milliseconds since 1970, when the last subsite stopped showing a blob. */
  const lastUses = new Map<BlobHash, number>()

  const hashesAfter = (event: ImageEvent): readonly BlobHash[] => {
    const { stream } = event
    if (event.type === 'StylesheetSaved') {
      const state = fold(Stylesheet, stylesheets.get(stream), [event])
      stylesheets.set(stream, state)
      return state ? inStylesheet(state) : []
    }
    const state = fold(Images, images.get(stream), [event])
    images.set(stream, state)
    return state ? inImages(state) : []
  }

  const inUse = (): ReadonlySet<BlobHash> => new Set([...shown.values()].flatMap((hashes) => [...hashes]))

  return {
    note: async (recorded: readonly RecordedEvent[]): Promise<void> => {
      for (const event of (await open(recorded.filter(({ type }) => decides.has(type)))) as readonly ImageEvent[]) {
        const after = new Set(hashesAfter(event))
        for (const hash of shown.get(event.stream) ?? []) if (!after.has(hash)) lastUses.set(hash, event.at)
        shown.set(event.stream, after)
      }
    },
    inUse,
    /**
     * Returns the blobs that are in use or were so until a time. A stylesheet that is being saved may show an image that was just deleted.
     */
    inUseSince: (since: number): ReadonlySet<BlobHash> =>
      new Set([...inUse(), ...[...lastUses].flatMap(([hash, at]) => (at >= since ? [hash] : []))]),
  }
}

const PAGE_EVENTS = 1_000

type CollectPorts = { readonly events: Pick<EventStore, 'readAll'>; readonly blobs: Pick<Blobs, 'collect'>; readonly open: Codec['open'] }

/** Deletes the blobs that no subsite has shown since a time (milliseconds since 1970), except those stored since then. */
export const collectUnused = async ({ events, blobs, open }: CollectPorts, since: number) => {
  const use = blobUse(open)
  for (
    let after = LOG_START, page = await events.readAll(after, PAGE_EVENTS);
    page.length > 0;
    page = await events.readAll(after, PAGE_EVENTS)
  ) {
    await use.note(page)
    after = page.at(-1)?.position ?? after
  }
  const inUse = use.inUseSince(since)
  return { kept: inUse.size, deleted: await blobs.collect((hash) => inUse.has(hash), since) }
}
