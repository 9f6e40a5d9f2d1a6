import { readFile } from 'node:fs/promises'
import test from 'ava'
import { countLimits } from '../../docs/limits-page.ts'

test('the decision names each of these limits, what it is, and whether it is exact', async (t) => {
  const text = await readFile(new URL('../../docs/decisions/0104-which-limits-are-exact.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| .* \| [\d,]+ \| /.test(line))
  t.deepEqual(
    rows.map((row) => row.split(' | ').slice(0, 3).join(' | ')),
    countLimits.map(([what, most, exact]) => `| ${what} | ${most.toLocaleString('en')} | ${exact}`),
  )
})
