import type { Shape } from './log-shape.ts'

// A program: one step of a data set, in a process of its own and by the code of the version that is measured, since each version reads only
// the data files that it wrote. It answers in JSON.

export type DataSet = {
  readonly links: number
  /** Sizes of the comment threads. */
  readonly threads: readonly number[]
  readonly shape?: Partial<Shape>
  readonly eventsEach?: number
}

export type Written = { readonly events: number; readonly seconds: number }

const write = async (from: string, file: string, { links, threads, shape, eventsEach }: DataSet): Promise<Written> => {
  const { history }: typeof import('./history.ts') = await import(`${from}/bench/history.ts`)
  const { writeLog }: typeof import('./write-log.ts') = await import(`${from}/bench/write-log.ts`)
  const begun = performance.now()
  const events = await writeLog(file, history(links, threads, shape, eventsEach))
  return { events, seconds: (performance.now() - begun) / 1000 }
}

const replay = async (from: string, file: string) => {
  const { replay }: typeof import('./replay.ts') = await import(`${from}/bench/replay.ts`)
  return replay(file)
}

const [step, from = '', file = '', dataSet = ''] = process.argv.slice(2)
const done = await (step === 'write' ? write(from, file, JSON.parse(dataSet)) : replay(from, file))
process.stdout.write(`${JSON.stringify(done)}\n`)
