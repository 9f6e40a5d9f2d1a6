import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Actor } from '../../domain/event.ts'
import type { EventName, EventNamed } from '../../domain/events.ts'

// What an entry of the moderators' log says was before an act and after it, by what the event of the act says.

const ERASED = '[erased]'
/** A longer text is counted and hashed. */
const MAX_TEXT_BYTES = 2_048

type Pair = readonly [before: unknown, after: unknown]
type Change = { readonly field: string; readonly before: unknown; readonly after: unknown; readonly authors?: Authors }
type Authors = { readonly before: string | null; readonly after: string | null }

const digested = (value: unknown): unknown => {
  const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0
  return bytes > MAX_TEXT_BYTES ? { bytes, sha256: hash('sha256', value as string) } : (value ?? null)
}

/** These fields, whether or not they differ. */
const all = (fields: Readonly<Record<string, Pair>>): readonly Change[] =>
  Object.entries(fields).map(([field, [before, after]]) => ({ field, before: digested(before), after: digested(after) }))

/** Those that differ, as far as they are in plain text. */
const differing = (fields: Readonly<Record<string, Pair>>): readonly Change[] =>
  all(Object.fromEntries(Object.entries(fields).filter(([, [before, after]]) => !isDeepStrictEqual(before, after))))

const seal = (field: string, pair: Pair, authors: Authors): readonly Change[] => all({ [field]: pair }).map((one) => ({ ...one, authors }))

type Restriction = { readonly until: number | null; readonly note?: string; readonly noteBy?: string }
type Restricting = {
  readonly until?: number | null
  readonly previousUntil?: number | null
  readonly note?: string
  readonly before?: Restriction
}

const seconds = (until: number | null | undefined): unknown => {
  if (until === undefined) return null
  return until === null ? 'permanent' : Math.floor(until / 1000)
}

const notes = ({ note, before }: Restricting, { account }: Actor): readonly Change[] =>
  [note, before?.note].some((text) => text !== undefined)
    ? seal('note', [before?.note, note], { before: before?.noteBy ?? null, after: account })
    : []

const imposing = (data: Restricting, by: Actor) => [
  ...differing({ until: [seconds(data.previousUntil), seconds(data.until)] }),
  ...notes(data, by),
]
const ending = ({ before }: Restricting, by: Actor) =>
  before ? [...all({ until: [seconds(before.until), null] }), ...notes({ before }, by)] : []

type Template = { readonly text: string; readonly css: string; readonly editable: boolean }
const ofTemplate = (before: Template | undefined, after: Template | undefined) =>
  differing({ text: [before?.text, after?.text], css_class: [before?.css, after?.css], text_editable: [before?.editable, after?.editable] })

type Flair = { readonly text: string; readonly css: string; readonly before?: { readonly text: string; readonly css: string } }
const ofFlair = ({ text, css, before }: Flair, owner: string) => [
  ...seal('text', [before?.text, text], { before: owner, after: owner }),
  ...differing({ css_class: [before?.css, css] }),
]

type BeforeAndAfter = { readonly before: unknown; readonly after: unknown }
const of = (field: string) => (data: BeforeAndAfter) => all({ [field]: [data.before, data.after] })
const ofSetting = ({ setting, before, after }: BeforeAndAfter & { readonly setting: string }) => all({ [setting]: [before, after] })
const ofSeat = ({ permissions }: { readonly permissions?: string }) =>
  permissions === undefined ? [] : all({ permissions: [permissions, null] })

const rules: { readonly [Name in EventName]?: (data: EventNamed<Name>['data'], by: Actor) => readonly Change[] } = {
  SubsiteSettingChanged: ofSetting,
  FlairSettingChanged: ofSetting,
  FlairTemplateAdded: (data) => ofTemplate(undefined, data),
  FlairTemplateChanged: (data) => ofTemplate(data.before, data),
  FlairTemplateDeleted: ({ before }) => ofTemplate(before, undefined),
  FlairTemplatesCleared: ({ templates }) => (templates ? all({ templates: [templates.length, 0] }) : []),
  UserFlairChanged: (data) => ofFlair(data, data.account),
  LinkFlairChanged: (data) => ofFlair(data, data.author),
  LinkSortSuggested: of('suggested_sort'),
  RuleCreated: ({ name, description, kind }) => all({ short_name: [null, name], description: [null, description], kind: [null, kind] }),
  RuleEdited: ({ before, name, previousDescription, description, previousKind, kind }) =>
    differing({ short_name: [before, name], description: [previousDescription, description], kind: [previousKind, kind] }),
  RuleDeleted: ({ name, before }) =>
    all({ short_name: [name, null], ...(before && { description: [before.description, null], kind: [before.kind, null] }) }),
  RulesReordered: of('order'),
  ModeratorAdded: ({ invitation, permissions }) => all({ permissions: [invitation, permissions] }),
  ModeratorInvited: ({ permissions }) => all({ permissions: [null, permissions] }),
  ModeratorInvitationWithdrawn: ofSeat,
  ModeratorInvitationAccepted: ({ permissions }) => all({ permissions: [null, permissions] }),
  ModeratorPermissionsChanged: of('permissions'),
  ModeratorRemoved: ofSeat,
  UserBanned: imposing,
  BanChanged: imposing,
  BanNoteChanged: notes,
  UserUnbanned: ending,
  BanExpired: ending,
  UserWikiBanned: imposing,
  WikiBanChanged: imposing,
  WikiBanNoteChanged: notes,
  UserWikiUnbanned: ending,
  WikiBanExpired: ending,
  UserMuted: imposing,
  MuteNoteChanged: notes,
  UserUnmuted: ending,
  MuteExpired: ending,
  WikiPagePermlevelChanged: of('permlevel'),
  WikiPageListingChanged: ({ listed }) => all({ listed: [!listed, listed] }),
}

export const changesOf = (type: EventName, data: object, by: Actor): readonly Change[] =>
  (rules[type] as ((data: object, by: Actor) => readonly Change[]) | undefined)?.(data, by) ?? []

/** Blanks what an account wrote of them. */
export const blankChanges = (changes: readonly Change[], account: string): readonly Change[] =>
  changes.map((one) => {
    const { authors } = one
    if (!authors) return one
    const [before, after] = (['before', 'after'] as const).map((side) =>
      authors[side] === account && one[side] !== null ? ERASED : one[side],
    )
    return { ...one, before, after }
  })
