import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { round } from '../../bench/compare.ts'
import { shapeFor } from '../../bench/log-shape.ts'
import { writesOf } from '../../bench/measures.ts'
import { rawVotes } from '../../bench/raw-loop.ts'
import { replay } from '../../bench/replay.ts'
import { newest } from '../../bench/session.ts'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { syntheticThreads, threadTitle } from '../../bench/synthetic-thread.ts'
import { serve, thisVersion } from '../../bench/versions.ts'
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

test.serial('each vote, comment and submission of the bench is an append; a round notices where one is not', async (t) => {
  const service = await serve(thisVersion, join(directory, 'data.db'))
  t.teardown(service.stop)
  const measures = await writesOf(service.url, 2)
  t.deepEqual(
    measures.map(({ name }) => name),
    ['vote', 'comment on a link', 'submit'],
  )
  if (process.platform === 'linux') t.true(service.hashing() > 0.05, 'accounts were registered')
  for (const { name, ask } of measures) {
    const before = (await service.appends()) ?? 0
    for (let n = 0; n < 40; n += 1) {
      const { path, headers, form = '' } = typeof ask === 'function' ? ask() : ask
      await fetch(`${service.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) })
    }
    t.is(await service.appends(), before + 40, name)
  }

  const [{ ask }] = measures as [(typeof measures)[number]]
  const { headers } = typeof ask === 'function' ? ask() : ask
  const nothing = { path: '/api/vote', headers, form: `id=${(await newest(service.url, 1))[0]}&dir=0` }
  await t.throwsAsync(round(service, nothing, { connections: 2, seconds: 1, rounds: 1 }, true), { message: /answered, 0 are in the log/ })
})

test.serial('the bench’s raw loop writes votes into a data file of the service', (t) => {
  t.true(rawVotes(join(directory, 'data.db'), 8, 0.05) > 0)
})
