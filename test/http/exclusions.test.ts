import { readFile } from 'node:fs/promises'
import { findingsOf } from '../support/auditing.ts'
import { startTea } from '../support/cast.ts'
import { eventually } from '../support/community.ts'
import { contentPairs } from '../support/exclusions/content.ts'
import type { Pair, Scene, Stage } from '../support/exclusions/pair.ts'
import { seatPairs } from '../support/exclusions/seats.ts'
import { FULL } from '../support/full.ts'
import { interpose } from '../support/interpose.ts'
import { foundSubsite, settle, submit } from '../support/posting.ts'
import { isSample } from '../support/shape.ts'
import type { Answer } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

// Acts on two streams that exclude one another: the table of decision 103, each pair done at once, both ways round.

const pairs: readonly Pair[] = [...seatPairs, ...contentPairs]
/** Times that both acts of a pair are requested at the same moment. */
const ROUNDS = FULL ? 60 : isSample ? 1 : 2

const test = testOn(async (): Promise<Stage> => {
  const cast = await startTea(['root'])
  const subsite = await foundSubsite(cast.ann, 'arena')
  await settle(cast.ann, subsite, { wikimode: 'anyone' })
  return { ...cast, subsite, link: await submit(cast.bob, 'arena') }
})

type Order = (scene: Scene, stage: Stage) => Promise<readonly Answer[]>

/** The second act is done when the first has read the facts on which it decides. */
const overlooking =
  (overlooks: 'one' | 'other', overlooked: 'one' | 'other'): Order =>
  async (scene, { site }) => {
    const { app } = site.running
    const { run } = app
    let answer: Answer | undefined
    interpose(site, 'before', scene[overlooks].on, async () => {
      answer = await scene[overlooked].ask()
    })
    const first = await scene[overlooks].ask()
    Object.assign(app, { run })
    if (answer === undefined) throw new Error('it decided without being interrupted')
    return [first, answer]
  }

const together: Order = ({ one, other }) => Promise.all([one.ask(), other.ask()])
const turned: Order = ({ one, other }) => Promise.all([other.ask(), one.ask()])

const orders: readonly (readonly [what: string, order: Order])[] = [
  ['the first overlooks the second', overlooking('one', 'other')],
  ['the second overlooks the first', overlooking('other', 'one')],
  ...Array.from({ length: ROUNDS }, (_, n) => [`at once, round ${n}`, n % 2 === 0 ? together : turned] as const),
]

for (const { acts, rule, ends, open } of pairs.filter((_, n) => !isSample || n % 2 === 0))
  test.serial(`${acts.join(' and ')} at once: ${rule}`, async (t) => {
    for (const [what, order] of orders) {
      const scene = await open(t.context)
      const answers = await order(scene, t.context)
      t.true(
        answers.every(({ status }) => status < 500),
        what,
      )
      // consequences of the acts may be recorded later
      let state = ''
      await eventually(async () => {
        state = await scene.state()
        return ends.includes(state)
      })
      t.true(ends.includes(state), `${what}: ${state}`)
    }
  })

test.serial('after acts that exclude one another were done at once the audit finds no difference', async (t) => {
  t.deepEqual(await findingsOf(t, t.context.site.running), [])
})

test('the decision has a row for each of these pairs, with its rule and what mends it', async (t) => {
  const text = await readFile(new URL('../../docs/decisions/0103-acts-that-exclude-one-another.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| one act'))
  t.deepEqual(
    rows,
    pairs.map(
      ({ acts, rule, repair: [first, second] }) =>
        `| ${acts[0]} | ${acts[1]} | ${rule} | ${first} | ${second === first ? 'the same' : second} |`,
    ),
  )
})
