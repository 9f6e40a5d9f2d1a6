import { setTimeout as sleep } from 'node:timers/promises'
import type { Effort } from './compare.ts'
import { load } from './load.ts'
import { writesOf } from './measures.ts'
import { residentLine, type Service, untilIdle } from './service.ts'
import { say } from './table.ts'

const startLine = (service: Service) =>
  `${service.startup.toFixed(2)} s (processor ${service.cpu().toFixed(2)} s), ${residentLine(service)}`

/** Kills a service among votes in flight, so many seconds after the first. */
const killAmongVotes = async (service: Service, { connections, seconds }: Effort): Promise<void> => {
  const [vote] = await writesOf(service.url)
  if (!vote) throw new Error('nothing writes')
  const voting = load({ url: service.url, connections, seconds: seconds + 1, ask: vote.ask })
  await Promise.all([voting.catch(() => undefined), sleep(seconds * 1_000).then(service.kill)]) // requests in flight then fail
}

/** Prints how long starts on an existing data file take: after a stop, and after a kill -9 among votes in flight. */
export const starts = async (serves: Readonly<Record<string, () => Promise<Service>>>, effort: Effort): Promise<void> => {
  for (let n = 0; n < effort.rounds; n += 1)
    for (const [name, serve] of Object.entries(serves)) {
      const service = await serve()
      say(`${name}: started in ${startLine(service)}`)
      await untilIdle(service)
      await killAmongVotes(service, effort)
      const again = await serve()
      say(`${name}: after a kill -9 among ${effort.connections} votes in flight started in ${startLine(again)}`)
      await untilIdle(again)
      await again.stop()
    }
}
