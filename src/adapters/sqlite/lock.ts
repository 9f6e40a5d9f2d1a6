import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreFault } from '../../ports/faults.ts'
import { isBusy } from './errors.ts'

// A connection that nobody refers to is closed by the garbage collector, and its lock with it.
const held = new Set<DatabaseSync>()

/**
 * Own the data file: one process at a time, until the function returned is called or the process ends, however it ends.
 * The lock is an open transaction on a file of its own beside the data, so that readers are not kept out.
 */
export const lock = (file: string): (() => void) => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(`${file}-lock`, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!isBusy(error)) throw error
    throw new StoreFault('in-use', `${file} is in use by another server; stop that one first`, { cause: error })
  }
  held.add(db)
  return () => {
    held.delete(db)
    db.close()
  }
}
