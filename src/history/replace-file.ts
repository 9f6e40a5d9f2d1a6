import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Writes a text into a file, all of it or none. It is on disk when this resolves. */
export const replaceFile = async (file: string, text: string, put: (from: string, to: string) => Promise<void> = rename): Promise<void> => {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const beside = `${file}.${randomBytes(4).toString('hex')}.new`
  try {
    const handle = await open(beside, 'w', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await put(beside, file)
  } finally {
    await rm(beside, { force: true })
  }
}
