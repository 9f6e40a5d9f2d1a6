// Decision 81.

import { MAX_BLOB_BYTES } from '../../../ports/blobs.ts'
import type { Overload } from '../../contract/overload.ts'
import { openFairQueue } from '../../workers/fair-queue.ts'
import { type ImageFormat, imageIn } from './whole-image.ts'

/** Each pixel takes four bytes while an image is decoded; the number of pixels is known before. */
const MAX_IMAGE_PIXELS = 8 * 1024 * 1024
/** The most pixels of a width or a height: each row costs some time, however short it is. */
const MAX_SIDE_PIXELS = 8_192
/** The seconds that one image may take. */
const ENCODING_TIMEOUT_SECONDS = 5

export type EncodedImage = { readonly bytes: Buffer; readonly format: ImageFormat; readonly width: number; readonly height: number }

const inTurn = openFairQueue({ mostWaiting: 32, mostWaitingOfOne: 8 })

/**
 * Loads the library for the first image. One image at a time on one thread: libuv's pool stays free for other work, and no other code
 * decodes images.
 */
const openSharp = async () => {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg'] })
  return sharp
}

let loaded: ReturnType<typeof openSharp> | undefined

/**
 * Decodes and re-encodes an image: pixels only, no metadata, upright. Returns undefined if it is not a complete PNG or JPEG, or too large.
 */
const reencode = async (file: Buffer, format: ImageFormat): Promise<EncodedImage | undefined> => {
  loaded ??= openSharp()
  const sharp = await loaded
  const image = sharp(file, { failOn: 'warning', limitInputPixels: MAX_IMAGE_PIXELS, sequentialRead: true }).timeout({
    seconds: ENCODING_TIMEOUT_SECONDS,
  })
  try {
    const { width, height } = await image.metadata()
    if (Math.max(width, height) > MAX_SIDE_PIXELS) return undefined
    const { data, info } = await (format === 'png'
      ? image.autoOrient().png({ compressionLevel: 9 })
      : image.autoOrient().flatten({ background: '#ffffff' }).jpeg({ quality: 90 })
    ).toBuffer({ resolveWithObject: true })
    return data.length > MAX_BLOB_BYTES ? undefined : { bytes: data, format, width: info.width, height: info.height }
  } catch {
    return undefined // any error means that it is not a valid image within the limits
  }
}

/**
 * Returns an uploaded file as an image of a format; undefined if it cannot be decoded; `busy` or `too-many` if too many wait. Callers take
 * turns.
 */
export const encodeImage = async (file: Buffer, format: ImageFormat): Promise<EncodedImage | undefined | Overload> => {
  const image = imageIn(file)
  return image && inTurn(() => reencode(image, format))
}
