import test, { type ExecutionContext } from 'ava'
import { endAccess } from '../../src/auth/end-access.ts'
import { openSessions } from '../../src/auth/sessions.ts'
import { openTokens } from '../../src/auth/tokens.ts'
import type { Vault, VaultKind } from '../../src/ports/vault.ts'
import { openFile } from '../support/read-models.ts'

/** A vault that gives its first answer about a kind of records late, as it was when it was asked. */
const slowVault = (t: ExecutionContext, kind: VaultKind) => {
  const { vault } = openFile(t).stores
  let looks = 0
  const held = Promise.withResolvers<void>()
  const get: Vault['get'] = async (...about) => {
    if (about[0] !== kind) return vault.get(...about)
    looks += 1
    const isFirst = looks === 1
    const found = await vault.get(...about)
    if (isFirst) await held.promise
    return found
  }
  return { vault: { ...vault, get }, looks: () => looks, release: held.resolve }
}

const app = { name: 'app', about: '', redirect: 'http://127.0.0.1/', type: 'installed' }

test('requests of a session that come together look it up once, and one that comes after it ended finds nothing', async (t) => {
  const { vault, looks, release } = slowVault(t, 'session')
  const sessions = openSessions(vault, 'secret', Date.now, false)
  const { cookie, session } = await sessions.create('t2_a', false)
  const before = [sessions.find(cookie), sessions.find(cookie), sessions.find(cookie)]
  t.is(looks(), 1)
  await sessions.end(cookie)
  t.is(await sessions.find(cookie), undefined)
  release()
  t.deepEqual(await Promise.all(before), [session, session, session])
  t.is(await sessions.find(cookie), undefined, 'what was found before it ended is not kept')
})

test('a token that is revoked while it is looked up is not found any more', async (t) => {
  const { vault, looks, release } = slowVault(t, 'access')
  await vault.put('client', 'app', { value: app, owner: 't2_b' })
  const tokens = openTokens(vault, Date.now)
  const grant = { account: 't2_a', client: 'app', scopes: '*', subsites: null, refresh: null } as const
  const token = await tokens.issue(grant)
  const before = [tokens.find(token), tokens.find(token)]
  await tokens.revoke(token)
  release()
  t.deepEqual(await Promise.all(before), [grant, grant])
  t.is(await tokens.find(token), undefined)
  t.is(looks(), 2)
})

test('when ending the access to an account fails, its sessions and tokens are looked up again', async (t) => {
  const { vault } = openFile(t).stores
  const asked: VaultKind[] = []
  const failing: Vault = {
    ...vault,
    get: (kind, id) => {
      asked.push(kind)
      return vault.get(kind, id)
    },
    delete: async () => {
      throw new Error('the vault fails')
    },
  }
  await vault.put('client', 'app', { value: app, owner: 't2_b' })
  const [sessions, tokens] = [openSessions(failing, 'secret', Date.now, false), openTokens(failing, Date.now)]
  const { cookie } = await sessions.create('t2_a', false)
  const token = await tokens.issue({ account: 't2_a', client: 'app', scopes: '*', subsites: null, refresh: null })
  const look = async () => {
    asked.length = 0
    await Promise.all([sessions.find(cookie), tokens.find(token)])
    return asked
  }
  t.deepEqual(await look(), ['session', 'access', 'client'])
  t.deepEqual(await look(), [])
  await t.throwsAsync(endAccess({ vault: failing, sessions, tokens })('t2_a'), { message: 'the vault fails' })
  t.deepEqual(await look(), ['session', 'access', 'client'])
})
