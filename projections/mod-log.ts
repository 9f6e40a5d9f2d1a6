// Decision 12.

import { placesOf } from '../src/domain/account.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import type { Logged } from '../src/domain/events.ts'
import { isModLogEntry } from '../src/domain/is-mod-log-entry.ts'
import { actionOf, type ModAction, type ModEvent } from '../src/domain/mod-actions.ts'
import type { Document } from '../src/ports/documents.ts'
import type { Position } from '../src/ports/event-store.ts'
import { fieldOf } from '../src/ports/orders.ts'
import { change, collection, type Projection, putDocument, type Touch } from './engine/projection.ts'
import { type FieldChange, modChanges, withoutTextsOf } from './mod-log-changes.ts'
import { type ActedOn, type ModEntry, modEntries } from './mod-log-entries.ts'

/** One act of moderation; its id is that of the event. */
export type ModLogDocument = Document & {
  /** The position of the event. */
  readonly position: Position
  readonly subsite: string
  /** The account that acted; null for the service itself. */
  readonly mod: string | null
  readonly action: ModAction
  readonly details: string | null
  readonly description: string | null
  /** The wiki page that was acted on, which not everybody may view. */
  readonly page: string | null
  readonly target: ActedOn | null
  /** The target's id, as a field for indexes. */
  readonly targetId: string | null
  readonly changes: readonly FieldChange[]
  readonly at: number
  readonly isAdmin: boolean
}

/** The fields that filter the log. Each filter is indexed newest first in the log and newest first by time. */
const filters = [[], ['action'], ['mod'], ['action', 'mod'], ['isAdmin'], ['isAdmin', 'action'], ['targetId']] as const
const orders = [
  ['-position', '-id'],
  ['-at', '-position', '-id'],
] as const
/** The fields by which queries show or filter entries that they find by an index. */
const entryFields = ['at', 'action', 'mod', 'isAdmin'] as const

export const modLog = collection<ModLogDocument>({
  name: 'mod_log',
  version: 8,
  positions: ['position'],
  indexes: filters.flatMap((fields) =>
    orders.map((order) => {
      const indexed: readonly string[] = [...fields, ...order.map(fieldOf)]
      return { fields: ['subsite', ...fields, ...order] as const, covers: entryFields.filter((field) => !indexed.includes(field)) }
    }),
  ),
})

/** Returns the entry of an event, if it makes one. */
const entryOf =
  (describe: (event: never) => ModEntry) =>
  (event: Logged<ModEvent>): readonly Touch<ModLogDocument>[] => {
    if (!isModLogEntry(event)) return []
    const { action = actionOf[event.type], details = null, description = '', page = null, target = null } = describe(event as never)
    return [
      putDocument<ModLogDocument>({
        id: event.id,
        position: event.position,
        subsite: event.data.subsite,
        mod: event.by.account,
        action,
        details,
        description: description === '' ? null : description,
        page,
        target,
        targetId: target?.id ?? null,
        changes: modChanges[event.type]?.(event as never) ?? [],
        at: event.at,
        isAdmin: event.by.as === 'admin',
      }),
    ]
  }

/** Blanks an entry's texts about a thing whose author is erased. */
const blank =
  (account: string) =>
  (document: ModLogDocument): ModLogDocument => {
    const { target, changes } = document
    if (target === null) return document
    const { title, excerpt } = target
    return {
      ...document,
      target: { ...target, title: title === null ? null : ERASED_PLACEHOLDER, excerpt: excerpt === null ? null : ERASED_PLACEHOLDER },
      changes: withoutTextsOf(account, changes),
    }
  }

/** Blanks the texts of an erased account in the former and in the new state. */
const withoutChanges =
  (account: string) =>
  (document: ModLogDocument): ModLogDocument => ({ ...document, changes: withoutTextsOf(account, document.changes) })

/** Blanks the text of an erased moderator in an entry, also an empty one: without the key nobody knows which ones were. */
const withoutWords = (document: ModLogDocument): ModLogDocument => ({ ...document, description: ERASED_PLACEHOLDER })

export const modLogProjection: Projection<ModLogDocument> = {
  collection: modLog,
  inLogOrder: true,
  on: {
    AccountTextsErased: ({ data }: Logged<'AccountTextsErased'>) => [
      ...data.entries.map((id) => change(id, blank(data.account))),
      ...placesOf(data, 'entry').map((id) => change(id, withoutWords)),
      ...placesOf(data, 'change').map((id) => change(id, withoutChanges(data.account))),
    ],
    ...Object.fromEntries(Object.entries(modEntries).map(([name, describe]) => [name, entryOf(describe)])),
  },
}
