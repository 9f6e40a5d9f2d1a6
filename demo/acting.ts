import { SingleBar } from 'cli-progress'
import { type Answer, type Person, refusalOf } from './client.ts'
import type { Community } from './community.ts'

const IN_FLIGHT = 48

const successes: Record<string, number> = {}
const refused: Record<string, number> = {}

export function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** Counts what was done and what was refused. */
export const act = async (what: string, answer: Promise<Answer>): Promise<Answer | undefined> => {
  const settled = await answer
  const code = refusalOf(settled)
  if (settled.status >= 500) fail(`${what}: the service answered ${settled.status}: ${JSON.stringify(settled.body)}`)
  if (code === undefined) successes[what] = (successes[what] ?? 0) + 1
  else refused[`${what}: ${code}`] = (refused[`${what}: ${code}`] ?? 0) + 1
  return code === undefined ? settled : undefined
}

/** Runs the tasks, so many at once, and moves the bar. */
export const runEach = async <T>(
  title: string,
  items: readonly T[],
  task: (item: T, index: number) => Promise<unknown>,
  inFlight = IN_FLIGHT,
): Promise<void> => {
  const bar = new SingleBar({
    format: `${title.padEnd(12)} {bar} {value}/{total} {eta_formatted}`,
    hideCursor: true,
    clearOnComplete: false,
  })
  bar.start(items.length, 0)
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) {
      await task(items[index] as T, index)
      bar.increment()
    }
  }
  await Promise.all(Array.from({ length: Math.min(inFlight, items.length) }, worker))
  bar.stop()
}

/** Acts that the demo lets people try although the service refuses them, and why it does. */
const REFUSED_ON_PURPOSE: Readonly<Record<string, string>> = {
  'links: SUBSITE_NOTALLOWED': 'only approved accounts post in a restricted subsite',
}

const line = (what: string, count: number, why?: string) => `${String(count).padStart(9)} ${what}${why === undefined ? '' : ` (${why})`}\n`

/** Lists the refusals, by act and code, with their numbers: those that the demo provokes, then the rest. */
export const refusalLines = (refused: Readonly<Record<string, number>>): string => {
  const onPurpose = Object.entries(refused).filter(([what]) => what in REFUSED_ON_PURPOSE)
  const others = Object.entries(refused).filter(([what]) => !(what in REFUSED_ON_PURPOSE))
  const existed = 'subsites: SUBSITE_EXISTS' in refused
  const why = existed ? 'Refused, since somebody made these subsites before' : 'Refused, and not expected to be'
  return [
    ...(onPurpose.length > 0 ? ['Refused on purpose: some people try what they may not do\n'] : []),
    ...onPurpose.map(([what, count]) => line(what, count, REFUSED_ON_PURPOSE[what])),
    ...(others.length > 0 ? [`${why}\n`] : []),
    ...others.map(([what, count]) => line(what, count)),
  ].join('')
}

/** Prints how often each act was done and refused since `started`, in the milliseconds of `performance.now`. */
export const printCounts = (started: number): void => {
  const seconds = (performance.now() - started) / 1000
  const total = Object.values(successes).reduce((sum, count) => sum + count, 0)
  process.stdout.write(`\n${total} acts in ${seconds.toFixed(1)} s (${Math.round(total / seconds)}/s)\n`)
  for (const [what, count] of Object.entries(successes)) process.stdout.write(line(what, count))
  process.stdout.write(refusalLines(refused))
}

/** Returns the fullname of a new link. */
export const idOf = (answer: Answer | undefined): string | undefined =>
  (answer?.body as { json?: { data?: { name?: string } } } | undefined)?.json?.data?.name

/** Returns the fullname of a new comment, or of a reply to a message. */
export const commentIdOf = (answer: Answer | undefined): string | undefined =>
  (answer?.body as { json?: { data?: { things?: readonly { data: { name: string } }[] } } } | undefined)?.json?.data?.things?.[0]?.data.name

/** The things of a listing; none if it was refused. */
export const thingsListed = (answer: Answer | undefined): readonly { readonly name: string; readonly author: string | null }[] =>
  (answer?.body as { data?: { children?: readonly { data: { name: string; author: string | null } }[] } } | undefined)?.data?.children?.map(
    ({ data }) => data,
  ) ?? []

/** A link that was submitted, and its first comments; authors and subsites are indexes in the plan. */
export type Posted = { readonly subsite: number; readonly author: number; readonly link: string; readonly comments: readonly string[] }

export type Scene = {
  readonly community: Community
  readonly people: readonly Person[]
  /** Returns the person with this index, counted on from the first after the last. */
  readonly person: (index: number) => Person
  readonly posted: readonly Posted[]
}

/** The element at a place from 0 to 1; undefined where there is none. */
export const elementAt = <T>(things: readonly T[], place: number): T | undefined => things[Math.floor(things.length * place)]
