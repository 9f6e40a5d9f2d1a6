import { join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import pino from 'pino'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { findMisplaced } from '../../src/queries/audiences.ts'
import { REACTIONS_CHECKPOINT } from '../../src/reactions/process.ts'
import { connectStores } from '../../src/stores.ts'
import { findingsOf } from '../support/auditing.ts'
import { joinSite } from '../support/cast.ts'
import { eventually, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { actUnfollowed, allOf, type Place } from '../support/unfollowed-acts.ts'

// A log in which an earlier version lost consequences.

const test = anyTest as TestFn

/** More than two pages of the log. */
const MANY = servers ? 10 : 260

/** Opens the stores of a site that does not run. */
const openStopped = async (directory: string) => {
  if (!servers) return openSqlite({ file: join(directory, 'rostra.db') })
  const connected = await connectStores(await servers.join(directory), pino({ level: 'silent' }))
  return {
    ...connected,
    close: async () => {
      await connected.close()
      servers?.leave(directory)
    },
  }
}

/** Records acts whose consequences are lost: the reader of the log has passed them. */
const actFormerly = async (directory: string, place: Place) => {
  const { events, vault, documents, close } = await openStopped(directory)
  await actUnfollowed({ events, vault }, place)
  const from = await documents.checkpoint(REACTIONS_CHECKPOINT)
  await documents.write([], { name: REACTIONS_CHECKPOINT, from, to: await events.head() })
  for (const name of ['owed-consequences', 'owed-consequences-until']) await documents.clear([], name)
  await close()
}

test('consequences that the log owes are carried out when the service starts, once', async (t) => {
  const directory = temporaryDirectory(t)
  const before = await startSite({ directory })
  const { ann, bob } = await joinSite(before, 'ann', 'bob')
  const subsite = await foundSubsite(ann, 'lost')
  const link = await submit(bob, 'lost')
  for (let n = 0; n < MANY; n += 10) await Promise.all(Array.from({ length: 10 }, () => say(bob, link)))
  await waitUntilSettled(before)
  await before.stop()
  await actFormerly(directory, { subsite, moderator: ann.id, participant: bob.id })

  let end: string | undefined
  for (const start of ['first', 'second']) {
    const site = await startSite({ directory })
    const { app, stores } = site.running
    t.true(
      await eventually(async () => {
        const [at, until] = [await app.documents.checkpoint('owed-consequences'), await app.documents.checkpoint('owed-consequences-until')]
        return until !== undefined && at === until
      }),
      start,
    )
    await waitUntilSettled(site)
    const misplaced = async () => {
      const { things, entries } = await findMisplaced(app.documents, subsite, `${subsite}-aside`)
      return [...things, ...entries]
    }
    // the last consequences may be recorded after the end of the log was asked for
    t.true(await eventually(async () => (await misplaced()).length === 0), start)
    const mail = (await allOf(stores.events)).filter(({ type }) => type === 'MessageSent')
    t.is(mail.length, 1, 'the message about the ban')
    t.deepEqual(await findingsOf(t, site.running), [], start)
    end ??= await stores.events.head()
    t.is(await stores.events.head(), end, 'a later start records nothing more')
    await site.stop()
  }
})

test('a site without a history owes nothing and does not go over its log again', async (t) => {
  const site = await startSite({ directory: temporaryDirectory(t) })
  const { documents } = site.running.app
  t.true(await eventually(async () => (await documents.checkpoint('owed-consequences-until')) !== undefined))
  t.true(((await documents.checkpoint('owed-consequences-until')) ?? '') <= (await site.running.stores.events.head()))
  await site.stop()
})
