import type { Logged } from '../domain/events.ts'
import type { SubsiteId } from '../domain/ids.ts'
import { eraseImage, Images } from '../domain/images.ts'
import { Stylesheet } from '../domain/stylesheet.ts'
import type { Blobs } from '../ports/blobs.ts'
import { followUp } from '../runtime/command.ts'
import type { Consequence, Ports, Reactions } from './reaction.ts'

type Erasure = Logged<'ImageErased'>

/** Whether a subsite had the image before it was erased elsewhere. One that uploads it later may show it. */
const hadBefore = async ({ history }: Ports, { data: { hash }, position }: Erasure, subsite: SubsiteId): Promise<boolean> => {
  const images = await history(`${Images.category}-${subsite}`, 0, position)
  if (images.some((event) => event.type === 'ImageUploaded' && event.data.hash === hash)) return true
  const saved = (await history(`${Stylesheet.category}-${subsite}`, 0, position)).at(-1)
  return saved?.type === 'StylesheetSaved' && saved.data.images.some((file) => file.startsWith(hash))
}

/** Other subsites may have uploaded the same file: it is erased there as well, and then its bytes are deleted. */
const eraseEverywhere =
  (event: Erasure): Consequence =>
  async (ports) => {
    const { run, subsitesShowing, deleteBlob } = ports
    const { hash, reason } = event.data
    const erasedIn = new Set([event.data.subsite])
    for (const { subsite, inStylesheet } of await subsitesShowing(hash, event.position)) {
      if (!(await hadBefore(ports, event, subsite))) continue
      erasedIn.add(subsite)
      await run(Images, subsite, eraseImage(subsite, hash, inStylesheet, reason), followUp(event, `erase in ${subsite}`, event.by))
    }
    await deleteBlob(hash, async () => (await subsitesShowing(hash, event.position)).some(({ subsite }) => !erasedIn.has(subsite)))
  }

/** Deletes bytes unless something shows them, also if it came while they were deleted. */
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
