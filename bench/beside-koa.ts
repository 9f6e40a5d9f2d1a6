import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Comparison, compare, type Effort, type Side } from './compare.ts'
import type { Asked } from './load.ts'
import type { Measure } from './measures.ts'
import { type Service, start } from './service.ts'
import { milliseconds, ratio, say, toTable, toWholeText } from './table.ts'

const bareKoa = new URL('bare-koa.ts', import.meta.url).pathname

/** Returns the bytes that bare Koa sends. */
const bytesOf = async (url: string, ask: Asked): Promise<Buffer> => {
  if (ask.form !== undefined) return Buffer.from('{}')
  return Buffer.from(await (await fetch(`${url}${ask.path}`, { headers: ask.headers })).arrayBuffer())
}

const sizeOf = (bytes: number) => (bytes < 1024 ? `${bytes} B` : `${toWholeText(bytes / 1024)} KiB`)

/** Returns the thousands of bytes that each side wrote. */
const writtenInWords = (...sides: readonly Side[]): string =>
  sides.some(({ written: bytes }) => bytes !== undefined)
    ? `${sides.map(({ written: bytes = 0 }) => (bytes / 1_000).toFixed(1)).join(' / ')} KB`
    : ''

const row = ({ name, bar }: Measure, bytes: number, { bare, ours, ratio: of }: Comparison, isVersion: boolean): readonly string[] => [
  name,
  sizeOf(bytes),
  toWholeText(bare.perSecond),
  toWholeText(ours.perSecond),
  ratio(of.all),
  `${ratio(of.lowest)}-${ratio(of.highest)}`,
  bar === undefined || isVersion ? '' : `${ratio(bar)} ${of.all >= bar ? 'met' : 'missed'}`,
  `${toWholeText(bare.cpu)} / ${toWholeText(ours.cpu)} µs`,
  `${milliseconds(bare.p50)} / ${milliseconds(ours.p50)}`,
  `${milliseconds(bare.p99)} / ${milliseconds(ours.p99)}`,
  `${(bare.p99 / bare.p50).toFixed(1)} / ${(ours.p99 / ours.p50).toFixed(1)}`,
  `${toWholeText(bare.loopDelay)} / ${toWholeText(ours.loopDelay)} ms`,
  writtenInWords(bare, ours),
]

const headOf = (bare: string): readonly string[] =>
  `what|answer|${bare} /s|Rostra /s|ratio|of rounds|bar|CPU each|median|p99|p99 of median|loop delay p99|written each`.split('|')

export type Wanted = {
  readonly effort: Effort
  /** The text that names of measures must contain; empty for all. */
  readonly only: string
  /** The directory for temporary files. */
  readonly directory: string
}

export const isWanted = (name: string, only: string): boolean => name.includes(only)

/** Another version of the service, which takes the place of bare Koa: the same measures of it. */
export type Other = { readonly service: Service; readonly measures: readonly Measure[] }

/** Prints the table; what it compared, by name. */
export const besideKoa = async (
  service: Service,
  measures: readonly Measure[],
  { effort, only, directory }: Wanted,
  other?: Other,
): Promise<ReadonlyMap<string, Comparison>> => {
  const compared = new Map<string, Comparison>()
  const rows: (readonly string[])[] = []
  for (const measure of measures) {
    const { name, ask, writes = false, connections = effort.connections } = measure
    const bareAsk = other?.measures.find((one) => one.name === name)?.ask ?? measure.bareAsk ?? ask
    if (!isWanted(name, only)) continue
    const bytes = await bytesOf(service.url, typeof ask === 'function' ? ask() : ask)
    const body = join(directory, 'body')
    writeFileSync(body, bytes)
    const bare = other?.service ?? (await start(bareKoa, [body], {}))
    const comparison = await compare(bare, service, { ask, bareAsk, writes }, { ...effort, connections })
    compared.set(name, comparison)
    rows.push(row(measure, bytes.length, comparison, other !== undefined))
    if (!other) await bare.stop()
    process.stderr.write(`${rows.at(-1)?.join('  ')}\n`)
  }
  if (rows.length === 0) return compared
  say(`\n${toTable(headOf(other ? 'other' : 'bare'), rows)}\n`)
  say(
    `of rounds: the ratio of the worst and of the best round; CPU each: processor time for one request, of all threads, ${other ? 'the other version' : 'bare Koa'} /`,
  )
  say('Rostra, as in the columns to its right, of which p99 and loop delay are of the worst round; written: to the disk, in 1,000 bytes')
  return compared
}
