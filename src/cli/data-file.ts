import { existsSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { configOf, withoutCredentials } from '../config.ts'

/** An error that the operator can correct. It is shown as one line. */
export class Misuse extends Error {}

/** Returns the data file that the environment names; there must be one. */
export const dataFile = (environment: Readonly<Record<string, string | undefined>>): string => {
  const config = configOf(environment, 'work')
  if (E.isLeft(config)) throw new Misuse(config.left)
  const { eventStoreUrl } = config.right
  if (!eventStoreUrl.startsWith('sqlite:'))
    throw new Misuse(`this command works on a data file, but EVENT_STORE_URL is ${withoutCredentials(eventStoreUrl)}`)
  const file = eventStoreUrl.slice('sqlite:'.length)
  if (!existsSync(file)) throw new Misuse(`there is no data file ${file}`)
  return file
}
