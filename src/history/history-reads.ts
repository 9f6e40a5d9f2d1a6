import { provableTexts } from '../domain/provable-texts.ts'
import { pagesAfter } from '../log/pages.ts'
import type { OpenedText } from '../log/sealed-text.ts'
import type { EventStore, RecordedEvent } from '../ports/event-store.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import { readBindingStart, treeBoundBy } from './binding.ts'
import { entryIn } from './entry-rows.ts'
import { inclusionPlan } from './merkle.ts'
import { followKeys, keysIn, lastNote, lastOrigin, type Origin, type OriginKey, originsIn, verifierKeys } from './origins.ts'
import {
  type BoundTree,
  commitmentTo,
  eventLeaf,
  eventRecord,
  ownerOfAct,
  saltOf,
  type TextRecord,
  textLeaf,
  textRecord,
  toRecordFields,
} from './records.ts'
import { logTree, proofIn, rowAt, subsiteTree, subsiteTrees, TILE_WIDTH, tileOf, treeOf } from './trees.ts'
import { lastCosigned, MAX_SIZE } from './witnesses.ts'

/** A field of an act: its commitment and, for those who may read it, the value with the salt. */
export type OpenedField = { readonly name: string; readonly commitment: string; readonly salt?: string; readonly value?: string }

/** An act of moderation as it is in both trees. */
export type NumberedAct = {
  readonly k: number
  readonly n: number
  readonly event: RecordedEvent
  readonly leaf: Uint8Array
  /** The owner of the log that it is an entry of. */
  readonly owner: string
  /** Returns the record that the leaf is made of: of an act on the whole site all of it, of others the commitments. */
  readonly record: () => string
  /** Returns its fields, with the values of those that may be shown. */
  readonly fields: (isShown: (name: string) => boolean) => readonly OpenedField[]
}

/** An event with texts of a thing as it is in the tree of the log. */
export type EventTexts = {
  /** Undefined until it is numbered. */
  readonly n: number | undefined
  readonly leaf: Uint8Array
  readonly record: TextRecord
  readonly texts: ReadonlyMap<string, OpenedText>
}

/** The proof that a leaf is in a tree with a signed head; absent until there is one. */
export type Inclusion = { readonly checkpoint: string; readonly index: number; readonly path: readonly Uint8Array[] }

/** The owner of a tree; `undefined` is the whole log. */
export type TreeOwner = string | undefined

export type HistoryReads = {
  /** Returns the present origin, and those that each names before it. */
  readonly origins: () => Promise<readonly Origin[]>
  readonly keys: () => Promise<{ readonly stored: readonly OriginKey[]; readonly verifiers: readonly string[] }>
  /** Returns the number of the first event whose leaf binds the tree of its moderation log; undefined if there is none yet. */
  readonly bindingFrom: () => Promise<number | undefined>
  /** Returns the tree that the leaf of an act in the tree of the log binds; undefined if an earlier version made the leaf. */
  readonly boundBy: (act: Pick<NumberedAct, 'n' | 'k' | 'owner'>) => Promise<BoundTree | undefined>
  /** Returns the last signed head with the cosignatures that it has: its time, and, of the log, those of witnesses. */
  readonly checkpoint: (owner: TreeOwner) => Promise<string | undefined>
  /** Returns the last head of the log that somebody cosigned. */
  readonly readCosigned: () => Promise<string | undefined>
  readonly tile: (
    owner: TreeOwner,
    place: { readonly level: number; readonly index: number; readonly width: number },
  ) => Promise<Uint8Array | undefined>
  /** Returns the numbers of acts by their events, if they are numbered. */
  readonly numbers: (events: readonly string[]) => Promise<ReadonlyMap<string, { readonly k: number; readonly n: number }>>
  /** Returns the act of an event, once it is numbered. */
  readonly act: (event: string) => Promise<NumberedAct | undefined>
  /** Returns the acts of a subsite from `k` on. */
  readonly acts: (subsite: string, k: number, limit: number) => Promise<readonly NumberedAct[]>
  /** Returns the texts of an event by their places in its data, each with its salt unless it is erased or of an earlier version. */
  readonly texts: (event: RecordedEvent) => Promise<ReadonlyMap<string, OpenedText>>
  /** Returns the first and the last event with texts in the stream of a thing. */
  readonly textsOf: (stream: string) => Promise<readonly EventTexts[]>
  readonly inclusion: (owner: TreeOwner, index: number) => Promise<Inclusion | undefined>
}

type Ports = {
  readonly events: Pick<EventStore, 'read' | 'readBackwards'>
  readonly history: HistoryStore
  readonly secret: string
  readonly texts: HistoryReads['texts']
}

/** Returns the second line of a checkpoint, the size. */
export const sizeIn = (checkpoint: string): number => Number(checkpoint.split('\n')[1])

