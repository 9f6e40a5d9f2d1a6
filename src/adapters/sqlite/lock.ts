import { lstatSync, mkdirSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreFault } from '../../ports/faults.ts'
import { isBusy } from './errors.ts'

// A connection that nobody refers to is closed by the garbage collector, and its lock with it.
const held = new Set<DatabaseSync>()

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Where a file really is, or will be once it is made: every path through symbolic links to it is the same file. */
const realPath = (file: string): string => {
  try {
    return realpathSync(file)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const inDirectory = join(realpathSync(dirname(file)), basename(file))
  const isLink = lstatSync(inDirectory, { throwIfNoEntry: false })?.isSymbolicLink()
  return isLink ? realPath(resolve(dirname(inDirectory), readlinkSync(inDirectory))) : inDirectory
}

/**
 * Own the data file: one process at a time, until the function returned is called or the process ends, however it ends.
 * The lock is an open transaction on a file of its own beside the data, so that readers are not kept out.
 */
export const lock = (file: string): (() => void) => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(`${realPath(file)}-lock`, { timeout: 0 })
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
