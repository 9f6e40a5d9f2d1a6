import { setTimeout as sleep } from 'node:timers/promises'
import { type Asked, countEach, inFlight, type Stage } from './servers-counts.ts'
import type { Session } from './session.ts'

/** The count of one row, beside the goal. `bound` is its limit until the goal is met. */
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
/** Votes of one voter after the other on all links, then again with the next move: each changes something. */
const nextVote = ({ links, voters }: Stage) => {
  const n = turn++
  const lap = Math.floor(n / links.length)
  return { voter: elementAt(voters, lap), fields: { id: elementAt(links, n), dir: elementAt(MOVES, Math.floor(lap / voters.length)) } }
}

const vote = async (stage: Stage): Promise<void> => {
  const { voter, fields } = nextVote(stage)
  await post(stage.second.url, voter, '/api/vote', fields)
}

const nameIn = (text: string): string => {
  const [, name] = /"name": ?"(t\d_[0-9a-z]+)"/.exec(text) ?? []
  if (name === undefined) throw new Error(`no name in ${text.slice(0, 300)}`)
  return name
}

/** Leases and checkpoints are read beside all requests. */
const FINDS = /^second find (?!checkpoints|vault_lease)/
const STREAM_READS = /^second-reads read /

/** A write of which a first one warms all caches, and several are counted. `calls`: finds and stream reads of the process. */
const warm =
  (
    prepare: (stage: Stage, n: number) => Promise<() => Promise<unknown>>,
    label = /^second (find (?!checkpoints|vault_lease))|^second-reads read /,
  ): CountRow['measure'] =>
  async (stage) => {
    const prepared = []
    for (const n of numbers(8)) prepared.push(await prepare(stage, n))
    await sleep(500)
    const [first, second, ...rest] = prepared
    await first?.()
    await second?.()
    await sleep(300)
    const asked = await stage.during(() => inFlight(rest, 1, (act) => act()))
    return { now: countEach(asked, label), asked: [asked] }
  }

const comment =
  ({ second, voters, links }: Stage, n: number, as = 0) =>
  () =>
    post(second.url, elementAt(voters, as), '/api/comment', { thing_id: elementAt(links, 0), text: `words ${n} ${Date.now()}` })

/** A subsite of the first voter, with a link of each voter. */
const places = new WeakMap<Stage, Promise<readonly string[]>>()
const place = (stage: Stage): Promise<readonly string[]> => {
  const made =
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
  places.set(stage, made)
  return made
}

const beside = async (stage: Stage, path: string): Promise<Asked> => {
  for (const _ of numbers(4)) await get(stage.second.url, path)
  let isOver = false
  const voting = (async () => {
    while (!isOver) {
      await vote(stage)
      await sleep(1_000 / VOTES_A_SECOND)
    }
  })()
  const asked = await stage.during(() => inFlight(numbers(400), 8, () => get(stage.second.url, path)))
  isOver = true
  await voting
  return asked
}

export const countRows: readonly CountRow[] = [
  {
    name: 'kept hot page beside votes: finds, checkpoints left out',
    wanted: 0.3,
    bound: 4,
    measure: async (stage) => {
      const asked = await beside(stage, '/s/all/hot')
      return { now: countEach(asked, FINDS), asked: [asked] }
    },
  },
  {
    name: 'kept thread of 300 beside votes: finds, checkpoints left out',
    wanted: 0.3,
    bound: 8,
    measure: async (stage) => {
      const asked = await beside(stage, stage.thread)
      return { now: countEach(asked, FINDS), asked: [asked] }
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
    measure: async (stage) => {
      const asked = await cold(stage)
      return { now: countEach(asked, STREAM_READS), asked: [asked] }
    },
  },
  {
    name: 'logged-in page, 6 s after the last: session look-ups',
    wanted: 1,
    measure: async (stage) => {
      const asked = await cold(stage)
      return { now: countEach(asked, /^second find vault_session/), asked: [asked] }
    },
  },
  {
    name: 'comment through another process: stream reads of the reactions duty',
    wanted: 0,
    bound: 1,
    measure: async (stage) => {
      const asked = await stage.during(() => inFlight(numbers(20), 2, (n) => comment(stage, n, n)()))
      return { now: countEach(asked, /^first-reads read /), asked: [asked] }
    },
  },
  { name: 'comment, all warm: finds', wanted: 2, bound: 9.5, measure: warm(async (stage, n) => comment(stage, n), FINDS) },
  { name: 'comment, all warm: stream reads', wanted: 2, bound: 2.5, measure: warm(async (stage, n) => comment(stage, n), STREAM_READS) },
  {
    name: 'edited comment, all warm: finds and stream reads',
    wanted: 5,
    bound: 13.5,
    measure: warm(async (stage, n) => {
      const thing_id = nameIn(await comment(stage, n)())
      return () => post(stage.second.url, elementAt(stage.voters, 0), '/api/editusertext', { thing_id, text: `other words ${n}` })
    }),
  },
  {
    name: 'report, all warm: finds and stream reads',
    wanted: 4,
    bound: 6.5,
    measure: warm(async (stage, n) => {
      const thing_id = elementAt(await place(stage), n)
      return () => post(stage.second.url, elementAt(stage.voters, 12), '/api/report', { thing_id, reason: 'spam' })
    }),
  },
  {
    name: 'message, all warm: finds and stream reads',
    wanted: 4,
    bound: 5.5,
    measure: warm(
      async (stage, n) => () =>
        post(stage.second.url, elementAt(stage.voters, 3), '/api/compose', { to: 'voter_4', subject: `subject ${n}`, text: 'some words' }),
    ),
  },
  {
    name: 'wiki edit, all warm: finds and stream reads',
    wanted: 5,
    bound: 9.5,
    measure: warm(async (stage, n) => {
      await place(stage)
      return () => post(stage.second.url, elementAt(stage.voters, 0), '/s/counted/api/wiki/edit', { page: 'index', content: `words ${n}` })
    }),
  },
  {
    name: 'removal, all warm: finds and stream reads',
    wanted: 4,
    bound: 9,
    measure: warm(async (stage, n) => {
      const id = elementAt(await place(stage), n)
      return () => post(stage.second.url, elementAt(stage.voters, 0), '/api/remove', { id })
    }),
  },
  {
    name: 'logged-in thread, all warm: finds and stream reads',
    wanted: 3,
    bound: 5,
    measure: warm(async (stage, n) => () => get(stage.second.url, `${stage.thread}?n=${n}`, elementAt(stage.voters, 5).headers)),
  },
]

async function cold(stage: Stage): Promise<Asked> {
  const page = ({ headers }: Session) => get(stage.second.url, '/s/all/hot', headers)
  await inFlight(stage.voters, 4, page)
  await sleep(SESSION_LIFETIME_MS)
  return stage.during(() => inFlight(stage.voters, 4, page))
}
