import { readFileSync, writeFileSync } from 'node:fs'
import { entryLeaf, eventLeaf, subsiteOfAct } from '../../src/history/records.ts'
import type { RecordedEvent } from '../../src/ports/event-store.ts'

const file = new URL('../fixtures/history-leaves.txt', import.meta.url)
const secret = '5ec7e7'.padEnd(64, '0')

/** Returns the golden lines: the id and type of an event, its leaf, the subsite whose log it is an entry of, and the leaf of the entry. */
export const goldenLeaves = (): readonly string[] => readFileSync(file, 'utf8').trimEnd().split('\n')

export const leafLine = (event: RecordedEvent): string => {
  const leaf = eventLeaf(secret, event)
  const subsite = subsiteOfAct(event)
  const entry = subsite === undefined ? 'no entry' : `${subsite} ${entryLeaf({ k: 3, n: 7, event: leaf }).toString('base64')}`
  return `${event.id} ${event.type} ${leaf.toString('base64')} ${entry}`
}

/** Adds a line for each event that has none. An existing line is never touched, because heads of such trees were given out. */
export const addGoldenLeaves = (events: readonly RecordedEvent[]): void => {
  const known = new Set(goldenLeaves().map((line) => line.split(' ')[0]))
  const added = events.filter(({ id }) => !known.has(id)).map(leafLine)
  writeFileSync(file, [...goldenLeaves(), ...added, ''].join('\n'))
}
