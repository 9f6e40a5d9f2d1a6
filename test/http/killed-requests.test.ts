import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test from 'ava'
import { findMisplaced } from '../../src/queries/audiences.ts'
import { findingsOf } from '../support/auditing.ts'
import { joinSite } from '../support/cast.ts'
import { eventually, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, names, say, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { allOf, type Place } from '../support/unfollowed-acts.ts'

const script = new URL('../support/act-and-die.ts', import.meta.url).pathname

/** Lets a process record acts on the stores of a directory; it is killed between the appends and what follows from them. */
const actAndDie = async (directory: string, { subsite, moderator, participant }: Place) => {
  const data = `sqlite:${join(directory, 'rostra.db')}`
  const { eventStoreUrl, documentStoreUrl } = (await servers?.join(directory)) ?? { eventStoreUrl: data, documentStoreUrl: data }
  const child = spawn(process.execPath, [script, subsite, moderator, participant], {
    env: { ...process.env, EVENT_STORE_URL: eventStoreUrl, DOCUMENT_STORE_URL: documentStoreUrl },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  servers?.leave(directory)
  return { code, signal }
}

test('what a process recorded before it was killed has its consequences after a start, each once', async (t) => {
  const directory = temporaryDirectory(t)
  const before = await startSite({ directory })
  const { ann, bob } = await joinSite(before, 'ann', 'bob')
  const subsite = await foundSubsite(ann, 'tea')
  const link = await submit(bob, 'tea')
  const comment = await say(bob, link, 'hello /u/ann')
  await waitUntilSettled(before)
  await before.stop()
  t.like(await actAndDie(directory, { subsite, moderator: ann.id, participant: bob.id }), { code: null, signal: 'SIGKILL' })

  let end: string | undefined
  for (const start of ['first', 'second']) {
    const site = await startSite({ directory })
    const { app, stores } = site.running
    const recorded = async (type: string) => (await allOf(stores.events)).filter((event) => event.type === type)
    const isPlaced = async () => {
      const { things, entries } = await findMisplaced(app.documents, subsite, `${subsite}-aside`)
      return things.length + entries.length === 0 && (await recorded('MessageSent')).length > 0
    }
    t.true(await eventually(isPlaced), start)
    await waitUntilSettled(site)
    t.is((await recorded('MessageSent')).length, 1, 'the message about the ban')
    const applied = (await recorded('AudienceApplied')).map(({ data }) => JSON.parse(data).things)
    t.deepEqual(applied.flat().toSorted(), [comment, link].toSorted(), 'each thing once')
    t.deepEqual(names(await site.get('/s/all/new')), [])
    t.deepEqual(await findingsOf(t, site.running), [], start)
    end ??= await stores.events.head()
    t.is(await stores.events.head(), end, 'a later start records nothing more')
    await site.stop()
  }
})
