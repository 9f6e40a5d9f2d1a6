import { lstatSync, mkdirSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreFault } from '../../ports/faults.ts'
import { isBusy } from './errors.ts'

// An unreferenced connection is closed by the garbage collector, and its lock with it.
const held = new Set<DatabaseSync>()

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** The real path of a file, or of one that will be created: all paths through symbolic links give the same. */
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

/** SQLite names its journal after the path, so that two names of one file that are no symbolic links would each have their own. */
const refuseOtherNames = (file: string): void => {
  const there = statSync(file, { throwIfNoEntry: false })
  const names = there?.isFile() ? there.nlink : 1
  if (names > 1)
    throw new StoreFault(
      'in-use',
      `${file} has ${names} names (hard links), under which others may use the same data without knowing of each other: remove the others, or make a copy of its own and use that`,
    )
}

/**
 * Own the data file: one process at a time, until the function returned is called or the process ends, however it ends.
 * The lock is an open transaction on a file of its own beside the data, so that readers are not kept out.
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
  held.add(db)
  return () => {
    held.delete(db)
    db.close()
  }
}
