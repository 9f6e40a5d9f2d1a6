import type { EventNamed, Logged } from '../../domain/events.ts'
import type { RelationType } from '../../domain/relation-types.ts'
import { type Entry, short } from '../ledger.ts'
import { isTrueOf, WRONG_FORMER_STATE } from './former.ts'
import { isLinkName, look, type Note, type Rules } from './rule.ts'

// What events of moderation say was there before them is what read models of earlier events have.

/** `was`: what the row of the ledger says, also if there is none. */
const compare = <Row extends object>(
  book: string,
  id: string,
  recorded: unknown,
  was: (row: Row | undefined) => unknown,
  note: Note,
): Entry =>
  look<Row>(book, id, (row) => {
    if (!isTrueOf(was(row), recorded)) note(WRONG_FORMER_STATE)
  })

type Thing = { readonly removed: object | null; readonly distinguished: string | null; readonly suggestedSort?: string }
type OnThing = { readonly target: { readonly id: string }; readonly before: unknown }

const thing = ({ target: { id }, before }: OnThing, was: (row: Thing) => unknown, note: Note): Entry =>
  compare<Thing>(isLinkName(id) ? 'links' : 'comments', id, before, (row) => (row ? was(row) : before), note)

type Verdict = { readonly data: OnThing }
const judged = ({ data }: Verdict, note: Note) => [thing(data, ({ removed }) => removed !== null, note)]
const distinguished = ({ data }: Verdict, note: Note) => [thing(data, (row) => row.distinguished, note)]

type Pair = { readonly subsite: string; readonly account: string }
const related = ({ subsite, account }: Pair, type: RelationType, field: 'permissions' | 'until', recorded: unknown, note: Note): Entry =>
  compare<Readonly<Record<string, unknown>>>('relations', `${subsite}.${account}.${type}`, recorded, (row) => row?.[field], note)

type RuleRow = { readonly name: string; readonly description: string; readonly kind: string }
type RulesRow = { readonly rules: readonly RuleRow[] }
const rule = (subsite: string, name: string, recorded: Partial<RuleRow> | undefined, note: Note): Entry =>
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

type Image = { readonly name: string; readonly hash: string }
type Appearance = Readonly<Record<'header' | 'icon' | 'banner', Image | null>> & {
  readonly named: readonly Image[]
  readonly css: string | null
}
const image = ({ subsite, use, name, before }: EventNamed<'ImageUploaded'>['data'], note: Note): Entry => {
  const was = (row?: Appearance) => (use === 'img' ? row?.named.find((one) => one.name === short(name)) : row?.[use])
  return compare<Appearance>('appearances', subsite, before, (row) => was(row)?.hash ?? null, note)
}

type PageRow = { readonly permlevel: number; readonly current: string | null }
type InWiki = { readonly subsite: string; readonly page: string }
const page = ({ subsite, page: name }: InWiki, recorded: unknown, was: (row: PageRow | undefined) => unknown, note: Note): Entry =>
  compare<PageRow>('wiki_pages', `${subsite}.${name}`, recorded, was, note)
const revision = (place: InWiki, previous: string | null | undefined, note: Note): Entry =>
  page(place, previous, (row) => row?.current ?? null, note)

const rescheduled =
  (type: RelationType) =>
  ({ data }: Logged<'BanChanged' | 'WikiBanChanged'>, note: Note) => [related(data, type, 'until', data.previousUntil, note)]

export const formerRowRules: Rules = {
  LinkRemoved: judged,
  LinkApproved: judged,
  CommentRemoved: judged,
  CommentApproved: judged,
  LinkDistinguished: distinguished,
  CommentDistinguished: distinguished,
  LinkSortSuggested: ({ data }, note) => [thing(data, ({ suggestedSort }) => suggestedSort, note)],
  BanChanged: rescheduled('banned'),
  WikiBanChanged: rescheduled('wikibanned'),
  ModeratorAdded: ({ data }, note) => [related(data, 'moderator_invite', 'permissions', data.invitation, note)],
  ModeratorInvitationWithdrawn: ({ data }, note) => [related(data, 'moderator_invite', 'permissions', data.permissions, note)],
  ModeratorRemoved: ({ data }, note) => [related(data, 'moderator', 'permissions', data.permissions, note)],
  RuleEdited: ({ data: { subsite, before, previousDescription: description, previousKind: kind } }, note) => [
    rule(subsite, before, description === undefined || kind === undefined ? undefined : { description, kind }, note),
  ],
  RuleDeleted: ({ data: { subsite, name, before } }, note) => [rule(subsite, name, before, note)],
  RulesReordered: ({ data: { subsite, before } }, note) => [
    compare<RulesRow>('subsites', subsite, before, (row) => row?.rules.map(({ name }) => name), note),
  ],
  ImageUploaded: ({ data }, note) => [image(data, note)],
  StylesheetSaved: ({ data: { subsite, previous, before } }, note) => [
    revision({ subsite, page: 'config/stylesheet' }, previous, note),
    compare<Appearance>('appearances', subsite, before, (row) => row?.css ?? null, note),
  ],
  WikiPageRevised: ({ data }, note) => [revision(data, data.previous, note)],
  WikiPagePermlevelChanged: ({ data }, note) => [page(data, data.before, (row) => row?.permlevel ?? 0, note)],
}
