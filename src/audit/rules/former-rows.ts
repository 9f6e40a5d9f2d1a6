// Decision 92.

import type { EventNamed, Logged } from '../../domain/events.ts'
import type { RelationType } from '../../domain/relation-types.ts'
import type { LedgerEntry } from '../ledger.ts'
import { isTrueOf, WRONG_FORMER_STATE } from './former.ts'
import { isLinkName, type LedgerRules, type Note, readRow } from './rule.ts'

// Compares the former states that moderation events record with the rows of earlier events.

/** `was` is the state in the row of the ledger, also if there is none. */
const compare = <Row extends object>(
  book: string,
  id: string,
  recorded: unknown,
  was: (row: Row | undefined) => unknown,
  note: Note,
): LedgerEntry =>
  readRow<Row>(book, id, (row) => {
    if (!isTrueOf(was(row), recorded)) note(WRONG_FORMER_STATE)
  })

type Thing = { readonly removed: object | null; readonly distinguished: string | null; readonly suggestedSort?: string }
type OnThing = { readonly target: { readonly id: string }; readonly before: unknown }

const thingRule = ({ target: { id }, before }: OnThing, was: (row: Thing) => unknown, note: Note): LedgerEntry =>
  compare<Thing>(isLinkName(id) ? 'links' : 'comments', id, before, (row) => (row ? was(row) : before), note)

type Verdict = { readonly data: OnThing }
const verdictRule = ({ data }: Verdict, note: Note) => [thingRule(data, ({ removed }) => removed !== null, note)]
const distinctionRule = ({ data }: Verdict, note: Note) => [thingRule(data, (row) => row.distinguished, note)]

type Pair = { readonly subsite: string; readonly account: string }
const relationEntry = (
  { subsite, account }: Pair,
  type: RelationType,
  field: 'permissions' | 'until',
  recorded: unknown,
  note: Note,
): LedgerEntry =>
  compare<Readonly<Record<string, unknown>>>('relations', `${subsite}.${account}.${type}`, recorded, (row) => row?.[field], note)

type RuleRow = { readonly name: string; readonly description: string; readonly kind: string }
type RulesRow = { readonly rules: readonly RuleRow[] }
const rule = (subsite: string, name: string, recorded: Partial<RuleRow> | undefined, note: Note): LedgerEntry =>
  compare<RulesRow>(
    'subsites',
    subsite,
    recorded && { description: recorded.description, kind: recorded.kind },
    (row) => {
      const was = row?.rules.find((one) => one.name === name)
      return was && { description: was.description, kind: was.kind }
    },
    note,
  )

/** Checks that nobody ends or changes a relation that does not exist. */
const relationRule =
  (type: RelationType) =>
  ({ data: { subsite, account } }: { readonly data: Pair }, note: Note): readonly LedgerEntry[] => [
    readRow('relations', `${subsite}.${account}.${type}`, (row) => {
      if (row === undefined) note(`${account} was not a ${type} of ${subsite}`)
    }),
  ]

type Preference = { readonly preference: string; readonly value: unknown }
type Preferences = { readonly preferences: readonly Preference[] }

/** Checks that the changes lead from the preferences before to those after, both of which the event contains. */
const preferenceRule = ({ data: { account, changes, preferences } }: Logged<'PreferencesChanged'>, note: Note): LedgerEntry =>
  readRow<Preferences>('preferences', account, (row) => {
    const known = new Map(row?.preferences.map(({ preference, value }) => [preference, value]))
    for (const { preference, before, after } of changes) {
      if (known.has(preference) && known.get(preference) !== before) note(`its previous value of ${preference} differs`)
      known.set(preference, after)
    }
    for (const { preference, value } of preferences)
      if (known.get(preference) !== value) note(`it records a value of ${preference} that no earlier event set`)
  })

type Image = { readonly name: string; readonly hash: string }
type Appearance = Readonly<Record<'header' | 'icon' | 'banner', Image | null>> & {
  readonly named: readonly Image[]
  readonly css: string | null
}
const image = ({ subsite, use, name }: Omit<EventNamed<'ImageDeleted'>['data'], 'hash'>, before: unknown, note: Note): LedgerEntry => {
  const was = (row?: Appearance) => (use === 'img' ? row?.named.find((one) => one.name === name) : row?.[use])
  return compare<Appearance>('appearances', subsite, before, (row) => was(row)?.hash ?? null, note)
}

