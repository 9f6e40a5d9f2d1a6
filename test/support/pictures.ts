import sharp from 'sharp'
import type { Answer, Caller } from './site.ts'

type Size = { readonly width?: number; readonly height?: number; readonly format?: 'png' | 'jpeg' | 'webp' | 'gif' }

/** Draws a picture of one colour. */
export const picture = ({ width = 8, height = 8, format = 'png' }: Size = {}, background = '#804020'): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background } })
    .toFormat(format)
    .toBuffer()

/** Makes a multipart body with these fields and one file. */
export const multipart = async (fields: Readonly<Record<string, string>>, file: Uint8Array | undefined, filename = 'picture') => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  if (file) form.set('file', new Blob([new Uint8Array(file)]), filename)
  const encoded = new Response(form)
  const headers = { 'Content-Type': encoded.headers.get('content-type') ?? '' }
  return { headers, body: new Uint8Array(await encoded.arrayBuffer()) }
}

/** Uploads a file as an image of a subsite. */
export const uploadTo = async (
  by: Caller,
  subsite: string,
  fields: Readonly<Record<string, string>>,
  file: Uint8Array | undefined,
  filename?: string,
): Promise<Answer> => by.request('POST', `/s/${subsite}/api/upload_sr_img`, await multipart(fields, file, filename))
