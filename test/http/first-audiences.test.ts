import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { decideEvents } from '../../src/domain/decision.ts'
import { fullname, idAt } from '../../src/domain/ids.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import { changeSettings, Subsite } from '../../src/domain/subsite.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { REACTIONS_CHECKPOINT } from '../../src/reactions/process.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { runner } from '../../src/runtime/run.ts'
import { findingsOf } from '../support/auditing.ts'
import { joinSite } from '../support/cast.ts'
import { eventually, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, names } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import { startSite, type TestSite, type User } from '../support/site.ts'
import { streamOf } from '../support/stream-of.ts'
import { temporaryDirectory } from '../support/temporary.ts'

// A log of the version before things had audiences.

const test = anyTest as TestFn

/** More than one event names. */
const MANY = servers ? 20 : 520

/** Links as they were recorded before. */
const submitFormerly = async (
  { running: { app } }: TestSite,
  author: User,
  subsite: string,
  number: number,
): Promise<readonly string[]> => {
  const links: string[] = []
  for (let n = 0; n < number; n += 1) {
    const link = fullname('link', app.mint())
    const data = { link, subsite, author: author.id, title: 'former', text: '', over18: false, sendReplies: true, filtered: false }
    await app.run(Link, link, () => decideEvents(LinkSubmitted(data)), commandOf(seedOf(app.mint()), { account: author.id, as: 'user' }))
    links.push(link)
  }
  return links
}

/** Changes of settings as they were recorded before: without consequences. */
const turnFormerly = async (directory: string, account: string, turns: readonly (readonly [string, 'private' | 'public'])[]) => {
  const { events, vault, documents, close } = await openSqlite({ file: join(directory, 'rostra.db') })
  const { run } = runner({ events, codec: codec(openKeyring(vault)) })
  for (const [n, [subsite, type]] of turns.entries())
    await run(
      Subsite,
      subsite,
      changeSettings({ admin: false, gold: false }, { type }),
      commandOf(seedOf(idAt(Date.now()) + n), { account, as: 'moderator' }),
    )
  const from = await documents.checkpoint(REACTIONS_CHECKPOINT)
  await documents.write([], { name: REACTIONS_CHECKPOINT, from, to: await events.head() })
  await close()
}

const appliedIn = async (site: TestSite, subsite: string) =>
  (await streamOf(site.running.stores.events, `audience-${subsite}`)).map(({ data }) => JSON.parse(data))

test('things of subsites that were private before things had audiences get theirs when the service starts, once', async (t) => {
  const directory = temporaryDirectory(t)
  const before = await startSite({ directory })
  const { ann, bob } = await joinSite(before, 'ann', 'bob')
  const closed = await foundSubsite(ann, 'closed', { type: 'private' })
  const turned = await foundSubsite(ann, 'turned')
  const opened = await foundSubsite(ann, 'opened', { type: 'private' })
  const still = await foundSubsite(ann, 'still', { type: 'private' })
  const open = await foundSubsite(bob, 'open')
  const visible = [...(await submitFormerly(before, bob, open, 1))]
  const hidden = [...(await submitFormerly(before, ann, closed, MANY))]
  // only a data file can be given the later fate of these two
  const [shut, free] = servers ? [visible, hidden] : [hidden, visible]
  shut.push(...(await submitFormerly(before, ann, turned, 2)))
  free.push(...(await submitFormerly(before, ann, opened, 2)))
  await waitUntilSettled(before)
  await before.running.stores.documents.clear([], 'first-audiences')
  await before.stop()
  if (!servers) {
    await turnFormerly(directory, ann.id, [
      [turned, 'private'],
      [turned, 'public'],
      [turned, 'private'],
      [opened, 'public'],
    ])
  }
  for (const restarted of [false, true]) {
    const site = await startSite({ directory })
    t.true(
      await eventually(async () => (await appliedIn(site, closed)).flatMap(({ things }) => things).length === MANY, 3_000),
      String(restarted),
    )
    t.true(await eventually(async () => (await site.running.app.documents.checkpoint('first-audiences')) !== undefined, 3_000))
    await waitUntilSettled(site)
    t.deepEqual((await appliedIn(site, closed))[0], { subsite: closed, audience: closed, change: 0, things: [], entries: [] })
    t.true((await appliedIn(site, closed)).every(({ things }) => things.length <= 500))
    t.deepEqual(await appliedIn(site, still), [])
    if (!servers) {
      t.deepEqual(
        (await appliedIn(site, turned)).map(({ audience, change, things }) => ({ audience, change, things: things.length })),
        [
          { audience: turned, change: 3, things: 0 },
          { audience: turned, change: 3, things: 2 },
        ],
      )
      t.deepEqual(await appliedIn(site, opened), [{ subsite: opened, audience: 'everybody', change: 1, things: [], entries: [] }])
    }
    const shown = names(await site.get('/s/all/new?limit=100'))
    t.true(visible.every((link) => shown.includes(link)))
    t.false(hidden.some((link) => shown.includes(link)))
    t.deepEqual(await findingsOf(t, site.running), [])
    await site.running.stores.documents.clear([], 'first-audiences')
    await site.stop()
  }
})
