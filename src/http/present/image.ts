import type { Image } from '../../domain/images.ts'

/** Returns the file that an image of a subsite is served as, by its content. */
export const imageFile = ({ hash, format }: Pick<Image, 'hash' | 'format'>): string => `${hash}.${format}`

/** Returns the address at which a subsite serves the file of an image. `base` is that of absolute addresses. */
const fileAddress = (base: string, subsite: string, file: string): string => `${base}/s/${subsite}/images/${file}`

export const imageAddress = (base: string, subsite: string, image: Pick<Image, 'hash' | 'format'>): string =>
  fileAddress(base, subsite, imageFile(image))
