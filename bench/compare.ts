import { type Asked, load } from './load.ts'
import { type Service, untilWritten } from './service.ts'

type Ask = Asked | (() => Asked)

export type Requests = {
  readonly ask: Ask
  readonly bareAsk?: Ask
  /** True if each request is an append to the log. */
  readonly writes?: boolean
}

export type Effort = { readonly connections: number; readonly seconds: number; readonly rounds: number }

/** The work of one of two servers over all rounds. */
export type Side = {
  readonly perSecond: number
  /** Microseconds of processor time for each request, of all threads. */
  readonly cpu: number
  /** Milliseconds. */
  readonly p50: number
  /** The 99th percentile of the worst round. */
  readonly p99: number
  readonly loopDelay: number
  /** Bytes written to the disk for each of the requests that write; undefined where the system does not count them. */
  readonly written: number | undefined
}

export type Comparison = {
  readonly bare: Side
  readonly ours: Side
  /** Requests a second, ours over bare: of all rounds, of the worst and of the best. */
  readonly ratio: { readonly all: number; readonly lowest: number; readonly highest: number }
}

type Round = Omit<Side, 'written'> & { readonly answers: number }

/** Puts a load on a service for one round and measures it. Throws if a write was answered that is not in the log. */
export const round = async (service: Service, ask: Ask, { connections, seconds, rounds }: Effort, writes = false): Promise<Round> => {
  await service.loopDelay()
  const appended = await service.appends()
  const before = service.cpu()
  const figures = await load({ url: service.url, connections, seconds: seconds / rounds, ask })
  const cpu = ((service.cpu() - before) / figures.answers) * 1e6
  const appends = appended === undefined ? figures.answers : ((await service.appends()) ?? 0) - appended
  if (writes && appends < figures.answers) throw new Error(`${figures.answers} writes were answered, ${appends} are in the log`)
  return {
    answers: figures.answers,
    perSecond: figures.answers / figures.seconds,
    cpu,
    p50: figures.p50,
    p99: figures.p99,
    loopDelay: await service.loopDelay(),
  }
}

export const total = (rounds: readonly Round[]): Omit<Side, 'written'> => {
  const answers = rounds.reduce((sum, one) => sum + one.answers, 0)
  const mean = (of: (one: Round) => number) => rounds.reduce((sum, one) => sum + of(one) * one.answers, 0) / answers
  return {
    perSecond: rounds.reduce((sum, one) => sum + one.perSecond, 0) / rounds.length,
    cpu: mean(({ cpu }) => cpu),
    p50: mean(({ p50 }) => p50),
    p99: Math.max(...rounds.map(({ p99 }) => p99)),
    loopDelay: Math.max(...rounds.map(({ loopDelay }) => loopDelay)),
  }
}

/** Begins to count what a service writes to the disk. The returned function returns the bytes for each answer of some rounds. */
const countWritten = (service: Service) => {
  const before = service.written()
  return (rounds: readonly Round[]): number | undefined => {
    const after = service.written()
    if (before === undefined || after === undefined) return undefined
    return (after - before) / rounds.reduce((sum, { answers }) => sum + answers, 0)
  }
}

/**
 * Puts the same load on both in turn, so that other work of the machine slows both. The first round of each only warms up; but what it
 * writes counts, since some of it is written later.
 */
export const compare = async (
  bare: Service,
  ours: Service,
  { ask, bareAsk = ask, writes = false }: Requests,
  effort: Effort,
): Promise<Comparison> => {
  const written = { bare: countWritten(bare), ours: countWritten(ours) }
  const rounds: { readonly bare: Round; readonly ours: Round }[] = []
  for (let i = 0; i <= effort.rounds; i += 1)
    rounds.push({ bare: await round(bare, bareAsk, effort, writes), ours: await round(ours, ask, effort, writes) })
  if (writes) await Promise.all([untilWritten(bare), untilWritten(ours)])
  const side = (which: 'bare' | 'ours'): Side => {
    const all = rounds.map((pair) => pair[which])
    return { ...total(all.slice(1)), written: writes ? written[which](all) : undefined }
  }
  const ratios = rounds.slice(1).map((pair) => pair.ours.perSecond / pair.bare.perSecond)
  const sides = { bare: side('bare'), ours: side('ours') }
  return {
    ...sides,
    ratio: { all: sides.ours.perSecond / sides.bare.perSecond, lowest: Math.min(...ratios), highest: Math.max(...ratios) },
  }
}
