import { access } from 'node:fs/promises'
import test from 'ava'
import { type EventName, eventDefinitions } from '../../src/domain/events.ts'
import { findingsOf } from '../support/auditing.ts'
import { accountOf, ask, openAsking } from '../support/authority/asking.ts'
import { callersBySection } from '../support/authority/callers.ts'
import { roles, users } from '../support/authority/roles.ts'
import { type Row, writes } from '../support/authority/row.ts'
import { elsewhere, recordedByRows, rowsOf, unasked } from '../support/authority/rows.ts'
import { startStage } from '../support/authority/stage.ts'
import { expectedTraces, openTrace } from '../support/authority/trace.ts'
import type { Answer } from '../support/site.ts'

// Every endpoint that changes something is called by accounts of every standing: in the name of each exactly what it may do is recorded,
// and nothing where the answer is a refusal, unless its row says so.

const stage = await startStage()
test.after.always(() => stage.site.stop())
const prepare = openAsking(stage)
const trace = openTrace(stage)

const titleOf = (name: string, { what, by }: Row): string => {
  const act = `${name}${what ? `, ${what},` : ''}`
  if (by.length === 0) return `${act} changes nothing for any caller`
  return `${act} is for ${by.length >= users.length ? 'every account' : by.join(', ')}`
}

const callers = callersBySection()

/** Returns the events that a refused act leaves behind all the same. */
const refusedYet = (
  { recordsThoughRefused }: Row,
  account: keyof NonNullable<Row['recordsThoughRefused']> | undefined,
): readonly string[] => {
  const type = account && recordsThoughRefused?.[account]
  return type ? [`${type} as user`, 'although it was refused'] : []
}

const isRefused = ({ status, text }: Answer): boolean => status >= 400 || text.includes('"errors":[[')

for (const endpoint of writes) {
  const name = `${endpoint.method} ${endpoint.path}`
  for (const row of rowsOf(name)) {
    const asked = callers.get(endpoint.section)?.get(row) ?? roles
    test.serial(titleOf(name, row), async (t) => {
      const came: Record<string, readonly string[]> = {}
      const due: Record<string, readonly string[]> = {}
      for (const role of asked) {
        const asking = await prepare(endpoint, row, role)
        const account = accountOf(row, role)
        const stopped = role === 'scopeless' && !row.isOpenToAnyToken
        let refused = false
        const left = await trace(asking.self, row.changesVault, async () => {
          refused = isRefused(await ask(endpoint, row, asking))
        })
        came[role] = refused && left.length > 0 ? [...left, 'although it was refused'] : left
        due[role] = account && row.by.includes(account) && !stopped ? expectedTraces(row, account) : refusedYet(row, account)
      }
      t.deepEqual(came, due)
    })
  }
}

test.serial('after all of this the audit finds nobody who did what they may not', async (t) => {
  t.deepEqual(await findingsOf(t, stage.site.running), [])
})

test('every endpoint that changes something has its row, or a test elsewhere that shows who may', async (t) => {
  const named = writes.map(({ method, path }) => `${method} ${path}`)
  t.deepEqual(
    named.filter((name) => (rowsOf(name).length === 0) !== name in elsewhere),
    [],
    'add its row to a file of test/support/authority',
  )
  for (const why of Object.values(elsewhere)) await t.notThrowsAsync(access(why.split(': ')[1] ?? ''))
})

test('every caller calls something in each section', (t) => {
  for (const [section, rows] of callers) {
    const asked = new Set([...rows.values()].flat())
    t.deepEqual(
      roles.filter((role) => !asked.has(role)),
      [],
      section,
    )
  }
})

test('every event that a request can record is recorded by a row', (t) => {
  const recorded = recordedByRows()
  t.deepEqual(
    [...eventDefinitions.keys()].filter((type) => recorded.has(type as EventName) === unasked.has(type as EventName)),
    [],
    'add it to `records` of a row in test/support/authority, or to `unasked` in rows.ts there',
  )
})
