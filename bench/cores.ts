import { type Effort, round, total } from './compare.ts'
import { writesOf } from './measures.ts'
import { BOTH_CORES, SERVER_CORE } from './one-core.ts'
import type { Service } from './service.ts'
import { milliseconds, ratio, say, toWholeText } from './table.ts'

/** Prints what a second core gives writes: each round with one core and then with two, of which the load has its share. */
export const coreGains = async (services: Readonly<Record<string, Service>>, effort: Effort): Promise<void> => {
  for (const [name, service] of Object.entries(services))
    for (const { name: what, ask } of await writesOf(service.url)) {
      const on = async (cores: string) => {
        service.pin(cores)
        return round(service, ask, effort, true)
      }
      const rounds = []
      for (let n = 0; n <= effort.rounds; n += 1) rounds.push({ one: await on(SERVER_CORE), two: await on(BOTH_CORES) })
      const [one, two] = [total(rounds.slice(1).map((pair) => pair.one)), total(rounds.slice(1).map((pair) => pair.two))]
      const side = ({ perSecond, cpu, p99 }: typeof one) =>
        `${toWholeText(perSecond)}/s, ${toWholeText(cpu)} µs each, p99 ${milliseconds(p99)}`
      say(`${name}, ${what}: one core ${side(one)}; two ${side(two)}; gain ${ratio(two.perSecond / one.perSecond)} (1.80 wanted)`)
    }
}
