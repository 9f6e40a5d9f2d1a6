import { Misuse } from './data-file.ts'

/** The most bytes of a line: many times those of the largest event. */
const MAX_LINE_BYTES = 4 * 1024 * 1024

const LINE_FEED = 10

/**
 * Yields the lines of a text in UTF-8, without their ends: LF or CRLF. Nothing else ends a line. Texts in JSON may contain U+2028 and
 * U+2029, at which `node:readline` would break. Throws `Misuse` if the bytes are not UTF-8 or a line is too long.
 */
export async function* linesOf(input: AsyncIterable<string | Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let number = 1
  let parts: Uint8Array[] = []
  let waitingBytes = 0

  const hold = (part: Uint8Array): void => {
    waitingBytes += part.length
    if (waitingBytes > MAX_LINE_BYTES) throw new Misuse(`line ${number} is longer than ${MAX_LINE_BYTES} bytes`)
    parts.push(part)
  }

  const line = (): string => {
    const bytes = Buffer.concat(parts)
    parts = []
    waitingBytes = 0
    try {
      const text = decoder.decode(bytes)
      return text.endsWith('\r') ? text.slice(0, -1) : text
    } catch {
      throw new Misuse(`line ${number} is not UTF-8`)
    }
  }

  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    let from = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
      hold(bytes.subarray(from, end))
      yield line()
      number += 1
      from = end + 1
    }
    hold(bytes.subarray(from))
  }
  if (waitingBytes > 0) yield line()
}
