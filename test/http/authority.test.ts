import test from 'ava'
import type { AnyEndpoint } from '../../src/http/endpoint.ts'
import { accountOf, callerOf, type Role, roles, startStage, users } from '../support/authority.ts'
import { addressOf, isBy, openRows, type Row, writes } from '../support/authority-rows.ts'

// Every endpoint that changes something, asked by everybody: what is recorded in somebody's name is exactly what they may do.

const stage = await startStage()
test.after.always(() => stage.site.stop())
const rowsOf = openRows(stage)
const { events } = stage.site.running.stores

/** They change nothing in the log, or change who is who; the tests of their sections say who may. */
const elsewhere = [
  'POST /api/register',
  'POST /api/login',
  'POST /logout',
  'POST /post/login',
  'POST /post/reg',
  'POST /api/v1/apps',
  'DELETE /api/v1/apps/{client_id}',
  'POST /api/v1/authorize',
  'POST /api/v1/access_token',
  'POST /api/v1/revoke_token',
  'POST /api/search_site_names',
  'POST [/s/{sub}]/api/flairselector',
  'POST /api/unblock_subsite',
  'POST /api/new_captcha',
  'POST [/s/{sub}]/api/accept_moderator_invite',
  'POST /api/leavemoderator',
  'POST /api/update_password',
  'POST /api/delete_user',
  'DELETE /api/v1/me/sessions',
  'DELETE /api/v1/me/grants',
  'POST /api/store_visits',
]

/** Whether something is recorded in somebody's name when they ask. */
const acts = async (endpoint: AnyEndpoint, { form, json, upload, path }: Row, role: Role, target: string): Promise<boolean> => {
  const before = await events.head()
  const address = addressOf(endpoint, path?.(target, role) ?? {})
  const body = upload ? await upload() : json ? { json: json() } : { form: { ...form?.(target, role) } }
  const answer = await callerOf(stage, role).request(endpoint.method, address, body)
  if (answer.status >= 500) throw new Error(`${address} by ${role}: ${answer.text}`)
  return (await events.readAll(before, 1_000)).some(isBy(accountOf(stage, role)))
}

for (const endpoint of writes) {
  const name = `${endpoint.method} ${endpoint.path}`
  for (const row of rowsOf(name)) {
    const whom = row.by.length >= users.length ? 'every account' : row.by.join(', ') || 'nobody'
    test.serial(`${name}${row.what ? `, ${row.what},` : ''} is for ${whom}`, async (t) => {
      const acted: Role[] = []
      const spared = await row.on?.(stage, 'anonymous')
      for (const role of roles) {
        const target = row.by.includes(role) ? await row.on?.(stage, role) : spared
        if (await acts(endpoint, row, role, target ?? '')) acted.push(role)
      }
      t.deepEqual(
        acted,
        roles.filter((role) => row.by.includes(role)),
      )
    })
  }
}

test('every endpoint that changes something has its row', (t) => {
  const named = writes.map(({ method, path }) => `${method} ${path}`)
  t.deepEqual(
    named.filter((name) => (rowsOf(name).length === 0) !== elsewhere.includes(name)),
    [],
  )
})
