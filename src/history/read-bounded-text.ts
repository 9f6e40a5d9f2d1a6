/** Joins the parts of a text of at most so many bytes. Returns undefined if there are more, and stops reading there. */
export const readBoundedText = async (
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
): Promise<string | undefined> => {
  const read: Uint8Array[] = []
  let size = 0
  for await (const part of parts) {
    size += part.length
    if (size > maxBytes) return undefined
    read.push(part)
  }
  return Buffer.concat(read).toString()
}
