import test from 'ava'
import { textOf } from '../support/pages.ts'
import { clients, programs } from './clients.ts'
import { lineOf, resultsOf, withSections } from './results.ts'

const page = (...parts: readonly string[]) =>
  `before\n<!-- clients: made by \`npm run test:clients\` -->\n${parts.join('\n\n')}\n<!-- end of clients -->\nafter`
const table = (...rows: readonly string[]) => ['| client | version | works | does not |', '|---|---|---|---|', ...rows].join('\n')

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
  t.is(lineOf('PRAW', { outcome: 'failed', call: 'vote', reason: 'ended with 1\n    no\n    yes' }), '  ✘ PRAW › vote: ended with 1 no yes')
})

test('the page gets the sections of what was tried, and keeps those of clients that were left out', (t) => {
  const tried = [{ client: 'B 2', version: '2', results: resultsOf('ok\tlogin\nok\tvote\nruled out\tpolls\tnone at all') }]
  const a = '### a\n\nVersion 1: 1 of 1 work.\n\nWorks: login'
  const kept = page(table('| old |'), a, '### B 2\n\nVersion 1: 0 of 0 work.\n\nWorks: ', '### gone\n\nVersion 1: 0 of 0 work.')
  const b = '### B 2\n\nVersion 2: 2 of 3 work.\n\nWorks: login · vote\n\nDoes not, and why:\n\n- polls: none at all'
  const written = page(table('| [a](#a) | 1 | 1 | 0 |', '| [B 2](#b-2) | 2 | 2 | 1 |'), a, b)
  t.is(withSections(kept, 'clients', ['a', 'B 2', 'c'], tried), written)
  t.is(withSections(written, 'clients', ['a', 'B 2', 'c'], tried), written)
  t.throws(() => withSections('no place', 'clients', ['a'], tried))
})

test('docs/clients.md has a section for the pinned version of each client and program (npm run test:clients, npm run test:programs)', async (t) => {
  const text = await textOf('docs/clients.md')
  for (const { name, version } of [...clients, ...programs]) t.true(text.includes(`\n### ${name}\n\nVersion ${version}: `), name)
})
