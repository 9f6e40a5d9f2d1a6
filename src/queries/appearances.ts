import { appearances } from '../../projections/appearances.ts'
import type { SubsiteId } from '../domain/ids.ts'
import type { DocumentStore } from '../ports/documents.ts'

const APPEARANCES_PER_READ = 200

/** Returns the subsites that show an image, in a slot or under a name, or in their published stylesheet. */
export const subsitesShowing = async (documents: Pick<DocumentStore, 'walk'>, hash: string) => {
  const found: { readonly subsite: SubsiteId; readonly inStylesheet: boolean }[] = []
  for (let after: string | undefined; ; ) {
    const page = await documents.walk(appearances, after, APPEARANCES_PER_READ)
    for (const { id, named, header, icon, banner, shown } of page) {
      const inStylesheet = shown.some((file) => file.startsWith(hash))
      if (inStylesheet || [...named, header, icon, banner].some((image) => image?.hash === hash)) found.push({ subsite: id, inStylesheet })
    }
    after = page.at(-1)?.id
    if (page.length < APPEARANCES_PER_READ) return found
  }
}
