import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { shapeFor } from '../../bench/log-shape.ts'
import { rawVotes } from '../../bench/raw-loop.ts'
import { replay } from '../../bench/replay.ts'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { syntheticThreads, threadTitle } from '../../bench/synthetic-thread.ts'
import { writeLog } from '../../bench/write-log.ts'
import { links } from '../../projections/links.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'

const directory = mkdtempSync(join(tmpdir(), 'rostra-'))
test.after.always(() => rmSync(directory, { recursive: true }))

test.serial('the bench’s log replays without a fault, and seven in ten of its events are votes', async (t) => {
  const file = join(directory, 'data.db')
  const from = Date.now() - 3_600_000
  const past = [...syntheticLog({ ...shapeFor(300), from: from - 86_400_000, pace: 1_000 })]
  const votes = past.filter(({ type }) => type === 'VoteCast').length
  t.true(votes / past.length > 0.6 && votes / past.length < 0.75, `${votes} of ${past.length}`)

  const events = await writeLog(file, [...past, ...syntheticThreads([7], from)])
  t.is((await replay(file)).events, events)

  const stores = await openSqlite({ file, readOnly: true })
  try {
    await stores.documents.prepare([links])
    const [newest] = await stores.documents.find(links, {
      where: { audience: 'everybody', listed: true },
      order: ['-seq'],
      page: { limit: 1 },
    })
    t.is(newest?.title, threadTitle(7))
    t.is(newest?.comments, 7)
  } finally {
    await stores.close()
  }
})

test.serial('the bench’s raw loop writes votes into a data file of the service', (t) => {
  t.true(rawVotes(join(directory, 'data.db'), 8, 0.05) > 0)
})