type PageRow = { readonly permlevel: number; readonly current: string | null }
type InWiki = { readonly subsite: string; readonly page: string }
const page = ({ subsite, page: name }: InWiki, recorded: unknown, was: (row: PageRow | undefined) => unknown, note: Note): LedgerEntry =>
  compare<PageRow>('wiki_pages', `${subsite}.${name}`, recorded, was, note)
const revision = (place: InWiki, previous: string | null | undefined, note: Note): LedgerEntry =>
  page(place, previous, (row) => row?.current ?? null, note)

const endRule = (type: RelationType) => (event: Logged<'BanChanged' | 'WikiBanChanged'>, note: Note) => [
  relationEntry(event.data, type, 'until', event.data.previousUntil, note),
  ...relationRule(type)(event, note),
]

export const formerRowRules: LedgerRules = {
  LinkRemoved: verdictRule,
  LinkApproved: verdictRule,
  CommentRemoved: verdictRule,
  CommentApproved: verdictRule,
  LinkDistinguished: distinctionRule,
  CommentDistinguished: distinctionRule,
  LinkSortSuggested: ({ data }, note) => [thingRule(data, ({ suggestedSort }) => suggestedSort, note)],
  BanChanged: endRule('banned'),
  WikiBanChanged: endRule('wikibanned'),
  ModeratorAdded: ({ data }, note) => [relationEntry(data, 'moderator_invite', 'permissions', data.invitation, note)],
  ModeratorInvitationWithdrawn: (event, note) => [
    relationEntry(event.data, 'moderator_invite', 'permissions', event.data.permissions, note),
    ...relationRule('moderator_invite')(event, note),
  ],
  ModeratorRemoved: (event, note) => [
    relationEntry(event.data, 'moderator', 'permissions', event.data.permissions, note),
    ...relationRule('moderator')(event, note),
  ],
  ModeratorPermissionsChanged: ({ data }, note) => [
    relationEntry(data, data.invitation ? 'moderator_invite' : 'moderator', 'permissions', data.before, note),
  ],
  BanNoteChanged: relationRule('banned'),
  UserUnbanned: relationRule('banned'),
  BanExpired: relationRule('banned'),
  WikiBanNoteChanged: relationRule('wikibanned'),
  UserWikiUnbanned: relationRule('wikibanned'),
  WikiBanExpired: relationRule('wikibanned'),
  MuteNoteChanged: relationRule('muted'),
  UserUnmuted: relationRule('muted'),
  MuteExpired: relationRule('muted'),
  WikiContributorRemoved: relationRule('wikicontributor'),
  ContributorRemoved: relationRule('contributor'),
  SubsiteSettingChanged: ({ data: { subsite, setting, before } }, note) => [
    compare<{ readonly settings: Readonly<Record<string, unknown>> }>('subsites', subsite, before, (row) => row?.settings[setting], note),
  ],
  PreferencesChanged: (event, note) => [preferenceRule(event, note)],
  RuleEdited: ({ data: { subsite, before, previousDescription: description, previousKind: kind } }, note) => [
    rule(subsite, before, description === undefined || kind === undefined ? undefined : { description, kind }, note),
  ],
  RuleDeleted: ({ data: { subsite, name, before } }, note) => [rule(subsite, name, before, note)],
  RulesReordered: ({ data: { subsite, before } }, note) => [
    compare<RulesRow>('subsites', subsite, before, (row) => row?.rules.map(({ name }) => name), note),
  ],
  ImageUploaded: ({ data }, note) => [image(data, data.before, note)],
  ImageDeleted: ({ data }, note) => [image(data, data.hash, note)],
  StylesheetSaved: ({ data: { subsite, previous, before } }, note) => [
    revision({ subsite, page: 'config/stylesheet' }, previous, note),
    compare<Appearance>('appearances', subsite, before, (row) => row?.css ?? null, note),
  ],
  WikiPageRevised: ({ data }, note) => [revision(data, data.previous, note)],
  WikiPagePermlevelChanged: ({ data }, note) => [page(data, data.before, (row) => row?.permlevel ?? 0, note)],
}
