import { once } from 'node:events'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { eventDefinitions } from '../domain/events.ts'
import { isRecord } from '../domain/json.ts'
import type { Fold, FoldedEvent, Period } from '../export/fold.ts'
import { openEvents, sealedEvents } from '../export/levels.ts'
import { type Bound, findReadingPlace, LOG_BEGIN, pagesUntil } from '../export/reading.ts'
import { codec } from '../log/codec.ts'
import { openKeyring } from '../log/keys.ts'
import { messageOf } from '../ports/faults.ts'
import { Misuse } from './data-file.ts'
import type { Call } from './program.ts'
import { progressBar } from './progress-bar.ts'
import { openToRead } from './stores.ts'

const DAY_MS = 86_400_000
/** 1970 began on a Thursday. */
const DAYS_TO_MONDAY = 3

const iso = (at: number): string => new Date(at).toISOString()

/** Returns the name of the period that a time is in. */
const periods: Readonly<Record<Period, (at: number) => string>> = {
  hour: (at) => iso(at).slice(0, 13),
  day: (at) => iso(at).slice(0, 10),
  week: (at) => {
    const day = Math.floor(at / DAY_MS)
    return iso((day - ((day + DAYS_TO_MONDAY) % 7)) * DAY_MS).slice(0, 10)
  },
  month: (at) => iso(at).slice(0, 7),
  year: (at) => iso(at).slice(0, 4),
}

/** Returns the beginning of the next period. */
const nextPeriod = (period: Period, at: number): number => {
  const date = new Date(`${iso(at).slice(0, 10)}T00:00:00Z`)
  if (period === 'hour') return (Math.floor(at / 3_600_000) + 1) * 3_600_000
  if (period === 'day') return date.getTime() + DAY_MS
  if (period === 'week') return Date.parse(`${periods.week(at)}T00:00:00Z`) + 7 * DAY_MS
  return period === 'month' ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) : Date.UTC(date.getUTCFullYear() + 1, 0)
}

const lineOf = (error: unknown): string => messageOf(error).replace(/\s*\n\s*/g, ' ')

type AnyFold = Omit<Fold<unknown>, 'on'> & { readonly on: Readonly<Record<string, (state: unknown, event: FoldedEvent) => unknown>> }

/** Returns the problem of a fold, in words; undefined for a valid one. */
const problemOf = (fold: unknown): string | undefined => {
  if (!isRecord(fold) || !('start' in fold) || !isRecord(fold.on)) return 'has no default export { start, on: { … } }'
  for (const [type, reduce] of Object.entries(fold.on)) {
    if (!eventDefinitions.has(type)) return `has a function for ${type}, but there is no such event (docs/events.md)`
    if (typeof reduce !== 'function') return `has no function for ${type}`
  }
  if (fold.show !== undefined && typeof fold.show !== 'function') return 'has a show that is no function'
  return fold.every === undefined || Object.hasOwn(periods, String(fold.every))
    ? undefined
    : `says every: '${fold.every}', but there are ${Object.keys(periods).join(', ')}`
}

const foldIn = async (file: string): Promise<AnyFold> => {
  let loaded: { readonly default?: unknown }
  try {
    loaded = await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    throw new Misuse(`${file} cannot be loaded: ${lineOf(error)}`, { cause: error })
  }
  const problem = problemOf(loaded.default)
  if (problem !== undefined) throw new Misuse(`${file} ${problem}`)
  return loaded.default as AnyFold
}

/** Returns the line of a file that an error comes from. */
const lineIn = (file: string, error: unknown): string => {
  const url = pathToFileURL(resolve(file)).href
  const frame = error instanceof Error ? error.stack?.split('\n').find((line) => line.includes(url)) : undefined
  const [, line] = /:(\d+):\d+\)?$/.exec(frame ?? '') ?? []
  return line === undefined ? '' : `, line ${line}`
}

export type FoldOptions = {
  readonly file: string
  readonly from: Bound | undefined
  readonly until: Bound | undefined
  readonly opened: boolean
}

/** Runs a fold over the log, and writes its states as lines of JSON. */
export const replayWith = async ({ env, stdout, stderr }: Call, { file, from, until, opened }: FoldOptions): Promise<number> => {
  const { start, on, every, show = (state: unknown) => state } = await foldIn(file)
  const { events, vault, close } = await openToRead(env)
  const bar = progressBar('replaying', stderr)
  const guard = <T>(work: () => T, where: string): T => {
    try {
      return work()
    } catch (error) {
      throw new Misuse(`${file}${lineIn(file, error)}: ${lineOf(error)} (${where})`, { cause: error })
    }
  }
  const write = async (name: string | undefined, where: string): Promise<void> => {
    const value = guard(() => JSON.stringify({ ...(name !== undefined && { [every ?? '']: name }), state: show(state) ?? null }), where)
    if (!stdout.write(`${value}\n`)) await once(stdout, 'drain')
  }
  let state = start
  /** A time in the period that is not over, and its end. Periods do not come back, although the clocks of several processes differ. */
  let now: number | undefined
  let next = Number.NEGATIVE_INFINITY
  try {
    const end = await events.head()
    const { events: read } = opened ? openEvents(codec(openKeyring(vault)).open) : sealedEvents
    const place = from === undefined ? LOG_BEGIN : await findReadingPlace(events, undefined, from, end)
    for await (const page of pagesUntil(events, place, end, until)) {
      for (const event of await read(page)) {
        if (!event) continue
        const where = `event ${event.n}, ${event.type}`
        while (every !== undefined && next <= event.at) {
          if (now !== undefined) await write(periods[every](now), where)
          now = now === undefined ? event.at : next
          next = nextPeriod(every, now)
        }
        const reduce = on[event.type]
        if (reduce) state = guard(() => reduce(state, event as unknown as FoldedEvent), where)
      }
      bar.update(Number(page.at(-1)?.recorded.position), Number(end))
    }
    if (every === undefined || now !== undefined) await write(every && now !== undefined ? periods[every](now) : undefined, 'at the end')
    return 0
  } finally {
    bar.stop()
    await close()
  }
}
