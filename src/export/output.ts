import { createHash } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { constants, gzip, zstdCompress } from 'node:zlib'

export const compressions = ['gzip', 'zstd', 'none'] as const
export type Compression = (typeof compressions)[number]

/** Appended to the name of a file while it is written. */
export const UNFINISHED = '.unfinished'

/** A file that nobody sees before it is complete and durable. */
export type OutputFile = {
  readonly write: (bytes: Uint8Array) => void
  /** Makes the file durable. Returns its size and hash. */
  readonly close: () => { readonly bytes: number; readonly sha256: string }
  /** Gives the file its name, in the place of one that has it. */
  readonly publish: () => void
}

/** Opens a file for its owner alone: most levels contain data that others must not read. */
export const outputFile = (path: string): OutputFile => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(`${path}${UNFINISHED}`, 'w', 0o600)
  const hash = createHash('sha256')
  let size = 0
  return {
    write: (bytes) => {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
      hash.update(bytes)
      size += bytes.length
    },
    close: () => {
      fsyncSync(file)
      closeSync(file)
      return { bytes: size, sha256: hash.digest('hex') }
    },
    publish: () => renameSync(`${path}${UNFINISHED}`, path),
  }
}

/** Makes the names in a directory durable. */
export const syncDirectory = (path: string): void => {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

/** Writes a small file whole, or not at all. */
export const replaceFile = (path: string, text: string): void => {
  const file = outputFile(path)
  file.write(Buffer.from(text))
  file.close()
  file.publish()
  syncDirectory(dirname(path))
}

const compressed: Readonly<Record<Compression, (text: string) => Promise<Uint8Array>>> = {
  none: async (text) => Buffer.from(text),
  gzip: (text) => new Promise((resolve, reject) => gzip(text, { level: 1 }, (error, bytes) => (error ? reject(error) : resolve(bytes)))),
  zstd: (text) =>
    new Promise((resolve, reject) =>
      zstdCompress(text, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }, (error, bytes) =>
        error ? reject(error) : resolve(bytes),
      ),
    ),
}

export const extensions: Readonly<Record<Compression, string>> = { none: '', gzip: '.gz', zstd: '.zst' }

/** The number of texts that other threads compress at a time. */
const IN_FLIGHT = 3

/** Compresses text into a file, piece by piece. Pieces of gzip and of zstd one after another are one file of that kind. */
export const compressText = (output: OutputFile, compression: Compression) => {
  const pending: Promise<Uint8Array>[] = []
  const writeOldest = async (): Promise<void> => {
    const oldest = await pending[0]
    pending.shift()
    if (oldest) output.write(oldest)
  }
  return {
    write: async (text: string): Promise<void> => {
      const piece = compressed[compression](text)
      piece.catch(() => undefined) // the caller that waits for it handles the fault
      pending.push(piece)
      if (pending.length > IN_FLIGHT) await writeOldest()
    },
    end: async (): Promise<void> => {
      while (pending.length > 0) await writeOldest()
    },
  }
}
