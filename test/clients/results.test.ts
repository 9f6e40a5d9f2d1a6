import test from 'ava'
import { textOf } from '../support/pages.ts'
import { clients } from './clients.ts'
import { lineOf, resultsOf, withRows } from './results.ts'

const page = (...rows: readonly string[]) =>
  ['before', '<!-- clients: made by `npm run test:clients` -->', ...rows, '<!-- end of clients -->', 'after'].join('\n')
const head = ['| client | version | works | does not, and why |', '|---|---|---|---|']

test('what a program prints beside its results is no result', (t) => {
  t.deepEqual(resultsOf('hello\nok\tlogin\nfailed\tvote\tno\nruled out\tpolls\tnone\nokay\tx\nok\n'), [
    { outcome: 'ok', call: 'login', reason: '' },
    { outcome: 'failed', call: 'vote', reason: 'no' },
    { outcome: 'ruled out', call: 'polls', reason: 'none' },
  ])
})

test('results have the marks that the gate counts', (t) => {
  const marked = (outcome: 'ok' | 'failed' | 'ruled out') =>
    lineOf('PRAW', { outcome, call: 'vote', reason: outcome === 'ok' ? '' : 'why' })
  t.deepEqual(
    [marked('ok'), marked('failed'), marked('ruled out')],
    ['  ✔ PRAW › vote', '  ✘ PRAW › vote: why', '  - [skip] PRAW › vote: why'],
  )
})

test('the table gets the rows of what was tried, and keeps those of clients that were left out', (t) => {
  const tried = [{ client: 'b', version: '2', results: resultsOf('ok\tlogin\nok\tvote\nruled out\tpolls\tnone | at all') }]
  const kept = page(...head, '| a | 1 | 1 of 1: login |  |', '| b | 1 | 0 of 0:  |  |', '| gone | 1 | 0 of 0:  |  |')
  const written = page(...head, '| a | 1 | 1 of 1: login |  |', '| b | 2 | 2 of 3: login · vote | polls: none \\| at all |')
  t.is(withRows(kept, ['a', 'b', 'c'], tried), written)
  t.is(withRows(written, ['a', 'b', 'c'], tried), written)
  t.throws(() => withRows('no table', ['a'], tried))
})

test('docs/clients.md has a row for the pinned version of each client (npm run test:clients)', async (t) => {
  const text = await textOf('docs/clients.md')
  for (const { name, version } of clients) t.true(text.includes(`\n| ${name} | ${version} | `), name)
})
