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
  /** Make it durable; returns its size and hash. */
  readonly close: () => { readonly bytes: number; readonly sha256: string }
  /** Give it its name, in the place of one that has it. */
  readonly publish: () => void
}

/** A file for its owner alone: most levels give away what others must not read. */
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

/** Make the names in a directory durable. */
export const syncDirectory = (path: string): void => {
  const directory = openSync(path, 'r')
  fsyncSync(directory)
  closeSync(directory)
}

/** Write a small file whole, or not at all. */
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

/** Texts that are compressed at a time, by other threads. */
const IN_FLIGHT = 3

/** Text into a file, each piece compressed by itself: pieces of gzip and of zstd one after another are one file of that kind. */
export const compressedText = (output: OutputFile, compression: Compression) => {
  const pending: Promise<Uint8Array>[] = []
  const writeOldest = async (): Promise<void> => {
    const oldest = await pending[0]
    pending.shift()
    if (oldest) output.write(oldest)
  }
  return {
    write: async (text: string): Promise<void> => {
      const piece = compressed[compression](text)
      piece.catch(() => undefined) // whoever waits for it handles it
      pending.push(piece)
      if (pending.length > IN_FLIGHT) await writeOldest()
    },
    end: async (): Promise<void> => {
      while (pending.length > 0) await writeOldest()
    },
  }
}
