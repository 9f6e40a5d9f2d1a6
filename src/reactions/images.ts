import type { Logged } from '../domain/events.ts'
import { eraseImage, Images } from '../domain/images.ts'
import { followUp } from '../runtime/command.ts'
import type { Consequence, Reactions } from './reaction.ts'

/** Other subsites may have uploaded the same file: it is erased there as well, and then its bytes are deleted. */
const eraseEverywhere =
  (event: Logged<'ImageErased'>): Consequence =>
  async ({ run, subsitesShowing, deleteBlob }) => {
    const { hash, reason } = event.data
    for (const { subsite, inStylesheet } of await subsitesShowing(hash, event.position))
      await run(Images, subsite, eraseImage(subsite, hash, inStylesheet, reason), followUp(event, `erase in ${subsite}`, event.by))
    await deleteBlob(hash)
  }

/** An erased image is deleted wherever it is shown. */
export const images: Reactions = { ImageErased: (event) => [eraseEverywhere(event)] }