export const openHistoryReads = ({ events, history, secret, texts }: Ports): HistoryReads => {
  const origin = async (): Promise<Origin> => {
    const last = await lastOrigin(history)
    if (!last) throw new Error('the history has no origin')
    return last
  }
  const treeNamed = async (owner: TreeOwner) => {
    const { number } = await origin()
    return owner === undefined ? logTree(number) : subsiteTree(number, owner)
  }

  const checkpointOf = async (tree: string): Promise<string | undefined> => {
    const note = await lastNote(history, tree)
    const cosigned = note === undefined ? undefined : await lastCosigned(history, tree, sizeIn(note))
    return note !== undefined && cosigned?.size === sizeIn(note) ? note + cosigned.lines : note
  }

  const actIn = async (row: HistoryRow): Promise<NumberedAct> => {
    const { n, stream, revision } = entryIn(row)
    const [event] = (await events.read(stream, revision, 1)).events
    if (!event) throw new Error(`event ${n}, revision ${revision} of ${stream}, is not in the log`)
    const fields: NumberedAct['fields'] = (isShown) =>
      Object.entries(toRecordFields(event))
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => {
          const salt = saltOf(secret, event.id, name)
          return { name, commitment: commitmentTo(salt, value), ...(isShown(name) && { salt, value }) }
        })
    return {
      k: row.number,
      n,
      event,
      leaf: eventLeaf(secret, event),
      owner: ownerOfAct(event) ?? '',
      record: () => eventRecord(secret, event),
      fields,
    }
  }

  const lastText = async (stream: string): Promise<RecordedEvent | undefined> => {
    for await (const page of pagesAfter(events, stream)) {
      const found = page.find(({ type }) => provableTexts.has(type))
      if (found) return found
    }
    return undefined
  }

  return {
    origins: async () => {
      // rows that no origin names were put there by somebody else
      const chain: Origin[] = []
      for (const one of (await originsIn(history)).toReversed())
        if (chain.length === 0 || one.name === chain.at(-1)?.previous?.name) chain.push(one)
      return chain
    },
    keys: async () => {
      const current = await origin()
      const stored = await keysIn(history, current.number)
      const keys = followKeys(current, stored)
      return { stored, verifiers: typeof keys === 'string' ? [] : verifierKeys(current, logTree(current.number), keys) }
    },
    bindingFrom: async () => readBindingStart(history, await origin()),
    boundBy: async (act) => treeBoundBy(history, await origin(), act),
    checkpoint: async (owner) => checkpointOf(await treeNamed(owner)),
    readCosigned: async () => {
      const tree = await treeNamed(undefined)
      const cosigned = await lastCosigned(history, tree, MAX_SIZE)
      const head = cosigned && (await rowAt(history, tree, 'head', cosigned.size))
      return head && `${Buffer.from(head.value)}${cosigned.lines}`
    },
    tile: async (owner, place) => {
      const name = await treeNamed(owner)
      const checkpoint = await lastNote(history, name)
      // leaves are shown only once they are signed: earlier, they would tell when events came, and a power cut could change their hashes
      const signed = checkpoint === undefined ? 0 : sizeIn(checkpoint)
      if (place.index * TILE_WIDTH + place.width > Math.floor(signed / TILE_WIDTH ** place.level)) return undefined
      return tileOf(history, treeOf(name, await history.state(name)), place)
    },
    numbers: async (wanted) => {
      const { number } = await origin()
      const rows = await history.named(subsiteTrees(number), wanted)
      return new Map([...rows].map(([id, row]) => [id, { k: row.number, n: entryIn(row).n }]))
    },
    act: async (event) => {
      const { number } = await origin()
      const row = (await history.named(subsiteTrees(number), [event])).get(event)
      return row && actIn(row)
    },
    acts: async (subsite, k, limit) => {
      const rows = await history.list(await treeNamed(subsite), 'entry', k, limit)
      const acts: NumberedAct[] = []
      for (const row of rows) acts.push(await actIn(row))
      return acts
    },
    texts,
    textsOf: async (stream) => {
      const [first] = (await events.read(stream, 0, 1)).events
      const last = await lastText(stream)
      const endTexts = [...new Map([first, last].flatMap((event) => (event ? [[event.id, event] as const] : []))).values()]
      const rows = await history.named(
        await treeNamed(undefined),
        endTexts.map(({ id }) => id),
      )
      const found: EventTexts[] = []
      for (const event of endTexts) {
        const record = textRecord(secret, event)
        if (record) found.push({ n: rows.get(event.id)?.number, leaf: textLeaf(record), record, texts: await texts(event) })
      }
      return found
    },
    inclusion: async (owner, index) => {
      const name = await treeNamed(owner)
      const checkpoint = await checkpointOf(name)
      if (checkpoint === undefined || sizeIn(checkpoint) <= index) return undefined
      const tree = treeOf(name, await history.state(name))
      return { checkpoint, index, path: await proofIn(history, tree, inclusionPlan(index, sizeIn(checkpoint))) }
    },
  }
}
