// Decision 92.

import { isDeepStrictEqual } from 'node:util'
import type { EventNamed, Logged } from '../../domain/events.ts'
import type { RestrictionType } from '../../domain/relation-types.ts'
import type { LedgerEntry } from '../ledger.ts'
import { entry, type LedgerRules, type Note } from './rule.ts'
import { toShortTexts } from './short.ts'

// Compares the former states that moderation events record with those that earlier events made. Earlier versions recorded fewer of them.

const ERASED = '[erased]'

/** Tells whether two values are the same, as far as they can be read: a text whose key was destroyed meanwhile is only in one of them. */
const agree = (a: unknown, b: unknown): boolean => {
  if (a === ERASED || b === ERASED) return typeof a === typeof b
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return isDeepStrictEqual(a, b)
  const [left, right] = [a, b] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>]
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => agree(left[name], right[name]))
}

export const WRONG_FORMER_STATE = 'what it records as the former state differs from what earlier events made'

/** Tells whether a recorded former state is the real one. An event may record none. */
export const isTrueOf = (state: unknown, recorded: unknown): boolean =>
  recorded === undefined || agree(toShortTexts(recorded), toShortTexts(state))

/**
 * Compares and follows a state. `recorded` is the former state in the event, if any. `leaves` returns the state after it; undefined if
 * there is none.
 */
const follow = <State>(
  id: string,
  recorded: unknown,
  leaves: (state: State | undefined) => unknown,
  note: Note,
  initial?: State,
): LedgerEntry =>
  entry<{ readonly state: State }>('audit_former', id, (row) => {
    const state = row?.state ?? initial
    if (!isTrueOf(state, recorded)) note(WRONG_FORMER_STATE)
    const stateLeft = leaves(state)
    return stateLeft === undefined ? undefined : { state: toShortTexts(stateLeft) as State }
  })

type Event<Data> = { readonly data: Data & { readonly before?: unknown }; readonly by: { readonly account: string | null } }

const annotation = ({ data: { note }, by: { account } }: Event<{ readonly note?: string }>) =>
  note === undefined ? {} : { note, ...(account !== null && { noteBy: account }) }

/** `idOf` returns the id of the restricted account in its subsite. */
const restriction = <Place extends object>(idOf: (data: Place) => string) => ({
  imposed: (event: Event<Place & { readonly until: number | null; readonly note?: string }>, note: Note) => {
    const { data, by } = event
    return [follow(idOf(data), data.before, () => ({ until: data.until, by: by.account, ...annotation(event) }), note)]
  },
  noted: (event: Event<Place & { readonly note?: string }>, note: Note) => {
    const withNote = (state?: { readonly until: number | null; readonly by: string | null }) =>
      state && { until: state.until, by: state.by, ...annotation(event) }
    return [follow(idOf(event.data), event.data.before, withNote, note)]
  },
  ended: ({ data }: Event<Place>, note: Note) => [follow(idOf(data), data.before, () => undefined, note)],
})

type Pair = { readonly subsite: string; readonly account: string }
const inSubsite = (type: RestrictionType) => restriction(({ subsite, account }: Pair) => `${subsite}.${account}.${type}`)
const ban = inSubsite('banned')
const wikiBan = inSubsite('wikibanned')
const mute = inSubsite('muted')
const suspension = restriction(({ account }: Pick<Pair, 'account'>) => `${account}.suspension`)

type Flair = { readonly text: string; readonly css: string }
const none: Flair = { text: '', css: '' }

/** `account` is the account under whose key the text is sealed. */
const flair = (id: string, account: string, { text, css, before }: Flair & { readonly before?: unknown }, note: Note): LedgerEntry =>
  follow(id, before, () => ({ account, text, css }), note, { account, ...none })

type LinkFlair = Flair & { readonly template: string | null }
/** Follows the flair of a link. A former state without a template, as earlier versions recorded it, says nothing of templates. */
const linkFlair = ({ data }: Logged<'LinkFlairChanged'>, note: Note): LedgerEntry =>
  entry<{ readonly state: LinkFlair }>('audit_former', `${data.target.id}.flair`, (row) => {
    const { author, text, css, template, before } = data
    const { template: was, ...state } = row?.state ?? { account: author, ...none, template: null }
    if (!isTrueOf(before?.template === undefined ? state : { ...state, template: was }, before)) note(WRONG_FORMER_STATE)
    return { state: toShortTexts({ account: author, text, css, template: template ?? null }) as LinkFlair }
  })

type Template = { readonly subsite: string; readonly template: string; readonly before?: unknown }
const templateId = ({ subsite, template }: Template) => `${subsite}.template.${template}`

type FormerKind = { readonly subsite: string; readonly kind: string }
/** Follows the templates of a kind. */
const templates = (
  { subsite, kind }: FormerKind,
  recorded: unknown,
  leaves: (ids: readonly string[]) => readonly string[],
  note: Note,
): LedgerEntry => follow<readonly string[]>(`${subsite}.templates.${kind}`, recorded, (ids = []) => leaves(ids), note)

const isTemplate = ({ data }: { readonly data: Template & Flair & { readonly editable: boolean } }, note: Note): LedgerEntry => {
  const { text, css, editable } = data
  return follow(templateId(data), data.before, () => ({ text, css, editable }), note)
}

/** The settings of a subsite in which nobody has changed them. */
const settings: Readonly<Record<EventNamed<'FlairSettingChanged'>['data']['setting'], boolean | string>> = {
  flair_enabled: true,
  flair_position: 'right',
  link_flair_position: '',
  flair_self_enabled: false,
  link_flair_self_enabled: false,
}

export const formerRules: LedgerRules = {
  FlairSettingChanged: ({ data: { subsite, setting, before, after } }, note) => [
    follow(`${subsite}.${setting}`, before, () => after, note, settings[setting]),
  ],
  UserFlairChanged: ({ data }, note) => [flair(`${data.subsite}.${data.account}.flair`, data.account, data, note)],
  UserFlairSwitched: ({ data }, note) => [flair(`${data.subsite}.${data.account}.flair`, data.account, data, note)],
  LinkFlairChanged: (event, note) => [linkFlair(event, note)],
  FlairTemplateAdded: (event, note) => [
    isTemplate(event, note),
    templates(event.data, undefined, (ids) => [...ids, event.data.template], note),
  ],
  FlairTemplateChanged: (event, note) => [isTemplate(event, note)],
  FlairTemplateDeleted: ({ data }, note) => [
    follow(templateId(data), data.before, () => undefined, note),
    templates(data, undefined, (ids) => ids.filter((id) => id !== data.template), note),
  ],
  FlairTemplatesCleared: ({ data }, note) => [templates(data, data.templates, () => [], note)],
  UserBanned: ban.imposed,
  BanChanged: ban.imposed,
  BanNoteChanged: ban.noted,
  UserUnbanned: ban.ended,
  BanExpired: ban.ended,
  UserWikiBanned: wikiBan.imposed,
  WikiBanChanged: wikiBan.imposed,
  WikiBanNoteChanged: wikiBan.noted,
  UserWikiUnbanned: wikiBan.ended,
  WikiBanExpired: wikiBan.ended,
  UserMuted: mute.imposed,
  MuteNoteChanged: mute.noted,
  UserUnmuted: mute.ended,
  MuteExpired: mute.ended,
  AccountSuspended: suspension.imposed,
  AccountUnsuspended: suspension.ended,
  AccountSuspensionExpired: suspension.ended,
}
