import { setTimeout as pause } from 'node:timers/promises'
import { createLog } from './log.ts'
import { type EventStoreServer, startEventStoreServer } from './server.ts'

const host = '127.0.0.1'

export type Cluster = {
  readonly nodes: readonly EventStoreServer[]
  readonly leader: () => EventStoreServer
  /** Kill the leader; another is elected after the given milliseconds. Answers who died. */
  readonly killLeader: (election: number) => Promise<EventStoreServer>
  readonly revive: (node: EventStoreServer) => Promise<void>
  readonly stop: () => Promise<void>
}

/** Three nodes over one log, as if each event reached all of them before it is acknowledged. */
export const startCluster = async (): Promise<Cluster> => {
  const log = createLog()
  log.writeSystemEvents(3)
  const nodes: EventStoreServer[] = []
  const dead = new Set<EventStoreServer>()
  let leading: EventStoreServer | undefined

  const members = () => nodes.map((node) => ({ host, port: node.port, alive: !dead.has(node), leader: node === leading }))
  const lead = (node: EventStoreServer): void => {
    leading = node
    for (const each of nodes) each.faults.leader = each === node ? undefined : { host, port: node.port }
  }
  for (let count = 0; count < 3; count++) nodes.push(await startEventStoreServer({ log, members }))
  const [first] = nodes
  if (first) lead(first)

  const leader = (): EventStoreServer => {
    if (!leading) throw new Error('there is no leader now')
    return leading
  }
  return {
    nodes,
    leader,
    killLeader: async (election) => {
      const victim = leader()
      dead.add(victim)
      await victim.kill()
      leading = undefined
      await pause(election)
      const next = nodes.find((node) => !dead.has(node))
      if (next) lead(next)
      return victim
    },
    revive: async (node) => {
      dead.delete(node)
      await node.restart()
    },
    stop: async () => {
      for (const node of nodes) await node.stop()
    },
  }
}
