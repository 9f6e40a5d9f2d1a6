import type { Logged } from '../../src/domain/events.ts'
import { everyEvent, everyTold } from './every-event/every-event.ts'
import { type LoggedEvent, loggedFrom } from './logged-events.ts'

/** The longest page name there may be, and longer than any text that the audit keeps as it is. */
const LONG_CHARACTERS = 128

/** Fields that hold what somebody wrote, wherever in an event they are. */
const texts: ReadonlySet<string> = new Set(
  [
    'body content css description displayName excerpt note previousDescription sealedCategory source subject text title url',
    'header_title public_description submit_link_label submit_text submit_text_label',
  ].flatMap((names) => names.split(' ')),
)
const ofRules: ReadonlySet<string> = new Set(['name', 'before', 'after'])
const ofSettings: ReadonlySet<unknown> = new Set(['title', 'public_description', 'description', 'submit_text', 'header_title'])

const long = (text: string): string => (text === '' ? text : text.padEnd(LONG_CHARACTERS, '-and-so-on'))

/** Tells whether a text of an event is one that somebody wrote. `name` is the field that it or its list is in. */
const isText = ({ type, data }: LoggedEvent['event'], name: string, value: string): boolean => {
  if (texts.has(name)) return !('css' in data && 'images' in data && name === 'css') // a published stylesheet is named by its hash
  if (name === 'page') return !value.startsWith('config/')
  if (name === 'reason') return /Reported$|WikiPageRevised|StylesheetSaved|SubsiteSettingChanged/.test(type)
  if (/^Rule/.test(type)) return ofRules.has(name)
  if (/^Image/.test(type)) return name === 'name'
  return type === 'SubsiteSettingChanged' && ofSettings.has(data.setting) && ofRules.has(name)
}

type Change = (value: string, name: string) => string

const mapTexts = (value: unknown, change: Change, name = ''): unknown => {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map((member) => mapTexts(member, change, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([field, member]) => [field, mapTexts(member, change, field)]))
}

const changeEvent = ({ event, ...told }: LoggedEvent, change: Change): LoggedEvent => ({
  ...told,
  event: { ...event, data: mapTexts(event.data, change) } as LoggedEvent['event'],
})

/** The history in which every event happens, with texts that are long, all of them. */
export const everyLongText = (): readonly Logged[] => {
  const told = everyTold.map((one) => changeEvent(one, (value, name) => (isText(one.event, name, value) ? long(value) : value)))
  // A page's name is in that of its stream, and so in the ids of its events, which later ones name.
  const ids = new Map(loggedFrom(told).map(({ id }, i) => [everyEvent[i]?.id ?? '', id]))
  return loggedFrom(told.map((one) => changeEvent(one, (value) => ids.get(value) ?? value)))
}
