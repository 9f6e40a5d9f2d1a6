import { join } from 'node:path'
import test from 'ava'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { proofsHold, vectorCases } from './vectors.ts'

test('paths and proofs of another size lead to no root', proofsHold)

vectorCases(test, 'data file', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const { events, close } = await openSqlite({ file })
  const history = sqliteHistory(`${file}.history`)
  t.teardown(async () => {
    await history.close()
    await close()
  })
  return { events, history }
})
