import test from 'ava'
import { diskBlobs } from '../../src/adapters/disk/blobs.ts'
import { describe } from '../../src/audit/finding.ts'
import { auditInputOf } from '../../src/cli/audit-input.ts'
import { hadParticipated } from '../../src/queries/participation.ts'
import { seatsOf } from '../../src/queries/relations.ts'
import { dueTimers } from '../../src/queries/timers.ts'
import { recordExpiry } from '../../src/reactions/expiry.ts'
import { carryOut, REACTIONS_CHECKPOINT } from '../../src/reactions/process.ts'
import { findingsIn } from '../support/auditing.ts'
import { readModels, writeSide } from '../support/commanding.ts'
import { type Acts, type Held, openHistory } from '../support/history.ts'
import { randomFrom } from '../support/random.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const SEED = 11
const RUNS = 8
const STEPS = 40
const YEAR = 365 * 86_400_000

test('the audit finds nothing in any correct history, in any order and with late reactions', async (t) => {
  const side = await writeSide(t, readModels)
  const projected = async (position: string) => t.true(await side.waitUntilProjected(position, 10_000))
  const follow = carryOut({
    ...side,
    open: side.log.open,
    seatsOf: async (account, at) => {
      await projected(at)
      return seatsOf(side.documents, account)
    },
    hadParticipated: async (account, subsite, before) => {
      await projected(before)
      return hadParticipated(side.documents, account, subsite, before)
    },
  })
  const expire = recordExpiry({
    run: side.run,
    dueTimers: dueTimers(side.documents, 10),
    clock: () => Date.now() + YEAR,
    report: (fault) => t.fail(String(fault)),
  })
  const random = randomFrom(SEED)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  let done = await side.events.head()
  const react = async (most: number) => {
    for (let n = 0; n < most; n++) {
      const [event] = await side.events.readAll(done, 1)
      if (!event) return
      await follow([event])
      done = event.position
    }
  }

  for (let run = 0; run < RUNS; run++) {
    const { begin, themes } = await openHistory(side, `r${run}`)
    const acts: Acts = Object.assign({}, ...Object.values(themes))
    let held: Held[] = []
    await begin()
    await react(Number.POSITIVE_INFINITY) // nobody acts in a subsite before it is made
    for (let step = 0; step < STEPS; step++) {
      const what = random()
      if (what < 0.7) {
        const commit = await acts[pick(Object.keys(acts))]?.(pick([0, 1]), pick([0, 1]))
        if (what < 0.5) await commit?.()
        else if (commit) held.push(commit)
      } else if (what < 0.9) await react(1 + Math.floor(random() * 8))
      else if (what < 0.95) {
        await projected(await side.events.head())
        await expire()
      } else {
        for (const commit of held) await commit()
        held = []
      }
    }
    for (const commit of held) await commit()
  }
  await react(Number.POSITIVE_INFINITY)
  const head = await side.events.head()
  await projected(head)
  await side.documents.write([], { name: REACTIONS_CHECKPOINT, from: undefined, to: head })
  t.deepEqual(
    (await findingsIn(t, auditInputOf({ ...side, blobs: diskBlobs(temporaryDirectory(t)) }, { isFile: true, admins: [] }))).map(describe),
    [],
  )
  t.true(Number(head) > RUNS * STEPS * 0.5, head)
})
