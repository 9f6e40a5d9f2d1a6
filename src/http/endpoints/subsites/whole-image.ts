/** The formats of images. The first bytes of a file decide its format. */
export type ImageFormat = 'png' | 'jpg'

const PNG = Buffer.from('89504e470d0a1a0a', 'hex')
const CHUNK_OVERHEAD = 12 // length, type, checksum

/** Returns the end of the last chunk of a PNG; undefined if it is incomplete. */
const endOfPng = (bytes: Buffer): number | undefined => {
  let at = PNG.length
  while (at + CHUNK_OVERHEAD <= bytes.length) {
    const end = at + CHUNK_OVERHEAD + bytes.readUInt32BE(at)
    if (end > bytes.length) return undefined
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return end
    at = end
  }
  return undefined
}

const START_OF_SCAN = 0xda
const END_OF_IMAGE = 0xd9
/** Tells whether a marker has no length: restarts, start of image and the one without a meaning. */
const isBare = (marker: number) => (marker >= 0xd0 && marker <= 0xd8) || marker === 0x01

/** Returns the next marker in the data of a scan. A zero or a restart after 0xff is data. */
const endOfScan = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(0xff, from); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1] ?? 0
    if (marker !== 0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd7)) return at
  }
  return bytes.length
}

/** Returns the end of a JPEG; undefined if it is incomplete. */
const endOfJpeg = (bytes: Buffer): number | undefined => {
  let at = 2
  while (at + 2 <= bytes.length) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff) return undefined
    if (marker === END_OF_IMAGE) return at + 2
    if (marker === 0xff) at += 1
    else if (isBare(marker)) at += 2
    else {
      if (at + 4 > bytes.length) return undefined
      at += 2 + bytes.readUInt16BE(at + 2)
      if (marker === START_OF_SCAN) at = endOfScan(bytes, at)
    }
  }
  return undefined
}

/** Returns the complete image that a file begins with, without the bytes after its end; undefined for any other file. */
export const imageIn = (bytes: Buffer): Buffer | undefined => {
  const end = bytes.subarray(0, PNG.length).equals(PNG)
    ? endOfPng(bytes)
    : bytes[0] === 0xff && bytes[1] === 0xd8
      ? endOfJpeg(bytes)
      : undefined
  return end === undefined ? undefined : bytes.subarray(0, end)
}
