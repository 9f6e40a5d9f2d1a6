// Decision 114.

import { createHash } from 'node:crypto'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import type { Logged } from '../src/domain/events.ts'
import type { Flair } from '../src/domain/flair.ts'
import type { ModEvent } from '../src/domain/mod-actions.ts'

/** Stands for a text of more than 2 KiB, so that entries stay small. */
export type TextDigest = { readonly bytes: number; readonly sha256: string }
export type FieldValue = string | number | boolean | readonly string[] | TextDigest | null

/** A change that an act made. A value is null if there was nothing, or nothing was left, or an earlier version did not record it. */
export type FieldChange = {
  readonly field: string
  readonly before: FieldValue
  readonly after: FieldValue
  /** The accounts under whose keys the texts are sealed. Their erasure blanks them. */
  readonly authors?: { readonly before: string | null; readonly after: string | null }
}

type Changes = readonly FieldChange[]

/** Names of rules, labels and flair never exceed it; sidebars and wiki pages may. */
const MAX_CHANGE_TEXT_BYTES = 2_048

const toBoundedValue = (value: FieldValue | undefined): FieldValue => {
  if (typeof value !== 'string') return value ?? null
  const bytes = Buffer.byteLength(value)
  return bytes <= MAX_CHANGE_TEXT_BYTES ? value : { bytes, sha256: createHash('sha256').update(value).digest('hex') }
}

const change = (field: string, before: FieldValue | undefined, after: FieldValue | undefined): Changes => [
  { field, before: toBoundedValue(before), after: toBoundedValue(after) },
]

/** Returns a change only if the values differ. Sealed texts must not be compared, since all erased ones are equal. */
const difference: typeof change = (field, before, after) => (before === after ? [] : change(field, before, after))

type Fields = Readonly<Record<string, FieldValue>>
/** Returns the differing fields. Undefined means that there was nothing, or that it is not recorded. */
const differences = (before: Fields | undefined, after: Fields | undefined): Changes =>
  Object.keys({ ...before, ...after }).flatMap((field) => difference(field, before?.[field], after?.[field]))

type Former = { readonly until: number | null; readonly note?: string; readonly noteBy?: string }
type NotedEvent = { readonly by: { readonly account: string | null }; readonly data: { readonly note?: string; readonly before?: Former } }

/** Returns the end of a restriction as an entry shows it: in seconds since 1970, or `permanent`. */
const toEnd = (until: number | null): FieldValue => (until === null ? 'permanent' : Math.floor(until / 1000))

/** Shows a note as changed wherever there was or is one: nobody knows whether an erased one differed. */
const noteChanges = ({ by, data: { note: after, before } }: NotedEvent): Changes =>
  after === undefined && before?.note === undefined
    ? []
    : change('note', before?.note, after).map((one) => ({ ...one, authors: { before: before?.noteBy ?? null, after: by.account } }))

type Imposed = NotedEvent & { readonly data: { readonly until: number | null; readonly previousUntil?: number | null } }
const toImposedChanges = (event: Imposed): Changes => {
  const { until, previousUntil } = event.data
  return [...difference('until', previousUntil === undefined ? null : toEnd(previousUntil), toEnd(until)), ...noteChanges(event)]
}
const toLiftedChanges = ({ by, data: { before } }: NotedEvent): Changes =>
  before === undefined ? [] : [...change('until', toEnd(before.until), null), ...noteChanges({ by, data: { before } })]

type Flaired = { readonly data: Flair & { readonly before?: Flair } }
/** `owner` is the account whose text it is. */
const flairChanges = ({ data: { text, css, before } }: Flaired, owner: string): Changes => [
  { field: 'text', before: before?.text ?? null, after: text, authors: { before: owner, after: owner } },
  ...difference('css_class', before?.css, css),
]

type Template = Flair & { readonly editable: boolean }
const templateFields = ({ text, css, editable }: Template): Fields => ({ text, css_class: css, text_editable: editable })
const templateChanges = (before: Template | undefined, after: Template | undefined): Changes =>
  differences(before && templateFields(before), after && templateFields(after))

const settingChanges = ({ data: { setting: name, before, after } }: Logged<'SubsiteSettingChanged' | 'FlairSettingChanged'>): Changes =>
  change(name, before, after)

/** Returns the changes that an act made, by the type of its event. Entries of the other types need none: their action says everything. */
export const modChanges: { readonly [Name in ModEvent]?: (event: Logged<Name>) => Changes } = {
  SubsiteSettingChanged: settingChanges,
  FlairSettingChanged: settingChanges,
  FlairTemplateAdded: ({ data }) => templateChanges(undefined, data),
  FlairTemplateChanged: ({ data }) => templateChanges(data.before, data),
  FlairTemplateDeleted: ({ data }) => templateChanges(data.before, undefined),
  FlairTemplatesCleared: ({ data: { templates } }) => (templates === undefined ? [] : change('templates', templates.length, 0)),
  UserFlairChanged: (event) => flairChanges(event, event.data.account),
  LinkFlairChanged: (event) => [
    ...flairChanges(event, event.data.author),
    ...difference('flair_template_id', event.data.before?.template ?? null, event.data.template ?? null),
  ],
  LinkSortSuggested: ({ data }) => change('suggested_sort', data.before, data.after),
  RuleCreated: ({ data: { name, description, kind } }) => differences(undefined, { short_name: name, description, kind }),
  RuleEdited: ({ data: { before, name, description, kind, previousDescription, previousKind } }) => [
    ...difference('short_name', before, name),
    ...difference('description', previousDescription, description),
    ...difference('kind', previousKind, kind),
  ],
  RuleDeleted: ({ data: { name, before } }) => differences({ short_name: name, ...before }, undefined),
  RulesReordered: ({ data }) => change('order', data.before, data.after),
  ModeratorAdded: ({ data }) => change('permissions', data.invitation, data.permissions),
  ModeratorInvited: ({ data }) => change('permissions', null, data.permissions),
  ModeratorInvitationWithdrawn: ({ data: { permissions } }) => difference('permissions', permissions, undefined),
  ModeratorInvitationAccepted: ({ data }) => change('permissions', null, data.permissions),
  ModeratorPermissionsChanged: ({ data }) => change('permissions', data.before, data.after),
  ModeratorRemoved: ({ data: { permissions } }) => difference('permissions', permissions, undefined),
  UserBanned: toImposedChanges,
  BanChanged: toImposedChanges,
  BanNoteChanged: noteChanges,
  UserUnbanned: toLiftedChanges,
  BanExpired: toLiftedChanges,
  UserWikiBanned: toImposedChanges,
  WikiBanChanged: toImposedChanges,
  WikiBanNoteChanged: noteChanges,
  UserWikiUnbanned: toLiftedChanges,
  WikiBanExpired: toLiftedChanges,
  UserMuted: toImposedChanges,
  MuteNoteChanged: noteChanges,
  UserUnmuted: toLiftedChanges,
  MuteExpired: toLiftedChanges,
  WikiPagePermlevelChanged: ({ data }) => change('permlevel', data.before, data.after),
  WikiPageListingChanged: ({ data: { listed } }) => change('listed', !listed, listed),
}

/** Blanks the texts of an account, also those that were empty: without the key nobody knows which ones were. */
export const withoutTextsOf = (account: string, changes: Changes): Changes =>
  changes.map((one) => {
    const { authors, before, after } = one
    const withoutText = (value: FieldValue, author: string | null | undefined) =>
      value !== null && author === account ? ERASED_PLACEHOLDER : value
    return authors === undefined ? one : { ...one, before: withoutText(before, authors.before), after: withoutText(after, authors.after) }
  })
