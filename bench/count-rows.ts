import { setTimeout as sleep } from 'node:timers/promises'
import { endingsOf } from '../projections/engine/partitions.ts'
import { foreignTo } from '../projections/engine/sharded-runner.ts'
import { SHARD_COUNT } from '../projections/engine/shards.ts'
import { Vote } from '../src/domain/vote.ts'
import { LOG_START } from '../src/ports/event-store.ts'
import { history } from './history.ts'
import { type Asked, countEach, inFlight, type Stage } from './servers-counts.ts'
import type { Session } from './session.ts'

/** The count of one row, beside the goal. `bound` is the limit of the gate: a busy machine trusts caches less and asks more. */
export type CountRow = {
  readonly name: string
  readonly wanted: number
  readonly bound?: number
  readonly measure: (stage: Stage) => Promise<{ readonly now: number; readonly asked: readonly Asked[] }>
}

/** Milliseconds for which a process keeps what it knows of a session, and some more. */
const SESSION_LIFETIME_MS = 5_600

const VOTES_A_SECOND = 50
const MOVES = ['1', '-1', '11', '-11'] as const

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n)

const post = async (url: string, { headers }: Session, path: string, fields: Readonly<Record<string, string>>): Promise<string> => {
  const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: new URLSearchParams({ api_type: 'json', ...fields }) })
  const text = await response.text()
  if (!response.ok || /"errors": ?\[\[/.test(text)) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
  return text
}

const get = async (url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
  const response = await fetch(`${url}${path}`, { headers })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.text()
}

const elementAt = <T>(list: readonly T[], n: number): T => {
  const item = list[n % list.length]
  if (item === undefined) throw new Error('nothing to choose from')
  return item
}

let turn = 0
/** Votes of one voter after the other on all links, the oldest first, then again with the next move: each changes something. */
const nextVote = ({ links, voters }: Stage) => {
  const n = turn++
  const lap = Math.floor(n / links.length)
  return {
    voter: elementAt(voters, lap),
    fields: { id: elementAt(links, links.length * (lap + 1) - 1 - n), dir: elementAt(MOVES, Math.floor(lap / voters.length)) },
  }
}

const vote = async (stage: Stage, through = stage.second): Promise<void> => {
  const { voter, fields } = nextVote(stage)
  await post(through.url, voter, '/api/vote', fields)
}

const nameIn = (text: string): string => {
  const [, name] = /"name": ?"(t\d_[0-9a-z]+)"/.exec(text) ?? []
  if (name === undefined) throw new Error(`no name in ${text.slice(0, 300)}`)
  return name
}

/** Leases, checkpoints and timers are read beside all requests, and the admins of the log. */
const FINDS = /^second find (?!checkpoints|vault_lease|timers)/
const STREAM_READS = /^second-reads read (?!admins)/
const FINDS_AND_STREAM_READS = new RegExp(`${FINDS.source}|${STREAM_READS.source}`)

/** A write of which a first one warms all caches, and several are counted. `calls`: finds and stream reads of the process. */
const warm =
  (prepare: (stage: Stage, n: number) => Promise<() => Promise<unknown>>, label = FINDS_AND_STREAM_READS): CountRow['measure'] =>
  async (stage) => {
    const prepared = []
    for (const n of numbers(8)) prepared.push(await prepare(stage, n))
    await sleep(500)
    const [first, second, ...rest] = prepared
    await first?.()
    await second?.()
    await sleep(300)
    const calls = await stage.during(() => inFlight(rest, 1, (act) => act()))
    return { now: countEach(calls, label), asked: [calls] }
  }

const comment =
  ({ second, voters, links }: Stage, n: number, as = 0) =>
  () =>
    post(second.url, elementAt(voters, as), '/api/comment', { thing_id: elementAt(links, 0), text: `words ${n} ${Date.now()}` })

/** A subsite of the first voter, with a link of each voter. */
const places = new WeakMap<Stage, Promise<readonly string[]>>()
const place = (stage: Stage): Promise<readonly string[]> => {
  const existing =
    places.get(stage) ??
    (async () => {
      const { second, voters } = stage
      await post(second.url, elementAt(voters, 0), '/api/site_admin', {
        name: 'counted',
        title: 'counted',
        type: 'public',
        link_type: 'any',
      })
      const links: string[] = []
      for (const n of numbers(8))
        links.push(
          nameIn(await post(second.url, elementAt(voters, n + 1), '/api/submit', { sr: 'counted', kind: 'self', title: `a title ${n}` })),
        )
      return links
    })()
  places.set(stage, existing)
  return existing
}

/** Processor time of the second process for each request of a page. */
const costOf = async ({ second }: Stage, path: string): Promise<number> => {
  const before = second.cpu()
  const requests = await inFlight(numbers(400), 8, () => get(second.url, path))
  return (second.cpu() - before) / requests
}

/** Does some work while people vote through another process, on links that are not on the page asked for. */
const whileVoting = async <T>(stage: Stage, work: () => Promise<T>): Promise<T> => {
  let isOver = false
  const voting = (async () => {
    while (!isOver) {
      await vote(stage, stage.first)
      await sleep(1_000 / VOTES_A_SECOND)
    }
  })()
  try {
    return await work()
  } finally {
    isOver = true
    await voting
  }
}

const beside = async (stage: Stage, path: string): Promise<Asked> => {
  for (const _ of numbers(4)) await get(stage.second.url, path)
  return whileVoting(stage, () => stage.during(() => inFlight(numbers(400), 8, () => get(stage.second.url, path))))
}

/** Counts the votes and the other events that a subscription to the whole log receives, as a worker with some shards. */
const countReceived = async ({ events }: Stage, shards: ReadonlySet<number>) => {
  const stop = new AbortController()
  const head = await events.head()
  const counts = { votes: 0, others: 0 }
  for await (const batch of events.subscribe(LOG_START, stop.signal, foreignTo(shards))) {
    const votes = batch.events.filter(({ type }) => type === 'VoteCast').length
    counts.votes += votes
    counts.others += batch.events.length - votes
    const rest = await events.glance(batch.position, { category: Vote.category, except: endingsOf(shards) })
    if (batch.position >= head || (rest && rest.last === undefined)) stop.abort()
  }
  return counts
}

/** Returns the part of the events of a log with so many votes that one of sixteen workers receives, on average. */
const countReceivedByOne = async (stage: Stage, share: number): Promise<{ readonly now: number; readonly asked: readonly Asked[] }> => {
  const shards = numbers(SHARD_COUNT)
  const all = await countReceived(stage, new Set(shards))
  const each: Awaited<ReturnType<typeof countReceived>>[] = []
  for (const shard of shards) each.push(await countReceived(stage, new Set([shard])))
  const part = (of: keyof typeof all) => each.reduce((sum, counts) => sum + counts[of], 0) / all[of] / SHARD_COUNT
  return { now: part('votes') * share + part('others') * (1 - share), asked: [] }
}

const shareOfVotes = (): number => {
  const events = [...history(800, [300])]
  return events.filter(({ type }) => type === 'VoteCast').length / events.length
}

export const countRows: readonly CountRow[] = [
  {
    name: 'events that one of sixteen workers receives, synthetic log',
    wanted: 0.4,
    measure: (stage) => countReceivedByOne(stage, shareOfVotes()),
  },
  {
    name: 'events that one of sixteen workers receives, 94.5 % votes',
    wanted: 0.125,
    measure: (stage) => countReceivedByOne(stage, 0.945),
  },
  {
    name: 'kept hot page beside votes: finds, checkpoints left out',
    wanted: 0.3,
    bound: 2,
    measure: async (stage) => {
      const asked = await beside(stage, '/s/all/hot')
      return { now: countEach(asked, FINDS), asked: [asked] }
    },
  },
  {
    name: 'kept thread of 300 beside votes: finds, checkpoints left out',
    wanted: 0.3,
    bound: 2,
    measure: async (stage) => {
      const asked = await beside(stage, stage.thread)
      return { now: countEach(asked, FINDS), asked: [asked] }
    },
  },
  {
    name: 'kept hot page beside votes: processor time, of the same while nobody writes',
    wanted: 2,
    bound: 5,
    measure: async (stage) => {
      for (const _ of numbers(2)) await costOf(stage, '/s/all/hot')
      const quiet = await costOf(stage, '/s/all/hot')
      const busy = await whileVoting(stage, () => costOf(stage, '/s/all/hot'))
      return { now: busy / quiet, asked: [] }
    },
  },
  {
    name: 'kept thread of 300 beside votes: processor time, of the same while nobody writes',
    wanted: 2,
    bound: 5,
    measure: async (stage) => {
      for (const _ of numbers(2)) await costOf(stage, stage.thread)
      const quiet = await costOf(stage, stage.thread)
      const busy = await whileVoting(stage, () => costOf(stage, stage.thread))
      return { now: busy / quiet, asked: [] }
    },
  },
  {
    name: '600 callers within 2 s, RATE_LIMITS=on: commands',
    wanted: 4,
    measure: async (stage) => {
      const ask = (n: number) => get(stage.first.url, '/s/all/hot', { 'x-forwarded-for': `10.0.${n >> 8}.${n & 255}` })
      const asked = await stage.during(async () => {
        await inFlight(numbers(600), 8, ask)
        await sleep(2_500)
        return 1
      })
      return { now: countEach(asked, /^first \w+ vault_(count|limit)$/), asked: [asked] }
    },
  },
  {
    name: 'vote, 16 voters, 32 in flight: stream reads',
    wanted: 0.15,
    bound: 1.5,
    measure: async (stage) => {
      await inFlight(numbers(400), 32, () => vote(stage))
      const asked = await stage.during(() => inFlight(numbers(800), 32, () => vote(stage)))
      return { now: countEach(asked, STREAM_READS), asked: [asked] }
    },
  },
  {
    name: 'votes through another process: events received',
    wanted: 0,
    measure: async (stage) => {
      const asked = await stage.during(() => inFlight(numbers(200), 16, () => vote(stage)))
      return { now: countEach(asked, /^first-subscription received VoteCast/), asked: [asked] }
    },
  },
  {
    name: 'logged-in page, 6 s after the last: stream reads',
    wanted: 0,
    bound: 1,
    measure: async (stage) => {
      const asked = await cold(stage)
      return { now: countEach(asked, STREAM_READS), asked: [asked] }
    },
  },
  {
    name: 'logged-in page, 6 s after the last: session look-ups',
    wanted: 1,
    bound: 2,
    measure: async (stage) => {
      const asked = await cold(stage)
      return { now: countEach(asked, /^second find vault_session/), asked: [asked] }
    },
  },
  {
    name: 'comment through another process: stream reads of the reactions duty',
    wanted: 0,
    bound: 0.5,
    measure: async (stage) => {
      const asked = await stage.during(() => inFlight(numbers(20), 2, (n) => comment(stage, n, n)()))
      return { now: countEach(asked, /^first-reads read (?!admins)/), asked: [asked] }
    },
  },
  { name: 'comment, all warm: finds', wanted: 2, bound: 5, measure: warm(async (stage, n) => comment(stage, n), FINDS) },
  { name: 'comment, all warm: stream reads', wanted: 2, bound: 3, measure: warm(async (stage, n) => comment(stage, n), STREAM_READS) },
  {
    name: 'edited comment, all warm: finds and stream reads',
    wanted: 5,
    bound: 8,
    measure: warm(async (stage, n) => {
      const thing_id = nameIn(await comment(stage, n)())
      return () => post(stage.second.url, elementAt(stage.voters, 0), '/api/editusertext', { thing_id, text: `other words ${n}` })
    }),
  },
  {
    name: 'report, all warm: finds and stream reads',
    wanted: 4,
    bound: 7,
    measure: warm(async (stage, n) => {
      const thing_id = elementAt(await place(stage), n)
      return () => post(stage.second.url, elementAt(stage.voters, 12), '/api/report', { thing_id, reason: 'spam' })
    }),
  },
  {
    name: 'message, all warm: finds and stream reads',
    wanted: 4,
    bound: 6.5,
    measure: warm(
      async (stage, n) => () =>
        post(stage.second.url, elementAt(stage.voters, 3), '/api/compose', { to: 'voter_4', subject: `subject ${n}`, text: 'some words' }),
    ),
  },
  {
    name: 'wiki edit, all warm: finds and stream reads',
    wanted: 5,
    bound: 8,
    measure: warm(async (stage, n) => {
      await place(stage)
      return () => post(stage.second.url, elementAt(stage.voters, 0), '/s/counted/api/wiki/edit', { page: 'index', content: `words ${n}` })
    }),
  },
  {
    name: 'removal, all warm: finds and stream reads',
    wanted: 4,
    bound: 6.5,
    measure: warm(async (stage, n) => {
      const id = elementAt(await place(stage), n)
      return () => post(stage.second.url, elementAt(stage.voters, 0), '/api/remove', { id })
    }),
  },
  {
    name: 'logged-in thread, all warm: finds and stream reads',
    wanted: 3,
    bound: 6,
    measure: warm(async (stage, n) => () => get(stage.second.url, `${stage.thread}?n=${n}`, elementAt(stage.voters, 5).headers)),
  },
]

async function cold(stage: Stage): Promise<Asked> {
  const page = ({ headers }: Session) => get(stage.second.url, '/s/all/hot', headers)
  await inFlight(stage.voters, 4, page)
  await sleep(SESSION_LIFETIME_MS)
  return stage.during(() => inFlight(stage.voters, 4, page))
}
