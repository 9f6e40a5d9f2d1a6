import { setTimeout as sleep } from 'node:timers/promises'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import { LOG_START } from '../../src/ports/event-store.ts'
import { findingsOf } from '../support/auditing.ts'
import { ask, openAsking } from '../support/authority/asking.ts'
import { type Row, writes } from '../support/authority/row.ts'
import { recordedByRows, rowsOf } from '../support/authority/rows.ts'
import { nextNumber, type Stage, stageConfig, startStage } from '../support/authority/stage.ts'
import { randomFrom } from '../support/random.ts'
import { plainSettings, type Value } from '../support/settings-oracle.ts'
import { startSite, type User } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

// Everything that requests can change, on one site at once: the audit of its one log finds nothing, and after a restart neither.

const test = anyTest as TestFn

/** Another one has other requests in another order; how they meet is decided anew each time. */
const SEED = Number(process.env.RACE_SEED ?? Date.now() % 1_000_000)
const random = randomFrom(SEED)
const oneOf = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

/** Requests under way at a time. */
const LANES = 4
const ROUNDS = 2

type Request = { readonly endpoint: (typeof writes)[number]; readonly row: Row }
/** A request whose target could not be made. */
type Unsent = Request & { readonly why: string }

/** Each act of each endpoint, as often as there are rounds, in an order that is decided by chance. */
const shuffledRequests = (): readonly Request[] =>
  Array.from({ length: ROUNDS }, () =>
    writes.flatMap((endpoint) =>
      rowsOf(`${endpoint.method} ${endpoint.path}`).flatMap((row) => (row.by.length === 0 ? [] : [{ endpoint, row, at: random() }])),
    ),
  )
    .flat()
    .toSorted((a, b) => a.at - b.at)

/** Returns half of all settings, with values that let moderators go on. */
const someSettings = (): Readonly<Record<string, Value>> => {
  const chosen = Object.entries(plainSettings).filter(() => random() < 0.5)
  const values = chosen.map(([name, { first, others }]) => [name, oneOf([first, ...others])] as const)
  return { ...Object.fromEntries(values), type: oneOf(['public', 'restricted', 'private']), allow_top: random() < 0.5 }
}

/** Settings by which everybody posts, and nothing is held back. */
const plain = {
  ...{ type: 'public', link_type: 'any', wikimode: 'modonly', allow_top: true },
  ...{ spam_links: 'low', spam_selfposts: 'low', spam_comments: 'low' },
}

/** Changes many settings of tea at once, by two moderators in a race, until it is told to stop; then they are plain. */
const changeSettings = async ({ founder, config, root, tea }: Stage, isOver: () => boolean): Promise<void> => {
  const settle = (who: User, settings: Readonly<Record<string, Value>>) =>
    who.request('PATCH', '/api/v1/subsite/update_settings', { json: { sr: tea, title: `Tea ${nextNumber()}`, ...settings } })
  while (!isOver()) {
    await Promise.all([settle(founder, someSettings()), settle(config, someSettings())])
    await sleep(100 * random())
    await settle(root, plain)
    await sleep(300 * random())
  }
}

/** Sends the requests, some at a time. Returns those whose targets the settings of that moment did not let anybody make. */
const sendAll = async (stage: Stage, requests: readonly Request[], lanes: number): Promise<Unsent[]> => {
  const prepare = openAsking(stage)
  const coming = [...requests]
  const left: Unsent[] = []
  const lane = async () => {
    for (let next = coming.pop(); next; next = coming.pop()) {
      const { endpoint, row } = next
      const asking = await prepare(endpoint, row, oneOf(row.by)).catch((error: Error) => error)
      if (!(asking instanceof Error)) await ask(endpoint, row, asking)
      else if (/: 5\d\d /.test(asking.message)) throw asking
      else left.push({ ...next, why: asking.message })
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return left
}

const recordedTypes = async ({ site }: Stage): Promise<ReadonlySet<string>> => {
  const { events } = site.running.stores
  const types = new Set<string>()
  for (let page = await events.readAll(LOG_START, 1_000); page.length > 0; page = await events.readAll(page.at(-1)?.position ?? '', 1_000))
    for (const { type } of page) types.add(type)
  return types
}

/** Sends all requests to the site of a stage while its settings change, and what cannot be asked for meanwhile at the end. */
const sendEverything = async (t: ExecutionContext, stage: Stage): Promise<void> => {
  let isOver = false
  const settling = changeSettings(stage, () => isOver)
  const left = await sendAll(stage, shuffledRequests(), LANES).finally(() => {
    isOver = true
  })
  await settling
  const unsent = await sendAll(stage, left, 1)
  t.deepEqual(
    unsent.map(({ endpoint: { method, path }, why }) => `${method} ${path}: ${why}`),
    [],
  )
}

test('the audit finds nothing in a log of all writes at once, with many settings changed at once, nor after a restart', async (t) => {
  t.timeout(300_000)
  t.log(`RACE_SEED=${SEED}`)
  const directory = temporaryDirectory(t)
  const stage = await startStage(directory)
  try {
    await sendEverything(t, stage)
    const recorded = await recordedTypes(stage)
    const missing = [...recordedByRows()].filter((type) => !recorded.has(type))
    t.deepEqual(missing, [])
    t.deepEqual(await findingsOf(t, stage.site.running), [])
  } finally {
    await stage.site.stop()
  }
  const again = await startSite({ ...stageConfig, directory })
  try {
    t.deepEqual(await findingsOf(t, again.running), [])
  } finally {
    await again.stop()
  }
})
