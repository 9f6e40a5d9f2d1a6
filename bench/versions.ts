import { execFile } from 'node:child_process'
import { closeSync, cpSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { Misuse } from '../src/cli/data-file.ts'
import type { DataSet, Written } from './data-file.ts'
import type { Replay, Speed } from './replay.ts'
import { type Service, start, untilIdle } from './service.ts'
import { say, toWholeText } from './table.ts'

/** A version of the service: this one, or that in another checkout. Each has a data file of its own, since another may not read it. */
export type Version = { readonly name: string; readonly checkout: string }

export const thisVersion: Version = { name: 'Rostra', checkout: resolve(import.meta.dirname, '..') }
export const otherVersion = (checkout: string): Version => ({ name: 'other', checkout: resolve(checkout) })

const dataFileProgram = join(import.meta.dirname, 'data-file.ts')
const run = promisify(execFile)

/** Runs one step of making a data set with the code of a version. */
const step = async (name: 'write' | 'replay', { checkout }: Version, ...args: readonly string[]) => {
  for (const file of ['history', 'write-log', 'replay'].map((one) => join(checkout, `bench/${one}.ts`)))
    if (!existsSync(file)) throw new Misuse(`--beside: ${file} is missing, so that version cannot make its data file`)
  const { stdout } = await run(process.execPath, [dataFileProgram, name, checkout, ...args])
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
}

const FILE = 'data.db'

const speedInWords = ({ perSecond, perCpuSecond }: Speed) =>
  `${toWholeText(perSecond)}/s (${toWholeText(perCpuSecond)} for each second of processor time)`

/** Writes the log of a data set into a new file. */
export const writeLogOf = async (version: Version, directory: string, dataSet: DataSet): Promise<string> => {
  mkdirSync(directory, { recursive: true })
  const file = join(directory, FILE)
  const { events, seconds }: Written = await step('write', version, file, JSON.stringify(dataSet))
  say(`${version.name}: ${toWholeText(dataSet.links)} links, ${toWholeText(events)} events, written in ${toWholeText(seconds)} s`)
  return file
}

/** Builds all read models of a file that has none. */
export const replayBy = async (version: Version, file: string): Promise<void> => {
  const { folded, projected }: Replay = await step('replay', version, file)
  say(`${version.name}: read, decoded and folded alone: ${speedInWords(folded)}; into all read models: ${speedInWords(projected)}`)
}

export const serve = ({ checkout }: Version, file: string): Promise<Service> =>
  start(join(checkout, 'src/main.ts'), [], {
    PORT: '0',
    LOG_LEVEL: 'warn',
    EVENT_STORE_URL: `sqlite:${file}`,
    DOCUMENT_STORE_URL: `sqlite:${file}`,
  })

/** Makes the data file of a service that has run for a while: with read models, and with a numbered history. */
const make = async (version: Version, directory: string, dataSet: DataSet): Promise<void> => {
  const file = await writeLogOf(version, directory, dataSet)
  await replayBy(version, file)
  const service = await serve(version, file)
  await untilIdle(service)
  await service.stop()
}

/** Copies a data file, and waits until it is on the disk: writing it would slow what is measured next. */
const copy = (from: string, to: string): void => {
  cpSync(from, to, { recursive: true })
  const copied = openSync(join(to, FILE), 'r')
  fsyncSync(copied)
  closeSync(copied)
}

/** A data file that a version may change; where data sets are kept, a copy of the one there, which is made if there is none. */
export const dataFileOf = async (version: Version, dataSet: DataSet, directory: string, kept?: string): Promise<string> => {
  const name = [basename(version.checkout), dataSet.links, ...dataSet.threads, ...(dataSet.shape?.silent ? ['silent'] : [])].join('-')
  const folder = join(directory, name)
  if (kept === undefined) await make(version, folder, dataSet)
  else {
    const there = join(kept, name)
    if (!existsSync(there)) {
      await make(version, `${there}.part`, dataSet)
      renameSync(`${there}.part`, there)
    }
    copy(there, folder)
  }
  return join(folder, FILE)
}
