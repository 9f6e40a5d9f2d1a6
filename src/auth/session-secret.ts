import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isNameTaken } from '../ports/faults.ts'

/** Returns the secret beside a data file. It is made at first start and readable by its owner only. */
export const sessionSecretBeside = async (dataFile: string): Promise<string> => {
  const file = `${dataFile}.session-secret`
  await mkdir(dirname(file), { recursive: true })
  try {
    await writeFile(file, `${randomBytes(32).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!isNameTaken(error)) throw error
  }
  return (await readFile(file, 'utf8')).trim()
}
