import { type Asked, load } from './load.ts'
import type { Service } from './service.ts'

type Requests = { readonly ask: Asked | (() => Asked); readonly bareAsk?: Asked | (() => Asked) }

export type Effort = { readonly connections: number; readonly seconds: number; readonly rounds: number }

/** What one of two servers did over all rounds. */
export type Side = {
  readonly perSecond: number
  /** Microseconds of processor time for each request, of all threads. */
  readonly cpu: number
  /** Milliseconds. */
  readonly p50: number
  /** The same, of the worst round. */
  readonly p99: number
  readonly loopDelay: number
}

export type Comparison = {
  readonly bare: Side
  readonly ours: Side
  /** Requests a second, ours over bare: of all rounds, of the worst and of the best. */
  readonly ratio: { readonly all: number; readonly lowest: number; readonly highest: number }
}

type Round = Side & { readonly answers: number }

const round = async (service: Service, ask: Asked | (() => Asked), { connections, seconds, rounds }: Effort): Promise<Round> => {
  await service.loopDelay()
  const before = service.cpu()
  const figures = await load({ url: service.url, connections, seconds: seconds / rounds, ask })
  const cpu = ((service.cpu() - before) / figures.answers) * 1e6
  return {
    answers: figures.answers,
    perSecond: figures.answers / figures.seconds,
    cpu,
    p50: figures.p50,
    p99: figures.p99,
    loopDelay: await service.loopDelay(),
  }
}

const total = (rounds: readonly Round[]): Side => {
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

/** Puts the same load on both in turn, so that other work of the machine slows both. The first round of each only warms up. */
export const compare = async (bare: Service, ours: Service, { ask, bareAsk = ask }: Requests, effort: Effort): Promise<Comparison> => {
  await round(bare, bareAsk, effort)
  await round(ours, ask, effort)
  const pairs: { readonly bare: Round; readonly ours: Round }[] = []
  for (let i = 0; i < effort.rounds; i += 1) pairs.push({ bare: await round(bare, bareAsk, effort), ours: await round(ours, ask, effort) })
  const sides = { bare: total(pairs.map((pair) => pair.bare)), ours: total(pairs.map((pair) => pair.ours)) }
  const ratios = pairs.map((pair) => pair.ours.perSecond / pair.bare.perSecond)
  return {
    ...sides,
    ratio: { all: sides.ours.perSecond / sides.bare.perSecond, lowest: Math.min(...ratios), highest: Math.max(...ratios) },
  }
}
