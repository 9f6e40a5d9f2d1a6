import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Blobs, blobHash, isBlobHash, MAX_BLOB_BYTES } from '../../ports/blobs.ts'
import { isMissing, StoreFault } from '../../ports/faults.ts'

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

const faultOf = (error: unknown): unknown => {
  const code = codeOf(error)
  return code === 'ENOSPC' || code === 'EDQUOT' ? new StoreFault('full', 'no space is left for images', { cause: error }) : error
}

const useAndSync = async (path: string, flags: string, use: (file: FileHandle) => Promise<unknown>): Promise<void> => {
  const file = await open(path, flags, 0o600)
  try {
    await use(file)
    await file.sync()
  } finally {
    await file.close()
  }
}

const doNothing = async () => undefined

const unlessMissing =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (isMissing(error)) return fallback
    throw error
  }

/** Sets the time of a file to now, so that it is not deleted. Returns false if it does not exist. */
const renewTime = (path: string): Promise<boolean> => {
  const now = new Date()
  return utimes(path, now, now).then(() => true, unlessMissing(false))
}

/** Returns the time when a file was last written or put again, in milliseconds since 1970. */
const readWantedTime = async (path: string): Promise<number> => (await stat(path)).mtimeMs

const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder).catch(unlessMissing([]))

const ASIDE = '.aside'

/**
 * Deletes a file that was not put since a time. It is renamed first: a later put then writes it anew, and a put just before the renaming
 * has set its time.
 */
const deleteUnlessWanted = async (path: string, before: number): Promise<boolean> => {
  if ((await readWantedTime(path)) >= before) return false
  const aside = path.endsWith(ASIDE) ? path : `${path}${ASIDE}`
  await rename(path, aside)
  if ((await readWantedTime(aside)) >= before) {
    await rename(aside, aside.slice(0, -ASIDE.length))
    return false
  }
  await rm(aside)
  return true
}

/** Keeps blobs as files of one directory, in subdirectories by the first two digits of their hash. */
export const diskBlobs = (directory: string): Blobs => {
  const pathOf = (hash: string) => join(directory, hash.slice(0, 2), hash)

  /** Writes under another name first, so that a file of this name is always complete. */
  const write = async (path: string, bytes: Uint8Array): Promise<void> => {
    const folder = dirname(path)
    const beginning = join(folder, `${randomUUID()}.part`)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    try {
      await useAndSync(beginning, 'wx', (file) => file.writeFile(bytes))
      await rename(beginning, path)
    } catch (error) {
      await rm(beginning, { force: true })
      throw faultOf(error)
    }
    for (const changed of [folder, directory, dirname(directory)]) await useAndSync(changed, 'r', doNothing)
  }

  return {
    put: async (bytes) => {
      if (bytes.length > MAX_BLOB_BYTES)
        throw new StoreFault('too-large', `a blob has ${bytes.length} bytes; ${MAX_BLOB_BYTES} are allowed`)
      const hash = blobHash(bytes)
      const path = pathOf(hash)
      if (!(await renewTime(path))) await write(path, bytes)
      return hash
    },
    get: async (hash) => {
      if (!isBlobHash(hash)) return undefined
      const bytes = await readFile(pathOf(hash)).catch(unlessMissing(undefined))
      if (bytes && blobHash(bytes) !== hash) throw new StoreFault('damaged', `the blob ${hash} is damaged: its bytes do not match its hash`)
      return bytes
    },
    delete: async (hash) => {
      if (!isBlobHash(hash)) return
      for (const path of [pathOf(hash), `${pathOf(hash)}${ASIDE}`]) await rm(path, { force: true })
    },
    collect: async (isKept, before) => {
      let deleted = 0
      for (const folder of (await namesIn(directory)).filter((name) => /^[0-9a-f]{2}$/.test(name)))
        for (const name of await namesIn(join(directory, folder))) {
          const [hash = '', broken] = name.split('.')
          if (isBlobHash(hash) && broken === undefined && isKept(hash)) continue
          if ((await deleteUnlessWanted(join(directory, folder, name), before)) && isBlobHash(hash)) deleted += 1
        }
      return deleted
    },
  }
}
