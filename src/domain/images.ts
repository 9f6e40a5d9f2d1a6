import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, recordCodec } from './event.ts'
import { SubsiteId } from './ids.ts'

/** The use of an image: `img` is a stylesheet image, referred to by name. */
export const imageUses = ['img', 'header', 'icon', 'banner'] as const
export type ImageUse = (typeof imageUses)[number]

const Use = t.keyof({ img: null, header: null, icon: null, banner: null })
const Format = t.keyof({ png: null, jpg: null })

/** The most named images of one subsite; admins may exceed it. */
export const MAX_IMAGES_PER_SUBSITE = 50
/** The most bytes of an uploaded file. */
export const MAX_IMAGE_BYTES = 500 * 1024

const subsite = field(SubsiteId, 'The subsite.', 'public')
const place = {
  use: field(Use, 'What it is for; `img`: the stylesheet.', 'public'),
  name: field(t.string, 'The name by which the stylesheet shows it; empty for other uses.', 'public'),
}
const hash = field(t.string, 'The SHA-256 of its bytes, in hexadecimal.', 'subsite')

export const ImageUploaded = event(
  'ImageUploaded',
  'A moderator gave a subsite an image, or another one in its place.',
  {
    subsite,
    ...place,
    hash,
    format: field(Format, 'Its format.', 'public'),
    width: field(t.number, 'Its width.', 'public', { unit: 'pixels' }),
    height: field(t.number, 'Its height.', 'public', { unit: 'pixels' }),
    bytes: field(t.number, 'The size of its file.', 'subsite', { unit: 'bytes' }),
    before: field(
      optional(t.union([t.string, t.null])),
      'The SHA-256 of the image that it replaced; null: none. Earlier versions did not record it.',
      'subsite',
    ),
  },
  { by: 'public' },
)
export const ImageDeleted = event(
  'ImageDeleted',
  'A moderator took away an image of a subsite.',
  { subsite, ...place, hash },
  { by: 'public' },
)
export const ImageErased = event(
  'ImageErased',
  'An admin erased an image of a subsite for good: nothing there shows it any more, and its bytes are deleted.',
  {
    subsite,
    hash,
    images: field(t.readonlyArray(recordCodec('ImagePlace', place)), 'What it was; none: only the stylesheet showed it.', 'subsite'),
    reason: field(t.string, 'Why; not sealed, since it is public for good.', 'public'),
  },
  { by: 'public' },
)
export const imagesEvents = [ImageUploaded, ImageDeleted, ImageErased] as const
export type ImagesEvent = OneOf<typeof imagesEvents>

/** A stored image. */
export type Image = { readonly hash: string; readonly format: 'png' | 'jpg'; readonly width: number; readonly height: number }
export type NamedImage = Image & { readonly name: string }

/** The images of a subsite, on `images-<subsite>`. */
export type Images = {
  readonly named: readonly NamedImage[]
  readonly header?: Image | undefined
  readonly icon?: Image | undefined
  readonly banner?: Image | undefined
  /** Hashes of images that may not be uploaded again. */
  readonly erased?: readonly string[]
}

const none: Images = { named: [] }

/** Replaces an image or appends a new one. The others keep their order. */
const putNamed = (named: readonly NamedImage[], image: NamedImage): readonly NamedImage[] =>
  named.some(({ name }) => name === image.name) ? named.map((one) => (one.name === image.name ? image : one)) : [...named, image]

export const Images: Aggregate<Images, ImagesEvent> = {
  category: 'images',
  subsiteOf: (id) => id,
  on: {
    ImageUploaded: (images = none, { use, name, hash, format, width, height }) => {
      const image = { hash, format, width, height }
      return use === 'img' ? { ...images, named: putNamed(images.named, { name, ...image }) } : { ...images, [use]: image }
    },
    ImageDeleted: (images = none, { use, name }) => {
      if (use === 'img') return { ...images, named: images.named.filter((image) => image.name !== name) }
      const { [use]: _, ...others } = images
      return others
    },
    ImageErased: (images = none, { hash, images: emptied }) => {
      const slots = Object.fromEntries(emptied.flatMap(({ use }) => (use === 'img' ? [] : [[use, undefined]])))
      return { ...images, ...slots, named: images.named.filter((image) => image.hash !== hash), erased: [...(images.erased ?? []), hash] }
    },
  },
}

export const isImageName = (name: string): boolean => /^[A-Za-z0-9-]{1,100}$/.test(name)

/** Tells whether an image is ten wide and three high. */
const isBannerShape = (width: number, height: number) => Math.abs(width / height - 10 / 3) <= 0.01

const fits = (use: ImageUse, { width, height }: Image): boolean => {
  if (use === 'icon') return width === 256 && height === 256
  if (use !== 'banner') return true
  return isBannerShape(width, height) && width >= 640 && height >= 192 && width <= 1280 && height <= 384
}

type Upload = { readonly use: ImageUse; readonly name: string; readonly image: Image; readonly bytes: number }

const imageAt = (images: Images, use: ImageUse, name: string): Image | undefined =>
  use === 'img' ? images.named.find((one) => one.name === name) : images[use]

/** Puts an image into its slot at once. An `img` replaces the one of its name or is added. `admin` allows any number of images. */
export const uploadImage =
  (subsite: SubsiteId, { admin }: { readonly admin: boolean }, { use, name, image, bytes }: Upload): Decide<Images, ImagesEvent> =>
  (images = none) => {
    if (use === 'img' && !isImageName(name)) return refuse('BAD_CSS_NAME', 'name')
    if (!fits(use, image)) return refuse('IMAGE_ERROR', 'file')
    if (images.erased?.includes(image.hash)) return refuse('THING_ERASED', 'file')
    const former = imageAt(images, use, name)
    if (use === 'img' && !former && images.named.length >= MAX_IMAGES_PER_SUBSITE && !admin) return refuse('IMAGE_ERROR', 'file')
    return decideEvents(ImageUploaded({ subsite, use, name: use === 'img' ? name : '', ...image, bytes, before: former?.hash ?? null }))
  }

/** Empties a slot. A missing image counts as deleted. */
export const deleteImage =
  (subsite: SubsiteId, use: ImageUse, name = ''): Decide<Images, ImagesEvent> =>
  (images = none) => {
    const image = imageAt(images, use, name)
    return image ? decideEvents(ImageDeleted({ subsite, use, name, hash: image.hash })) : noEvents
  }

/** Tells whether a subsite uses an image for any purpose. */
export const hasImage = (images: Images | undefined, hash: string): boolean => images !== undefined && slotsOf(images, hash).length > 0

const slotsOf = (images: Images, hash: string) => [
  ...images.named.filter((image) => image.hash === hash).map(({ name }) => ({ use: 'img', name }) as const),
  ...(['header', 'icon', 'banner'] as const).filter((use) => images[use]?.hash === hash).map((use) => ({ use, name: '' }) as const),
]

/** Erases an image. `isInStylesheet` is true if the published stylesheet shows it, even if no name refers to it any more. */
export const eraseImage =
  (subsite: SubsiteId, hash: string, isInStylesheet: boolean, reason: string): Decide<Images, ImagesEvent> =>
  (state = none) => {
    if (state.erased?.includes(hash)) return noEvents
    const images = slotsOf(state, hash)
    return images.length > 0 || isInStylesheet ? decideEvents(ImageErased({ subsite, hash, images, reason })) : refuse('NOT_FOUND', 'file')
  }
