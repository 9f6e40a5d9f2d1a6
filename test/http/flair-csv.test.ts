import { five, startCast } from '../support/cast.ts'
import { postForm, recordsNothing } from '../support/community.ts'
import { flairList, flairScene } from '../support/flair.ts'
import { processorTime } from '../support/hostile-texts.ts'
import type { Answer } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

const parsed = ({ text }: Answer): unknown => JSON.parse(text)

test.serial('flaircsv returns a result for each line and applies the valid ones', async (t) => {
  const { bob, carol, dave } = t.context
  const { api, log } = await flairScene(t.context)
  const csv = [
    'bob,"Brewer, head",brown',
    'dave,Guest',
    'dave,Guest,grey,4',
    '',
    'nobody,Guest,grey',
    'dave,Guest,not_a_class',
    `DAVE,${'x'.repeat(70)},`,
    'carol,,',
    'bob,"Says ""hi""",',
    'bob,,',
  ].join('\r\n')
  const answer = await carol.post(api('flaircsv'), { flair_csv: `${csv}\n` })
  const results = parsed(answer) as readonly { ok: boolean; status: string; errors: object; warnings: object }[]
  t.deepEqual(
    results.map(({ ok, errors, warnings }) => [ok, ...Object.keys(errors), ...Object.keys(warnings)]),
    [[true], [false, 'row'], [false, 'row'], [false, 'row'], [false, 'user'], [false, 'css'], [true, 'text'], [true], [true], [true]],
  )
  t.deepEqual(
    [results[0]?.status, results[1]?.status, results[7]?.status],
    ['added flair for user bob', 'skipped', 'removed flair for user carol'],
  )
  t.deepEqual(await flairList(carol, api('flairlist')), [{ user: 'dave', flair_text: 'x'.repeat(64), flair_css_class: null }])
  t.deepEqual((await log()).toSorted(), [
    `carol editflair ${bob.id} flair_csv`,
    `carol editflair ${bob.id} flair_csv`,
    `carol editflair ${bob.id} flair_delete`,
    `carol editflair ${dave.id} flair_csv`,
  ])
})

test.serial('flaircsv applies at most 100 lines, in their order, and records only changes', async (t) => {
  const { site, carol } = t.context
  const { api } = await flairScene(t.context)
  t.deepEqual(parsed(await carol.post(api('flaircsv'), { flair_csv: '' })), [])
  t.deepEqual(parsed(await carol.post(api('flaircsv'))), [])
  const lines = Array.from({ length: 105 }, (_, n) => `bob,number ${n},`).join('\n')
  t.is((parsed(await carol.post(api('flaircsv'), { flair_csv: lines })) as unknown[]).length, 100)
  t.is((await flairList(carol, api('flairlist?name=bob')))[0]?.flair_text, 'number 99', 'in their order')
  t.true(await recordsNothing(site, () => postForm(carol, api('flaircsv'), { flair_csv: 'bob,number 99,' })))
})

test.serial('flaircsv warns of a cut only where the text in one line is too long', async (t) => {
  const { carol } = t.context
  const { api } = await flairScene(t.context)
  const [answer] = parsed(await carol.post(api('flaircsv'), { flair_csv: `bob,${'x'.repeat(60)}${'\u0001'.repeat(10)}y,` })) as object[]
  t.like(answer, { ok: true, warnings: {} })
  t.is((await flairList(carol, api('flairlist?name=bob')))[0]?.flair_text, `${'x'.repeat(60)} y`)
})

test.serial('flaircsv takes little time for quotes that are never closed and for long spaces', async (t) => {
  const { carol } = t.context
  const { api } = await flairScene(t.context)
  const open = await carol.post(api('flaircsv'), { flair_csv: `bob,"never closed,\n${'"'.repeat(1001)}` })
  t.is(open.status, 200, open.text)
  for (const space of [' ', '\t', '\u3000', '\r'])
    for (const end of [',a,b', '\n,a']) {
      const slow = `"${'"x'.repeat(50_000)}${space.repeat(100_000)}${end}`
      const spent = await processorTime(() => carol.post(api('flaircsv'), { flair_csv: slow }))
      t.true(spent < 400, `${JSON.stringify(space + end)}: ${spent.toFixed()} ms for quotes and spaces`)
    }
})

test.serial('flaircsv repeated with the same Idempotency-Key gets the same response and changes nothing', async (t) => {
  const { site, carol } = t.context
  const { api } = await flairScene(t.context)
  const key = { 'Idempotency-Key': 'csv' }
  const twice = () => carol.request('POST', api('flaircsv'), { form: { flair_csv: 'bob,a,\ndave,b,' }, headers: key })
  const first = await twice()
  t.true(await recordsNothing(site, async () => t.is((await twice()).text, first.text)))
})
