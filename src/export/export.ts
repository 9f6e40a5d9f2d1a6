import { hash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { schemaOf } from '../domain/event.ts'
import { eventDefinitions } from '../domain/events.ts'
import type { NumberedEvents } from '../history/numbered-events.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { envelopeColumns, listColumns, tableColumns } from './columns.ts'
import { columnsAt, type Exporting, type Numbered } from './levels.ts'
import {
  type Choice,
  EXPORT_VERSION,
  MANIFEST,
  type Manifest,
  manifestOf,
  type PartEntry,
  readManifest,
  type TableEntry,
  writeManifest,
} from './manifest.ts'
import { replaceFile, syncDirectory, UNFINISHED } from './output.ts'
import { beginPart, type ExportPart } from './parts.ts'
import { type Bound, findReadingPlace, LOG_BEGIN, pagesUntil, type ReadingPlace } from './reading.ts'
import { columnsOfTable, tables as readModels } from './tables.ts'

/**
 * The number of events that completes a part. A part with fewer than `few` is written anew with the following events, so that not every run
 * leaves a file.
 */
export const PART_EVENTS = { most: 500_000, few: 5_000 } as const

/** Thrown for a directory that an export cannot be added to. */
export class UnfitDirectory extends Error {}

export type ExportPlan = {
  readonly directory: string
  readonly choice: Choice
  readonly exporting: Exporting
  readonly isWanted: (recorded: RecordedEvent) => boolean
  readonly from: Bound | undefined
  readonly until: Bound | undefined
  readonly partEvents: { readonly most: number; readonly few: number }
}

export type ExportedLog = {
  readonly events: Pick<EventStore, 'readAll'>
  /** Returns the position up to which it is read now. */
  readonly end: () => Promise<Position>
  /** Present if a history is kept. */
  readonly numbered: NumberedEvents | undefined
}

export type ReportProgress = (reached: Position, end: Position) => void

const choicesAlike = (one: Choice, other: Choice): boolean => JSON.stringify(one) === JSON.stringify(other)

const schemas: Manifest['schemas'] = Object.fromEntries([...eventDefinitions].map(([type, definition]) => [type, schemaOf(definition)]))

/** Returns a mark of an event for a manifest that everybody may read. */
const mark = ({ id, position }: RecordedEvent): string => hash('sha256', `${position} ${id}`)

/** Returns the manifest of a directory that may be added to; undefined if there is no export yet. It writes nothing. */
export const manifestToAddTo = ({ directory, choice }: Pick<ExportPlan, 'directory' | 'choice'>): Manifest | undefined => {
  const manifest = readManifest(directory)
  if (manifest === null) throw new UnfitDirectory(`${directory}/${MANIFEST} is not that of an export`)
  if (manifest === undefined) {
    const others = existsSync(directory) ? readdirSync(directory).filter((name) => !name.startsWith(MANIFEST)) : []
    if (others.length > 0) throw new UnfitDirectory(`${directory} is not empty, and holds no export`)
    return undefined
  }
  if (manifest.version !== EXPORT_VERSION)
    throw new UnfitDirectory(`${directory} holds an export of an earlier version, whose columns have other names: take another directory`)
  if (!choicesAlike(manifest.choice, choice))
    throw new UnfitDirectory(
      `${directory} holds an export with other options: ${JSON.stringify(manifest.choice)}. Take them, or another directory`,
    )
  return manifest
}

type WrittenPart = Pick<PartEntry, 'files'>

const namesOf = (entries: readonly WrittenPart[]): ReadonlySet<string> =>
  new Set(entries.flatMap(({ files }) => files.map(({ name }) => name)))

const manifestIn = (plan: ExportPlan): Manifest => {
  const { directory, choice } = plan
  const manifest = manifestToAddTo(plan)
  const lost = [...namesOf(manifest?.parts ?? [])].find((name) => !existsSync(join(directory, name)))
  if (lost !== undefined)
    throw new UnfitDirectory(`${directory} lacks ${lost}, which its manifest names: put it back, or take another directory`)
  if (manifest) return manifest
  mkdirSync(directory, { recursive: true })
  const empty = manifestOf(choice, schemas, [], [])
  writeManifest(directory, empty)
  return empty
}

/** Removes the files of some entries that others do not have. */
const removeOthers = (directory: string, former: readonly WrittenPart[], entries: readonly WrittenPart[]): void => {
  const names = namesOf(entries)
  for (const name of namesOf(former)) if (!names.has(name)) rmSync(join(directory, name))
}

/** Removes the remains of an interrupted export: files that are unfinished, or in no part. */
const removeRest = (directory: string, entries: readonly WrittenPart[]): void => {
  const known = namesOf(entries)
  for (const name of globSync(`**/*${UNFINISHED}`, { cwd: directory })) rmSync(join(directory, name))
  for (const name of globSync('{*,tables/*}/????????????.{ndjson*,parquet}', { cwd: directory }))
    if (!known.has(name)) rmSync(join(directory, name))
}

/** Writes the meanings of all columns beside the tables. */
const describeColumns = ({ directory, choice, exporting }: ExportPlan): void => {
  const tables = [...eventDefinitions.values()].map((definition) => {
    const data = columnsAt(exporting.level, definition)
    return { table: definition.type, columns: choice.format === 'parquet' ? tableColumns(data) : data }
  })
  const models = readModels.filter(({ levels }) => levels.includes(choice.level))
  const all = [
    { table: 'events', columns: envelopeColumns },
    ...tables,
    ...models.map((table) => ({ table: `tables/${table.name}`, columns: columnsOfTable(table, choice.level) })),
  ]
  const lines = all.flatMap(({ table, columns }) =>
    listColumns(columns).map(({ name, type, unit = null, meaning, readers }) => ({ table, column: name, type, unit, meaning, readers })),
  )
  replaceFile(join(directory, 'columns.ndjson'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

export const openExport = async (log: ExportedLog, plan: ExportPlan, progress: ReportProgress) => {
  const { events, numbered, end: endOf } = log
  const { directory, choice, exporting, isWanted, from, until, partEvents } = plan
  const initial = manifestIn(plan)
  let { parts, tables } = initial
  let manifestOnDisk = JSON.stringify(initial)
  removeRest(directory, [...parts, ...tables])
  describeColumns(plan)
  const last = parts.at(-1)
  const [first] = last ? await events.readAll(last.after, 1) : []
  if (last && (first === undefined || mark(first) !== last.begins)) throw new UnfitDirectory(`${directory} holds an export of another log`)

  /** Refuses a directory that was replaced. Files would go into a new one, which lacks everything that was exported before. */
  const refuseReplaced = (): void => {
    if (JSON.stringify(readManifest(directory)) !== manifestOnDisk)
      throw new UnfitDirectory(`${directory} was moved away or changed by another while it was exported into: start again`)
  }

  const save = (next: readonly PartEntry[], nextTables: readonly TableEntry[]) => {
    const manifest = manifestOf(choice, schemas, next, nextTables)
    writeManifest(directory, manifest)
    manifestOnDisk = JSON.stringify(manifest)
    parts = next
    tables = nextTables
  }

  /** Returns the place where the next part begins, and the parts before it. */
  const nextPlace = async (end: Position): Promise<readonly [readonly PartEntry[], ReadingPlace]> => {
    const open = parts.at(-1)
    if (open === undefined) return [[], from ? await findReadingPlace(events, numbered, from, end) : LOG_BEGIN]
    if (open.last - open.first + 1 < partEvents.few) return [parts.slice(0, -1), { after: open.after, n: open.first }]
    return [parts, { after: open.position, n: open.last + 1 }]
  }

  /** Makes the files of a part visible, and then the manifest that names them. */
  const commit = async (before: readonly PartEntry[], entry: Omit<PartEntry, 'files' | 'rows'>, part: ExportPart): Promise<void> => {
    const files = await part.close()
    refuseReplaced()
    part.publish()
    for (const folder of new Set(files.map(({ name }) => dirname(name)))) syncDirectory(join(directory, folder))
    syncDirectory(directory)
    const former = parts.slice(before.length)
    save([...before, { ...entry, rows: part.rows(), files }], tables)
    removeOthers(directory, former, [{ files }])
  }

  /** Exports the events that the log has now and the directory lacks. Returns whether nothing can follow. */
  const advance = async (): Promise<boolean> => {
    const end = await endOf()
    if ((parts.at(-1)?.position ?? LOG_START) >= end) return false
    refuseReplaced()
    let [before, place] = await nextPlace(end)
    let part: ExportPart | undefined
    let [begins, reached]: [string, Numbered | undefined] = ['', undefined]
    const complete = async () => {
      if (part === undefined || reached === undefined) return
      const { n, recorded } = reached
      await commit(before, { after: place.after, first: place.n, begins, last: n, position: recorded.position }, part)
      before = parts
      place = { after: recorded.position, n: n + 1 }
      part = undefined
    }
    const pages = pagesUntil(events, place, end, until)
    for (;;) {
      const { value: page, done } = await pages.next()
      if (done) {
        await complete()
        return page
      }
      const [head] = page
      if (part === undefined && head) {
        part = beginPart(choice.format, { directory, exporting, compression: choice.compression }, place.n)
        begins = mark(head.recorded)
      }
      await part?.write(page.filter(({ recorded }) => isWanted(recorded)))
      reached = page.at(-1)
      progress(reached?.recorded.position ?? end, end)
      if (reached && reached.n - place.n + 1 >= partEvents.most) await complete()
    }
  }

  return {
    advance,
    /** Returns the present manifest. */
    manifest: () => manifestOf(choice, schemas, parts, tables),
    /** Replaces the tables. */
    replaceTables: (next: readonly (TableEntry & { readonly publish: () => void })[]) => {
      refuseReplaced()
      const entries = next.map(({ publish, ...entry }) => {
        publish()
        return entry
      })
      for (const name of new Set(entries.flatMap(({ files }) => files.map((file) => dirname(file.name)))))
        syncDirectory(join(directory, name))
      const former = tables
      save(parts, entries)
      removeOthers(directory, former, entries)
    },
  }
}
