// Decision 111.

import { hash } from 'node:crypto'
import type { Actor } from '../domain/event.ts'
import { isModLogEntry } from '../domain/is-mod-log-entry.ts'
import type { Json } from '../domain/json.ts'
import { isModEvent } from '../domain/mod-actions.ts'
import { provableTexts } from '../domain/provable-texts.ts'
import { isSiteAct, siteActionOf } from '../domain/site-acts.ts'
import { commitmentIn } from '../log/sealed-text.ts'
import { canonicalJson } from '../ports/canonical-json.ts'
import type { RecordedEvent } from '../ports/event-store.ts'
import { leafHash } from './merkle.ts'

/** Makes the leaves of the trees. Every format here is for ever: docs/decisions/0111-history-tree.md has them in words. */

/**
 * The number of events that are read at once when all of the log is read, and of those that are hashed before other work gets its turn: a
 * millisecond or two.
 */
export const PAGE_EVENTS = 1_000
export const SLICE_EVENTS = 200

const SALT_DIGITS = 32

/**
 * Returns the salt of an event, or of a field of one. Nobody without the secret can guess a leaf, however little the event says. The salt
 * is half of a hash, so that nothing can be derived from it.
 */
export const saltOf = (secret: string, event: string, field = ''): string =>
  hash('sha256', `${secret} ${event} ${field}`).slice(0, SALT_DIGITS)

/** Returns the commitment of a field. Only somebody with the salt can check its value, as canonical JSON, against it. */
export const commitmentTo = (salt: string, value: string): string => hash('sha256', `${salt}${value}`)

const membersOf = (name: string, text: string) =>
  Object.entries(JSON.parse(text) as Json).map(([member, value]) => [`${name}.${member}`, canonicalJson(value)] as const)

/** Returns the fields of an act as canonical JSON. Each can be shown alone. */
export const toRecordFields = ({ stream, revision, data, meta }: RecordedEvent): Readonly<Record<string, string>> => ({
  ...Object.fromEntries([...membersOf('data', data), ...membersOf('meta', meta)]),
  revision: canonicalJson(revision),
  stream: canonicalJson(stream),
})

type ActRecord = { readonly fields: Readonly<Record<string, string>>; readonly id: string; readonly type: string }

const actRecord = (secret: string, event: RecordedEvent): ActRecord => ({
  fields: Object.fromEntries(
    Object.entries(toRecordFields(event)).map(([name, value]) => [name, commitmentTo(saltOf(secret, event.id, name), value)]),
  ),
  id: event.id,
  type: event.type,
})

/** Returns the subsite whose moderation log has an event as an entry; undefined for other events. */
export const subsiteOfAct = ({ type, data, meta }: Pick<RecordedEvent, 'type' | 'data' | 'meta'>): string | undefined => {
  if (!isModEvent(type)) return undefined
  const { by } = JSON.parse(meta) as { readonly by: Actor }
  const fields = JSON.parse(data) as { readonly subsite: string }
  return isModLogEntry({ type, data: fields, by }) ? fields.subsite : undefined
}

/** An event with texts that can be proved one by one: their commitments, and one to everything that the event holds. */
export type TextRecord = {
  readonly id: string
  readonly rest: string
  readonly stream: string
  /** Null for a text of an earlier version. */
  readonly texts: Readonly<Record<string, string | null>>
  readonly type: string
}

/** Returns the record of an event with such texts; undefined for other events. */
export const textRecord = (secret: string, { stream, revision, id, type, data, meta }: RecordedEvent): TextRecord | undefined => {
  const names = provableTexts.get(type)
  if (names === undefined) return undefined
  const fields = JSON.parse(data) as Json
  const texts = names.flatMap((name) => {
    const sealed = fields[name]
    return typeof sealed === 'string' ? [[name, commitmentIn(sealed) ?? null] as const] : []
  })
  const rest = commitmentTo(saltOf(secret, id, 'rest'), `{"data":${data},"meta":${meta},"revision":${revision}}`)
  return { id, rest, stream, texts: Object.fromEntries(texts), type }
}

/** The owner of the site's log; no subsite has such an id. */
export const SITE = 'site'

/** Returns the leaf of an event with texts. It is canonical, since the members are in their order. */
export const textLeaf = (record: TextRecord): Buffer => leafHash(JSON.stringify(record))

/** Returns the owner of the log that has an event as an entry: a subsite, or the site. */
export const ownerOfAct = (event: Pick<RecordedEvent, 'type' | 'data' | 'meta'>): string | undefined => {
  if (!Object.hasOwn(siteActionOf, event.type)) return subsiteOfAct(event)
  return isSiteAct({ type: event.type, by: (JSON.parse(event.meta) as { readonly by: Actor }).by }) ? SITE : undefined
}

/** Returns the record of an event that is no act of moderation. It is canonical, since the parts are. */
const wholeRecord = (secret: string, { stream, revision, id, type, data, meta }: RecordedEvent): string =>
  `{"data":${data},"id":${JSON.stringify(id)},"meta":${meta},"revision":${revision},"salt":"${saltOf(secret, id)}","stream":${JSON.stringify(stream)},"type":${JSON.stringify(type)}}`

/** Returns the record of an event in the tree of the whole log, from the event as it is stored. */
export const eventRecord = (secret: string, event: RecordedEvent, isEntry = subsiteOfAct(event) !== undefined): string => {
  if (isEntry) return canonicalJson(actRecord(secret, event))
  const texts = textRecord(secret, event)
  return texts ? JSON.stringify(texts) : wholeRecord(secret, event)
}

export const eventLeaf = (...parameters: Parameters<typeof eventRecord>): Buffer => leafHash(eventRecord(...parameters))

/** The tree of a moderation log up to an entry. */
export type BoundTree = { readonly size: number; readonly root: Uint8Array }

/** Returns the record of an act in the tree of the log: the leaf of its event, and the tree of its moderation log up to it. */
export const boundRecord = (event: Uint8Array, { size, root }: BoundTree): string =>
  `{"event":"${Buffer.from(event).toString('hex')}","root":"${Buffer.from(root).toString('hex')}","size":${size}}`

export const boundLeaf = (event: Uint8Array, tree: BoundTree): Buffer => leafHash(boundRecord(event, tree))

/** Returns the record of an entry in the tree of its subsite. */
export const entryRecord = ({ k, n, event }: { readonly k: number; readonly n: number; readonly event: Uint8Array }): string =>
  `{"event":"${Buffer.from(event).toString('hex')}","k":${k},"n":${n}}`

/** Returns the leaf of an entry in the tree of its subsite. */
export const entryLeaf = (entry: Parameters<typeof entryRecord>[0]): Buffer => leafHash(entryRecord(entry))
