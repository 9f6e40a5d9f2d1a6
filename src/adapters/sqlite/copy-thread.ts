import { existsSync, fdatasyncSync, fstatSync, readdirSync, statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { useSmallSlabs } from '../../ports/own-bytes.ts'
import { openDataFile } from './connection.ts'
import { type Failure, toFailure } from './protocol.ts'

// Copies the write-ahead log into the file, up to its end when that begins, in a thread of its own while another writes.

export type CopyOutcome = 'copied' | Failure

const DESCRIPTORS = '/dev/fd' // numbers; not on every system

useSmallSlabs()
const port = parentPort
if (!port) throw new Error('src/adapters/sqlite/copy-thread.ts runs as a worker thread')
const file: string = workerData
const connection = openDataFile(file, { readOnly: false, cacheMebibytes: 1 })

const isOf = (descriptor: number, { dev, ino }: { readonly dev: number; readonly ino: number }): boolean => {
  try {
    const directory = fstatSync(descriptor)
    return directory.dev === dev && directory.ino === ino
  } catch {
    return false // a descriptor of the directory itself, which is closed by now
  }
}

/**
 * Returns the engine's descriptor of the file. If one of our own were closed, the system would drop the engine's locks. It is the last one,
 * and so not that of the thread that writes: the system reports a fault of the disk once to each descriptor. The engine must see it on its
 * own, or the log would begin anew.
 */
const ownDescriptor = (): number | undefined => {
  if (!existsSync(DESCRIPTORS)) return undefined
  const stats = statSync(file)
  return readdirSync(DESCRIPTORS)
    .map(Number)
    .findLast((descriptor) => isOf(descriptor, stats))
}

/**
 * Makes the system write the copied pages to the disk, which the engine leaves undone while the log goes on. Otherwise the thread that
 * writes would have to wait for all of them when it copies the last.
 */
const sync = (): void => {
  const descriptor = ownDescriptor()
  if (descriptor !== undefined) fdatasyncSync(descriptor)
}

port.on('message', (message: 'copy' | 'close') => {
  if (message === 'close') {
    connection.close()
    port.close()
    return
  }
  try {
    connection.once(() => connection.rows('PRAGMA wal_checkpoint(PASSIVE)').get())
    sync()
    port.postMessage('copied' satisfies CopyOutcome)
  } catch (error) {
    port.postMessage(toFailure(error) satisfies CopyOutcome)
  }
})
