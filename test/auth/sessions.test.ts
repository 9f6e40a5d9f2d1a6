import test from 'ava'
import { openSessions } from '../../src/auth/sessions.ts'
import type { Vault } from '../../src/ports/vault.ts'
import { openFile } from '../support/read-models.ts'

test('requests of a session that come together look it up once, and one that comes after it ended finds nothing', async (t) => {
  const { vault } = openFile(t).stores
  let looks = 0
  const held = Promise.withResolvers<void>()
  /** The vault gives its first answer late, as it was when it was asked. */
  const get: Vault['get'] = async (...about) => {
    looks += 1
    const found = await vault.get(...about)
    if (looks === 1) await held.promise
    return found
  }
  const sessions = openSessions({ ...vault, get }, 'secret', Date.now, false)
  const { cookie, session } = await sessions.create('t2_a', false)
  const before = [sessions.find(cookie), sessions.find(cookie), sessions.find(cookie)]
  t.is(looks, 1)
  await sessions.end(cookie)
  t.is(await sessions.find(cookie), undefined)
  held.resolve()
  t.deepEqual(await Promise.all(before), [session, session, session])
  t.is(await sessions.find(cookie), undefined, 'what was found before it ended is not kept')
})
