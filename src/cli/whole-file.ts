import { open, rename, rm } from 'node:fs/promises'

const CHUNK_CHARACTERS = 64 * 1024

/**
 * Runs a program that writes a file for its owner alone. The file gets its name once it is whole and on disk. An interrupted one is
 * removed.
 */
export const writeWhole = async <T>(file: string, work: (write: (text: string) => Promise<void>) => Promise<T>): Promise<T> => {
  const part = `${file}.part`
  await rm(part, { force: true })
  const handle = await open(part, 'wx', 0o600)
  let chunk = ''
  const flush = async () => {
    await handle.writeFile(chunk)
    chunk = ''
  }
  try {
    const result = await work(async (text) => {
      chunk += text
      if (chunk.length >= CHUNK_CHARACTERS) await flush()
    })
    await flush()
    await handle.sync()
    await rename(part, file)
    return result
  } finally {
    await handle.close()
    await rm(part, { force: true })
  }
}
