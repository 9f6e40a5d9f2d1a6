import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { historyKeyIn } from '../../src/history/key.ts'
import { proveHistory } from '../../src/history/prove-history.ts'
import type { HistoryFinding } from '../../src/history/rebuild-tree.ts'
import type { HistoryRow } from '../../src/ports/history.ts'
import { FULL } from '../support/full.ts'
import { withLog } from '../support/numbered-log.ts'
import { randomFrom } from '../support/random.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const KILLS = FULL ? 30 : 3
const SEED = Number(process.env.FAULT_SEED ?? 7)

/** Start it, and kill it at any moment after it has appended something; what it said. */
const killed = async (directory: string, round: number, ms: number): Promise<string> => {
  const child = spawn(
    process.execPath,
    [new URL('../support/numbering-process.ts', import.meta.url).pathname, directory, String(round * 1_000)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let said = ''
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  child.stdout.on('data', (data) => {
    said += data
    if (said.includes('ready\n')) resolve()
  })
  const ended = once(child, 'exit')
  await Promise.race([ready, ended])
  await sleep(ms)
  child.kill('SIGKILL')
  const [, signal] = await ended
  return `${said}${signal}`
}

/** Tells whether a finding is of a kill between the state that names a head and the row of that head, which the next start stores. */
const isUnstored = ({ problem }: HistoryFinding): boolean => problem.endsWith('; the service signs it again at its next start')

test('a history whose process is killed again and again has each event once, and no head that was signed is ever another', async (t) => {
  const directory = temporaryDirectory(t)
  const random = randomFrom(SEED)
  const heads = new Map<string, string>()
  let sizes: readonly number[] = []
  for (let round = 0; round < KILLS; round++) {
    t.is(await killed(directory, round, random() * 600), 'ready\nSIGKILL')
    await withLog(directory, async ({ events, history, keyFile }) => {
      const key = await historyKeyIn(keyFile)
      const proof = key && (await proveHistory({ events, history }, key))
      t.deepEqual(
        proof?.findings.filter((finding) => !isUnstored(finding)),
        [],
      )
      sizes = [...sizes, proof?.events ?? 0]
      const signed = async (tree: string): Promise<readonly HistoryRow[]> => history.list(tree, 'head', 0, 100_000)
      const trees = ['1/log', ...(await history.states('1/s/', '', 10_000)).map(({ tree }) => tree)]
      const now = new Map(
        (await Promise.all(trees.map(signed)))
          .flat()
          .map(({ tree, number, value }) => [`${tree} ${number}`, Buffer.from(value).toString()]),
      )
      for (const [place, note] of heads) t.is(now.get(place), note, place)
      for (const [place, note] of now) heads.set(place, note)
    })
  }
  t.deepEqual(
    sizes,
    sizes.toSorted((one, other) => one - other),
  )
  // the machine decides how many there are in such a time
  t.true((sizes.at(-1) ?? 0) > (FULL ? 100 : 0))
  t.log(`${KILLS} kills, ${heads.size} heads of ${sizes.at(-1)} events`)
})
