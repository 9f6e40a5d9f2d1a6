import { readFile } from 'node:fs/promises'
import { isMissing } from '../ports/faults.ts'

/** Returns the text in a file; undefined if there is no such file. */
export const readIfExists = (file: string): Promise<string | undefined> =>
  readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return undefined
    throw error
  })
