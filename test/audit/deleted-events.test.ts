import test from 'ava'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { integrityErrors } from '../../src/adapters/sqlite/schema.ts'
import { auditInputOf } from '../../src/cli/audit-input.ts'
import { findingsIn } from '../support/auditing.ts'
import { story } from '../support/example-history.ts'
import { withoutTriggers } from '../support/full-file.ts'
import { catchUp, openFile } from '../support/read-models.ts'

test('the audit finds the deletion of any single event, also of the last one of a stream or of the log', async (t) => {
  const { connection, stores, ports, append } = openFile(t)
  await append(story)
  await catchUp(await openReadModels(ports, projections))
  const all = connection.db.prepare('SELECT * FROM event ORDER BY pos').all()
  const remove = connection.db.prepare('DELETE FROM event WHERE pos = ?')
  const put = connection.db.prepare('INSERT INTO event(pos, stream, rev, id, type, data, meta) VALUES(?, ?, ?, ?, ?, ?, ?)')
  const problems = async () => [
    ...integrityErrors(connection),
    ...(await findingsIn(t, auditInputOf(stores, { isFile: true, admins: [] }))).flatMap((one) => ('problem' in one ? [one.problem] : [])),
  ]
  t.deepEqual(await problems(), [])
  for (const { pos = null, stream = null, rev = null, id = null, type = null, data = null, meta = null } of all) {
    withoutTriggers(connection, () => remove.run(pos))
    const found = await problems()
    const expected =
      pos === all.length ? /^the log ends at position 30, but the last one assigned was 31$/ : /^an event is missing right before it$/
    t.true(
      found.some((problem) => expected.test(problem)),
      `${type} at ${pos}: ${found}`,
    )
    withoutTriggers(connection, () => put.run(pos, stream, rev, id, type, data, meta))
  }
  t.deepEqual(await problems(), [])
})
