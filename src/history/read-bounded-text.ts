/** Returns the text that comes in parts, which are read no further than so many bytes; undefined if there are more. */
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
