import { createHash } from 'node:crypto'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import type { Logged } from '../src/domain/events.ts'
import type { Flair } from '../src/domain/flair.ts'
import type { ModEvent } from '../src/domain/mod-actions.ts'

/** A longer text is named by its size and hash, so that entries stay small. */
export type TextDigest = { readonly bytes: number; readonly sha256: string }
export type FieldValue = string | number | boolean | readonly string[] | TextDigest | null

/** What an act changed: null where there was nothing, or nothing was left, or an earlier version did not record what there was. */
export type FieldChange = {
  readonly field: string
  readonly before: FieldValue
  readonly after: FieldValue
  /** Of a text that an account's erasure blanks: as whose it is sealed. */
  readonly authors?: { readonly before: string | null; readonly after: string | null }
}

type Changes = readonly FieldChange[]

/** Rules, labels and flair are shorter; the texts of the sidebar and of pages may not be. */
const MAX_CHANGE_TEXT_BYTES = 2_048

const bounded = (value: FieldValue | undefined): FieldValue => {
  if (typeof value !== 'string') return value ?? null
  const bytes = Buffer.byteLength(value)
  return bytes <= MAX_CHANGE_TEXT_BYTES ? value : { bytes, sha256: createHash('sha256').update(value).digest('hex') }
}

const change = (field: string, before: FieldValue | undefined, after: FieldValue | undefined): Changes => [
  { field, before: bounded(before), after: bounded(after) },
]

/** Only if it differs; never of a sealed text, which is the same as any other once it is erased. */
const difference: typeof change = (field, before, after) => (before === after ? [] : change(field, before, after))

type Fields = Readonly<Record<string, FieldValue>>
/** The differing ones of some fields; undefined: there was nothing, or it is not recorded. */
const differences = (before: Fields | undefined, after: Fields | undefined): Changes =>
  Object.keys({ ...before, ...after }).flatMap((field) => difference(field, before?.[field], after?.[field]))

type Former = { readonly until: number | null; readonly note?: string; readonly noteBy?: string }
type Note = { readonly by: { readonly account: string | null }; readonly data: { readonly note?: string; readonly before?: Former } }

/** Of a restriction: seconds since 1970, or for good. */
const end = (until: number | null): FieldValue => (until === null ? 'permanent' : Math.floor(until / 1000))

/** Shown as changed wherever there was or is a note: whether an erased one differed is not known. */
const note = ({ by, data: { note: after, before } }: Note): Changes =>
  after === undefined && before?.note === undefined
    ? []
    : change('note', before?.note, after).map((one) => ({ ...one, authors: { before: before?.noteBy ?? null, after: by.account } }))

type Imposed = Note & { readonly data: { readonly until: number | null; readonly previousUntil?: number | null } }
const imposed = (event: Imposed): Changes => {
  const { until, previousUntil } = event.data
  return [...difference('until', previousUntil === undefined ? null : end(previousUntil), end(until)), ...note(event)]
}
const lifted = ({ by, data: { before } }: Note): Changes =>
  before === undefined ? [] : [...change('until', end(before.until), null), ...note({ by, data: { before } })]

type Flaired = { readonly data: Flair & { readonly before?: Flair } }
/** `owner`: whose text it is. */
const flair = ({ data: { text, css, before } }: Flaired, owner: string): Changes => [
  { field: 'text', before: before?.text ?? null, after: text, authors: { before: owner, after: owner } },
  ...difference('css_class', before?.css, css),
]

type Template = Flair & { readonly editable: boolean }
const templateFields = ({ text, css, editable }: Template): Fields => ({ text, css_class: css, text_editable: editable })
const template = (before: Template | undefined, after: Template | undefined): Changes =>
  differences(before && templateFields(before), after && templateFields(after))

const setting = ({ data: { setting: name, before, after } }: Logged<'SubsiteSettingChanged' | 'FlairSettingChanged'>): Changes =>
  change(name, before, after)

/** What the acts changed that change a state; of the others the entry says all. */
export const modChanges: { readonly [Name in ModEvent]?: (event: Logged<Name>) => Changes } = {
  SubsiteSettingChanged: setting,
  FlairSettingChanged: setting,
  FlairTemplateAdded: ({ data }) => template(undefined, data),
  FlairTemplateChanged: ({ data }) => template(data.before, data),
  FlairTemplateDeleted: ({ data }) => template(data.before, undefined),
  FlairTemplatesCleared: ({ data: { templates } }) => (templates === undefined ? [] : change('templates', templates.length, 0)),
  UserFlairChanged: (event) => flair(event, event.data.account),
  LinkFlairChanged: (event) => flair(event, event.data.author),
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
  UserBanned: imposed,
  BanChanged: imposed,
  BanNoteChanged: note,
  UserUnbanned: lifted,
  BanExpired: lifted,
  UserWikiBanned: imposed,
  WikiBanChanged: imposed,
  WikiBanNoteChanged: note,
  UserWikiUnbanned: lifted,
  WikiBanExpired: lifted,
  UserMuted: imposed,
  MuteNoteChanged: note,
  UserUnmuted: lifted,
  MuteExpired: lifted,
  WikiPagePermlevelChanged: ({ data }) => change('permlevel', data.before, data.after),
  WikiPageListingChanged: ({ data: { listed } }) => change('listed', !listed, listed),
}

/** Without the texts of an account. Whether one of them was empty is not known without the key. */
export const withoutTextsOf = (account: string, changes: Changes): Changes =>
  changes.map((one) => {
    const { authors, before, after } = one
    const kept = (value: FieldValue, author: string | null | undefined) =>
      value !== null && author === account ? ERASED_PLACEHOLDER : value
    return authors === undefined ? one : { ...one, before: kept(before, authors.before), after: kept(after, authors.after) }
  })
