import type { Body, Upload } from './incoming.ts'

/** Parts of one body: as many fields as a form may have, and a file. */
const MOST_PARTS = 1001
/** Lines of the heads of all parts together; each part has some three. */
const MOST_HEAD_LINES = 5_000

const CRLF = '\r\n'
const END_OF_HEAD = '\r\n\r\n'

const boundaryIn = (type: string): string | undefined => {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type) ?? []
  return quoted ?? bare
}

/** Whether a body has more parts, or more lines in their heads, than can be parsed quickly. */
const hasTooMany = (bytes: Buffer, boundary: string): boolean => {
  const delimiter = `--${boundary}`
  let parts = 0
  let lines = 0
  for (let at = bytes.indexOf(delimiter); at >= 0; parts += 1) {
    const end = bytes.indexOf(END_OF_HEAD, at)
    for (let line = at; line >= 0 && line < end; lines += 1) {
      line = bytes.indexOf(CRLF, line + 1)
      if (lines > MOST_HEAD_LINES) return true
    }
    if (parts > MOST_PARTS) return true
    at = end < 0 ? -1 : bytes.indexOf(CRLF + delimiter, end)
  }
  return false
}

export type Multipart = Body | 'broken' | 'too-large'

/** Fields and the file of the upload in a multipart body; every other file is dropped. `most`: bytes of all fields together. */
export const parseMultipart = async (type: string, bytes: Buffer, upload: Upload | undefined, most: number): Promise<Multipart> => {
  const boundary = boundaryIn(type)
  if (boundary === undefined) return 'broken'
  if (hasTooMany(bytes, boundary)) return 'too-large'
  const form = await new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } }).formData().catch(() => undefined)
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
