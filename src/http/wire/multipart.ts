// Decision 17.

import type { Body, Upload } from '../contract/incoming.ts'

/** The most parts of one body: as many fields as a form may have, and a file. */
const MAX_PARTS = 1001
/** The most bytes of the heads of all parts together; each has some hundred. */
const MAX_HEAD_BYTES = 128 * 1024
/** Matches a separator of at most 70 characters (RFC 2046). Searching a body full of near matches for a long one takes minutes. */
const boundaryPattern = /^[ !#-[\]-~]{1,70}$/

const CRLF = '\r\n'
const END_OF_HEAD = '\r\n\r\n'

const boundaryIn = (type: string): string | undefined => {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? []
  const boundary = quoted ?? bare ?? ''
  return boundaryPattern.test(boundary) ? boundary : undefined
}

/** Tells whether a body has more parts, or longer heads, than can be parsed quickly. */
const hasTooMany = (bytes: Buffer, boundary: string): boolean => {
  const delimiter = `--${boundary}`
  let parts = 0
  let heads = 0
  for (let at = bytes.indexOf(delimiter); at >= 0; parts += 1) {
    const end = bytes.indexOf(END_OF_HEAD, at)
    heads += (end < 0 ? bytes.length : end) - at
    if (parts > MAX_PARTS || heads > MAX_HEAD_BYTES) return true
    at = end < 0 ? -1 : bytes.indexOf(CRLF + delimiter, end)
  }
  return false
}

export type Multipart = Body | 'broken' | 'too-large'

/**
 * Parses the fields and the file of the upload in a multipart body. Every other file is dropped. `most` bounds the bytes of all fields
 * together.
 */
export const parseMultipart = async (type: string, bytes: Buffer, upload: Upload | undefined, most: number): Promise<Multipart> => {
  const boundary = boundaryIn(type)
  if (boundary === undefined) return 'broken'
  if (hasTooMany(bytes, boundary)) return 'too-large'
  // names the separator that was checked, whatever else the type may contain
  const headers = { 'Content-Type': `multipart/form-data; boundary="${boundary}"` }
  const form = await new Response(new Uint8Array(bytes), { headers }).formData().catch(() => undefined)
  if (form === undefined) return 'broken'
  const fields = Object.create(null) as Record<string, string>
  let characters = 0
  let file: File | undefined
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      fields[name] = value.toWellFormed()
      characters += name.length + value.length
    } else if (name === upload?.field) file ??= value
  }
  if (characters > most || (file && upload && file.size > upload.most)) return 'too-large'
  return { fields, text: undefined, ...(file && { file: Buffer.from(await file.arrayBuffer()) }) }
}
