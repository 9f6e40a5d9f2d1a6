import { readFileSync } from 'node:fs'
import test from 'ava'
import { provableTexts } from '../../src/domain/provable-texts.ts'
import { entryLeaf, eventLeaf, ownerOfAct, SITE, subsiteOfAct, textRecord } from '../../src/history/records.ts'
import { formerGolden } from '../support/golden.ts'
import { goldenLeaves, leafLine } from '../support/history-leaves.ts'
import { recordedEvents } from '../support/numbered-log.ts'
import { continueRecorded } from '../support/recorded-read-models.ts'

/** The golden lines of the site's log: the id of the event, and the leaf of the entry. */
const goldenOfSite = readFileSync(new URL('../fixtures/history-site-leaves.txt', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')

test('which events are entries of the log of the site, and their leaves, stay as they are', (t) => {
  const made = recordedEvents.flatMap((event) => {
    if (ownerOfAct(event) !== SITE) return []
    t.is(subsiteOfAct(event), undefined, 'no event is an entry of two logs')
    const leaf = entryLeaf({ k: 3, n: 7, event: eventLeaf('5ec7e7'.padEnd(64, '0'), event) })
    return [`${event.id} ${event.type} ${leaf.toString('base64')}`]
  })
  t.deepEqual(made, goldenOfSite)
})

test('which events are entries, and all leaves, stay as they are in trees whose heads were given out', (t) => {
  const known = new Map(goldenLeaves().map((line) => [line.split(' ')[0], line]))
  t.deepEqual(
    recordedEvents.map(leafLine).filter((line) => known.get(line.split(' ')[0]) !== line),
    [],
  )
  t.is(known.size, recordedEvents.length)
})

test('links and comments of earlier versions have leaves of the same form, without commitments to their texts', (t) => {
  const older = formerGolden.filter(({ seal, stored: { type } }) => seal !== 'commitment' && provableTexts.has(type))
  t.is(older.length, 8)
  for (const { stored, opened } of older) {
    const record = textRecord('5ec7e7', { ...stored, stream: 'comment-t1_7', revision: 0, position: '0'.repeat(20) })
    const written = provableTexts.get(stored.type)?.filter((name) => name in opened.data) ?? []
    t.deepEqual(record?.texts, Object.fromEntries(written.map((name) => [name, null])))
  }
})

test('the recorded history grows at its end and nowhere else', async (t) => {
  const lines = recordedEvents.map((event) => JSON.stringify(event))
  const [first = '', ...rest] = lines
  t.deepEqual(await continueRecorded(lines.slice(0, -1), lines), lines)
  await t.throwsAsync(continueRecorded(lines, [...rest, first]), { message: /add events at the end/ })
})
