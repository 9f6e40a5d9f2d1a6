import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isMissing, StoreFault } from '../../ports/faults.ts'
import { isBusy } from './errors.ts'

// Keeps connections referenced: the garbage collector closes an unreferenced one, and drops its lock with it.
const referenced = new Set<DatabaseSync>()

/** Returns the real path of a file, or of one that will be created. All paths through symbolic links give the same. */
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
 * Refuses a file with other names. SQLite names its journal after the path, so two names of one file that are no symbolic links would each
 * have their own.
 */
const refuseOtherNames = (file: string): void => {
  const stats = statSync(file, { throwIfNoEntry: false })
  const names = stats?.isFile() ? stats.nlink : 1
  if (names > 1)
    throw new StoreFault(
      'in-use',
      `${file} has ${names} names (hard links), under which others may use the same data without knowing of each other: remove the others, or make a copy of its own and use that`,
    )
}

/**
 * Locks the data file for one process, until the returned function is called or the process ends, however it ends. The lock is an open
 * transaction on a file of its own beside the data, so readers are not kept out.
 */
export const lock = (file: string): (() => void) => {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  refuseOtherNames(file)
  const db = new DatabaseSync(`${realPath(file)}-lock`, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (!isBusy(error)) throw error
    throw new StoreFault('in-use', `${file} is in use by another server; stop that one first`, { cause: error })
  }
  referenced.add(db)
  return () => {
    referenced.delete(db)
    db.close()
  }
}

/** Tells whether some process owns the data file now. */
export const isLocked = (file: string): boolean => {
  const name = `${realPath(file)}-lock`
  if (!existsSync(name)) return false
  const db = new DatabaseSync(name, { timeout: 0, readOnly: true })
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (!isBusy(error)) throw error
    return true
  } finally {
    db.close()
  }
}
