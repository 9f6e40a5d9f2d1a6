import { existsSync, fdatasyncSync, fstatSync, readdirSync, statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { connect } from './connection.ts'
import { type Failure, toFailure } from './protocol.ts'

// The thread that copies the write-ahead log into the file, as far as it goes when that begins, while another thread writes.

export type CopyOutcome = 'copied' | Failure

const DESCRIPTORS = '/dev/fd' // numbers; not on every system

const port = parentPort
if (!port) throw new Error('src/adapters/sqlite/copy-thread.ts runs as a worker thread')
const file: string = workerData
const connection = connect(file, { readOnly: false, cacheMebibytes: 1 })

const isOf = (descriptor: number, { dev, ino }: { readonly dev: number; readonly ino: number }): boolean => {
  try {
    const there = fstatSync(descriptor)
    return there.dev === dev && there.ino === ino
  } catch {
    return false // that of the directory of descriptors, which is closed by now
  }
}

/**
 * A descriptor of the file that the engine has: if one of our own were closed, the system would drop the locks of the engine. The last, and so not that
 * of the thread that writes: the system reports a fault of the disk once to each, and the engine must see it there, else the log would begin anew.
 */
const ownDescriptor = (): number | undefined => {
  if (!existsSync(DESCRIPTORS)) return undefined
  const there = statSync(file)
  return readdirSync(DESCRIPTORS)
    .map(Number)
    .findLast((descriptor) => isOf(descriptor, there))
}

/**
 * The engine does not have the system write the copied pages to the disk while the log goes on: the thread that writes would have to wait for all of
 * them when it copies the last.
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
