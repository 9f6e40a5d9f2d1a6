import test from 'ava'
import { startCast } from '../support/cast.ts'
import { foundSubsite } from '../support/posting.ts'

const { site, ann, bob } = await startCast(['ann', 'bob'])
test.after.always(() => site.stop())

test('one account that sends more long texts at once than are rendered for it is told to wait, and can then go on', async (t) => {
  await foundSubsite(ann, 'tea')
  const send = (who: typeof ann, n: number) =>
    who.post('/api/submit', { sr: 'tea', kind: 'self', title: `long ${n}`, text: `${n} ${'> a\n\n'.repeat(6_000)}`, api_type: 'json' })
  const sent = Array.from({ length: 24 }, (_, n) => n)
  const [answers, others] = await Promise.all([Promise.all(sent.map((n) => send(ann, n))), send(bob, 99)])
  t.is(others.status, 200, 'another account has places of its own')
  t.deepEqual([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 429])
  const refused = sent.filter((n) => answers[n]?.status === 429)
  t.true(refused.length >= 1 && refused.length <= 24 - 16, String(refused.length))
  for (const n of refused) {
    t.is(answers[n]?.at('reason'), 'TOO_MANY_AT_ONCE')
    t.regex(String(answers[n]?.at('explanation')), /wait for their responses/)
    t.regex(answers[n]?.headers.get('retry-after') ?? '', /^\d+$/)
  }
  for (const n of refused.slice(0, 2)) t.is((await send(ann, n)).status, 200)
})
