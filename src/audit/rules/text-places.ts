import type { EventName, Logged } from '../../domain/events.ts'
import type { Entry } from '../ledger.ts'
import { drop, put, type Rules } from './rule.ts'

// The places with text of an account that its erasure has to find.

type Kind = 'report' | 'note' | 'entry' | 'change' | 'flair' | 'link-flair' | 'category' | 'multi' | 'subject'

const write = (account: string | null, kind: Kind, id: string): readonly Entry[] =>
  account === null ? [] : [put('text_places', { id: [account, kind, id].join('.'), account, place: { kind, id } })]

/** Events by which a moderator may leave a note on an account, and in which relation. */
const notes: readonly (readonly [relation: string, events: readonly EventName[]])[] = [
  ['banned', ['UserBanned', 'BanChanged', 'BanNoteChanged']],
  ['wikibanned', ['UserWikiBanned', 'WikiBanChanged', 'WikiBanNoteChanged']],
  ['muted', ['UserMuted', 'MuteNoteChanged']],
]

/** Events that replace or end a restriction quote its note, which may be another moderator's. */
const formerNote = (event: Logged): readonly Entry[] => {
  const { before } = event.data as { readonly before?: { readonly noteBy?: string } }
  return write(before?.noteBy ?? null, 'change', event.id)
}
const endings = ['UserUnbanned', 'BanExpired', 'UserWikiUnbanned', 'WikiBanExpired', 'UserUnmuted', 'MuteExpired'] as const

const note =
  (relation: string) =>
  (event: Logged): readonly Entry[] => {
    const data = event.data as { readonly subsite: string; readonly account: string; readonly note?: string }
    if (data.note === undefined) return formerNote(event)
    const { account } = event.by
    return [
      ...write(account, 'note', `${data.subsite}.${data.account}.${relation}`),
      ...write(account, 'entry', event.id),
      ...write(account, 'change', event.id),
      ...formerNote(event),
    ]
  }

const reason = (event: Logged): readonly Entry[] =>
  'reason' in event.data && event.data.reason !== undefined ? write(event.by.account, 'entry', event.id) : []

/** A copy of a multi may have the texts of two others. */
const quote = ({ data }: Logged<'MultiCreated' | 'MultiEdited'>): readonly Entry[] =>
  [data.quotedName, data.quotedDescription].flatMap((quoted) =>
    quoted ? write(quoted.author, 'multi', [data.account, data.kind, data.name].join('.')) : [],
  )

const wear = ({ data }: Logged<'UserFlairChanged' | 'UserFlairSwitched'>) => write(data.account, 'flair', `${data.subsite}.${data.account}`)

export const textPlaceRules: Rules = {
  ...Object.fromEntries(notes.flatMap(([relation, events]) => events.map((type) => [type, note(relation)]))),
  ...Object.fromEntries(endings.map((type) => [type, formerNote])),
  SubsiteSettingChanged: reason,
  WikiPageRevised: reason,
  StylesheetSaved: reason,
  ThingReported: ({ data }) => write(data.account, 'report', data.thing),
  MessageReported: ({ data }) => write(data.account, 'report', data.message),
  UserFlairChanged: (event) => [...wear(event), ...(event.by.as === 'user' ? [] : write(event.data.account, 'change', event.id))],
  UserFlairSwitched: wear,
  MessageSent: ({ data: { message, quotedSubject } }) =>
    quotedSubject === undefined ? [] : write(quotedSubject.author, 'subject', message),
  MultiCreated: quote,
  MultiEdited: quote,
  LinkFlairChanged: ({ data }) => write(data.author, 'link-flair', data.target.id),
  AccountTextsErased: ({ data: { account, places = [] } }) =>
    places.map(({ kind, id }) => drop('text_places', [account, kind, id].join('.'))),
}
