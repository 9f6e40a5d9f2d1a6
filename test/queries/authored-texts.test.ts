import test from 'ava'
import { projections } from '../../projections/all.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { type LinkDocument, links } from '../../projections/links.ts'
import { type ModLogDocument, modLog } from '../../projections/mod-log.ts'
import { ERASED_PLACEHOLDER } from '../../src/domain/event.ts'
import type { DocumentChange } from '../../src/ports/documents.ts'
import { textsOf } from '../../src/queries/authored-texts.ts'
import { openFile } from '../support/read-models.ts'

const at = (n: number) => String(n).padStart(20, '0')

const link = (n: number, title: string) =>
  ({ id: `t5_${n}`, seq: n, author: 't2_bob', subsite: 't3_tea', deleted: false, title }) as unknown as LinkDocument

const entry = (n: number, of: LinkDocument): ModLogDocument => ({
  id: `e${String(n).padStart(5, '0')}`,
  position: at(n),
  subsite: of.subsite,
  mod: 't2_ann',
  action: 'lock',
  details: null,
  description: null,
  page: null,
  target: { id: of.id, author: of.author, title: of.title, excerpt: null, link: null },
  targetId: of.id,
  changes: [],
  at: n,
  isAdmin: false,
})

/** The numbers of log entries that quote each of bob's links; an event names at most 5,000. */
const quoted = [3, 12_345, 0, 4_998, 7]

test('an erasure names every entry of the log that quotes what the account wrote, however many quote one thing', async (t) => {
  const { documents } = openFile(t).stores
  await documents.prepare(collectionsOf(projections))
  let position = 0
  const write = async (changed: readonly Omit<DocumentChange, 'position'>[]) => {
    const from = position === 0 ? undefined : at(position)
    position += 1
    await documents.write(
      changed.map((change) => ({ ...change, position: at(position) })),
      { name: 'all', from, to: at(position) },
    )
  }
  const entries = new Map<string, ModLogDocument>()
  for (const [n, count] of quoted.entries()) {
    const one = link(n, 'words of bob')
    for (let i = 0; i < count; i += 1) {
      const made = entry(entries.size, one)
      entries.set(made.id, made)
    }
    await write([{ collection: links, id: one.id, document: one }])
  }
  await write([...entries.values()].map((document) => ({ collection: modLog, id: document.id, document })))

  const named: string[] = []
  const things = new Set<string>()
  for (let next: string | null = null, events = 0; ; events += 1) {
    const texts = await textsOf(documents, { account: 't2_bob', thing: undefined }, next)
    t.true(texts.entries.length <= 5_000)
    named.push(...texts.entries)
    for (const id of texts.things) things.add(id)
    // as the projections do at the event
    const blank = texts.entries.map((id) => {
      const known = entries.get(id) as ModLogDocument
      const document: ModLogDocument = { ...known, target: known.target && { ...known.target, title: ERASED_PLACEHOLDER } }
      return { collection: modLog, id, document }
    })
    const erased = texts.things.map((id) => ({ collection: links, id, document: link(Number(id.slice(3)), ERASED_PLACEHOLDER) }))
    await write([...blank, ...erased])
    next = texts.next
    if (next === null) break
    t.true(events < 9)
  }
  t.deepEqual(
    [...things].toSorted(),
    quoted.map((_, n) => `t5_${n}`),
  )
  t.is(named.length, entries.size, 'each once')
  t.is(new Set(named).size, entries.size)
})
