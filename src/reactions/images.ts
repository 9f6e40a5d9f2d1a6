// Decision 109.

import { positionAtMost } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { eraseImage, Images } from '../domain/images.ts'
import { Stylesheet } from '../domain/stylesheet.ts'
import type { Blobs } from '../ports/blobs.ts'
import { followUp } from '../runtime/command.ts'
import type { Consequence, Ports, Reactions } from './reaction.ts'

type Erasure = Stored<'ImageErased'>

/** Tells whether a subsite had the image before it was erased elsewhere. A subsite that uploads it later may show it. */
const hadBefore = async ({ historyBefore }: Ports, erasure: Erasure, subsite: SubsiteId): Promise<boolean> => {
  const { hash } = erasure.data
  const images = await historyBefore(erasure, `${Images.category}-${subsite}`)
  if (images.some((event) => event.type === 'ImageUploaded' && event.data.hash === hash)) return true
  const saved = (await historyBefore(erasure, `${Stylesheet.category}-${subsite}`)).at(-1)
  return saved?.type === 'StylesheetSaved' && saved.data.images.some((file) => file.startsWith(hash))
}

/** Erases the same file in other subsites that uploaded it, and then deletes its bytes. */
const eraseEverywhere =
  (event: Erasure): Consequence =>
  async (ports) => {
    const { run, subsitesShowing, deleteBlob } = ports
    const { hash, reason } = event.data
    const at = positionAtMost(event)
    const erasedIn = new Set([event.data.subsite])
    for (const { subsite, inStylesheet } of await subsitesShowing(hash, at)) {
      if (!(await hadBefore(ports, event, subsite))) continue
      erasedIn.add(subsite)
      await run(Images, subsite, eraseImage(subsite, hash, inStylesheet, reason), followUp(event, `erase in ${subsite}`, event.by))
    }
    await deleteBlob(hash, async () => (await subsitesShowing(hash, at)).some(({ subsite }) => !erasedIn.has(subsite)))
  }

/** Deletes bytes unless something shows them, also something that came while they were deleted. */
export const deleteUnlessShown =
  (blobs: Pick<Blobs, 'get' | 'put' | 'delete'>): Ports['deleteBlob'] =>
  async (hash, isShown) => {
    if (await isShown()) return
    const bytes = await blobs.get(hash)
    await blobs.delete(hash)
    if (bytes && (await isShown())) await blobs.put(bytes)
  }

/** An erased image is deleted wherever it is shown. */
export const images: Reactions = { ImageErased: (event) => [eraseEverywhere(event)] }
