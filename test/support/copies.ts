import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { start } from '../../src/compose.ts'
import type { Config } from '../../src/config.ts'
import { openLog } from '../../src/operations/logging.ts'
import { type Finished, runCommandWith } from './command.ts'
import { type Caller, callerAt, type TestSite, usualConfig } from './site.ts'
import { temporaryDirectory } from './temporary.ts'

/** Returns the environment in which programs find the stores of a running site. */
export const storesOf = ({ running }: TestSite): Readonly<Record<string, string>> => {
  const { eventStoreUrl, documentStoreUrl } = running.app.config
  return { EVENT_STORE_URL: eventStoreUrl, DOCUMENT_STORE_URL: documentStoreUrl, LOG_LEVEL: 'error' }
}

/** Returns the file for a copy. */
export const copyIn = (t: ExecutionContext): string => join(temporaryDirectory(t), 'rostra.db')

/** A copy of the site of these stores as it was; the file. */
export const makeCopy = async (
  t: ExecutionContext,
  stores: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string> => {
  const file = copyIn(t)
  const { code, stderr }: Finished = await runCommandWith(stores, 'replay', '--into', file, ...args)
  if (code !== 0) throw new Error(stderr)
  return file
}

/** A copy that is served, as to anybody unless it says otherwise. */
export type ServedCopy = Caller & { readonly url: string; readonly stop: () => Promise<void> }

export const serveCopy = async (
  t: ExecutionContext,
  file: string,
  readOnlyAs: NonNullable<Config['readOnlyAs']> = 'anybody',
): Promise<ServedCopy> => {
  const url = `sqlite:${file}`
  const running = await start({ ...usualConfig, eventStoreUrl: url, documentStoreUrl: url, readOnlyAs }, openLog('warn'))
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= running.stop()
    return stopped
  }
  t.teardown(stop)
  return { ...callerAt(running.url), url: running.url, stop }
}
