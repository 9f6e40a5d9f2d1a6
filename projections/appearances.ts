import type { Image, NamedImage } from '../src/domain/images.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, type Touch } from './engine/projection.ts'

/** The look of a subsite, under the subsite's id. There is no document if nothing was ever set. */
export type AppearanceDocument = Document & {
  /** The images that its stylesheet may show. */
  readonly named: readonly NamedImage[]
  readonly header: Image | null
  readonly icon: Image | null
  readonly banner: Image | null
  /** The published stylesheet as a blob. */
  readonly css: string | null
  /** Files of the images that the published stylesheet shows, even if their names have been reused since. */
  readonly shown: readonly string[]
  /** Hashes of erased images. A stylesheet does not show them, even if it was compiled before the erasure. */
  readonly erased: readonly string[]
}

export const appearances = collection<AppearanceDocument>({ name: 'appearances', version: 2, indexes: [] })

const changeAppearance = (id: string, update: (before: AppearanceDocument) => AppearanceDocument): Touch<AppearanceDocument> => ({
  id,
  change: (before = { id, named: [], header: null, icon: null, banner: null, css: null, shown: [], erased: [] }) => update(before),
})

const withNamedImage = (before: readonly NamedImage[], image: NamedImage): readonly NamedImage[] =>
  before.some(({ name }) => name === image.name) ? before.map((one) => (one.name === image.name ? image : one)) : [...before, image]

export const appearancesProjection: Projection<AppearanceDocument> = {
  collection: appearances,
  on: {
    ImageUploaded: ({ data: { subsite, use, name, hash, format, width, height } }) => {
      const image = { hash, format, width, height }
      return [
        changeAppearance(subsite, (before) =>
          use === 'img' ? { ...before, named: withNamedImage(before.named, { name, ...image }) } : { ...before, [use]: image },
        ),
      ]
    },
    ImageDeleted: ({ data: { subsite, use, name } }) => [
      changeAppearance(subsite, (before) =>
        use === 'img' ? { ...before, named: before.named.filter((image) => image.name !== name) } : { ...before, [use]: null },
      ),
    ],
    ImageErased: ({ data: { subsite, hash } }) => [
      changeAppearance(subsite, ({ header, icon, banner, ...before }) => {
        const unless = (image: Image | null) => (image?.hash === hash ? null : image)
        return {
          ...before,
          named: before.named.filter((image) => image.hash !== hash),
          header: unless(header),
          icon: unless(icon),
          banner: unless(banner),
          shown: before.shown.filter((file) => !file.startsWith(hash)),
          erased: [...before.erased, hash],
        }
      }),
    ],
    StylesheetSaved: ({ data: { subsite, css, images } }) => [
      changeAppearance(subsite, (before) => ({
        ...before,
        css,
        shown: images.filter((file) => !before.erased.some((hash) => file.startsWith(hash))),
      })),
    ],
  },
}
