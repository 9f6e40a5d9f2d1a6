// Decision 18.

import * as t from 'io-ts'
import { type EventField, field, recordCodec, type Unit } from './event.ts'
import { oneOf } from './one-of.ts'
import type { Refusal } from './refusal.ts'

export const subsiteTypes = ['gold_restricted', 'archived', 'restricted', 'gold_only', 'employees_only', 'private', 'public'] as const
export const commentSorts = ['confidence', 'top', 'new', 'insightful', 'fun', 'old', 'random', 'qa'] as const
export type CommentSort = (typeof commentSorts)[number]
const spamLevels = ['low', 'high', 'all'] as const

/** The readers of a setting: everybody who may view the subsite, in its record or on its pages, or its moderators alone. */
type Shown = { readonly meaning: string; readonly readers: 'public' | 'subsite' }
const forEverybody = (meaning: string): Shown => ({ meaning, readers: 'public' })
const forModerators = (meaning: string): Shown => ({ meaning, readers: 'subsite' })

const flag = (initial: boolean, about: Shown) => ({ kind: 'flag', codec: t.boolean, initial, ...about }) as const
/** A text of at most `longest` characters. */
const text = (longest: number, about: Shown) => ({ kind: 'text', codec: t.string, initial: '', longest, ...about }) as const
/** A text of one line, which may be empty. */
const label = (longest: number, about: Shown) => ({ kind: 'label', codec: t.string, initial: '', longest, ...about }) as const
/** A text of one line that is not empty. */
const line = (longest: number, about: Shown) => ({ kind: 'line', codec: t.string, initial: '', longest, ...about }) as const
const integer = (range: { readonly min: number; readonly max?: number }, about: Shown, unit?: Unit) =>
  ({ kind: 'integer', codec: t.number, initial: 0, range, ...about, ...(unit && { unit }) }) as const
const language = (initial: string, about: Shown) => ({ kind: 'language', codec: t.string, initial, ...about }) as const
const choice = <const V extends string>(values: readonly V[], initial: NoInfer<V>, about: Shown) =>
  ({
    kind: 'choice',
    codec: oneOf(values),
    initial: initial as V,
    values,
    ...about,
  }) as const

/** The settings that moderators set: their values, and the value of a new subsite. The order is that of the log entries of one edit. */
export const settingTable = {
  title: line(100, forEverybody('The title.')),
  description: text(5_120, forEverybody('The sidebar, in markdown.')),
  public_description: text(500, forEverybody('What it is about, in markdown.')),
  submit_text: text(1_024, forEverybody('What the form for new links says, in markdown.')),
  type: choice(subsiteTypes, 'public', forEverybody('Who may view it and post in it.')),
  link_type: choice(['any', 'link', 'self'], 'any', forEverybody('Whether addresses, self-posts or both may be posted.')),
  wikimode: choice(
    ['disabled', 'modonly', 'anyone'],
    'disabled',
    forModerators('Who may edit the wiki; `disabled`: it is there for moderators alone.'),
  ),
  wiki_edit_karma: integer({ min: 0 }, forModerators('The karma that editing the wiki takes.')),
  wiki_edit_age: integer({ min: 0 }, forModerators('The age of an account that editing the wiki takes.'), 'days'),
  comment_score_hide_mins: integer({ min: 0, max: 1_440 }, forEverybody('How long scores of new comments are hidden.'), 'minutes'),
  header_title: label(500, forEverybody('The words on the header image.')),
  submit_link_label: label(60, forEverybody('The words on the button for a new link.')),
  submit_text_label: label(60, forEverybody('The words on the button for a new self-post.')),
  lang: language('en', forEverybody('The language that is spoken there.')),
  over_18: flag(false, forEverybody('Whether it is for adults only.')),
  allow_top: flag(true, forModerators('Whether rankings of all subsites include it.')),
  show_media: flag(true, forEverybody('Whether clients show previews.')),
  public_traffic: flag(true, forEverybody('Whether everybody may see how much it is used.')),
  collapse_deleted_comments: flag(false, forEverybody('Whether clients collapse deleted comments.')),
  exclude_banned_modqueue: flag(false, forModerators('Whether queues leave out what accounts post that are suspended for good.')),
  hide_ads: flag(false, forEverybody('Whether clients show no advertisements.')),
  spam_links: choice(
    spamLevels,
    'high',
    forModerators('`all`: new links are removed at once, except those of moderators and approved accounts.'),
  ),
  spam_selfposts: choice(spamLevels, 'high', forModerators('The same for self-posts.')),
  spam_comments: choice(spamLevels, 'low', forModerators('The same for comments.')),
  suggested_comment_sort: choice(
    [...commentSorts, 'blank', ''],
    '',
    forEverybody('The order in which comments are shown to viewers who ask for none.'),
  ),
}

type SettingTable = typeof settingTable
type SettingDeclaration = Shown & { readonly codec: t.Mixed; readonly unit?: Unit }
export type SettingName = keyof SettingTable
export type SubsiteSettings = { readonly [K in SettingName]: t.TypeOf<SettingTable[K]['codec']> }
export const settingNames = Object.keys(settingTable) as readonly SettingName[]

const column = <Field extends 'codec' | 'initial'>(field: Field) =>
  Object.fromEntries(Object.entries(settingTable).map(([name, one]) => [name, one[field]])) as {
    readonly [K in SettingName]: SettingTable[K][Field]
  }

export const settingCodecs = column('codec')
export const defaultSettings: SubsiteSettings = column('initial')

const fieldOf = ({ codec, meaning, readers, unit }: SettingDeclaration) => field(codec, meaning, readers, unit && { unit })

export const Settings = recordCodec(
  'Settings',
  Object.fromEntries(Object.entries(settingTable).map(([name, row]) => [name, fieldOf(row)])) as unknown as {
    readonly [K in SettingName]: EventField<SettingTable[K]['codec'], false>
  },
)

/** The facts about an author that some settings depend on. */
export type SettingsAuthor = { readonly admin: boolean; readonly gold: boolean }

/** Types that only admins give and take. */
const adminTypes = new Set<SubsiteSettings['type']>(['archived', 'gold_restricted', 'employees_only'])

const refusal = (code: Refusal['code'], field: string): Refusal => ({ code, field })

/**
 * Returns the refusal of an account's settings, at creation (`before` is undefined) or later. The values themselves are decoded already.
 */
export const checkSettings = (
  { admin, gold }: SettingsAuthor,
  changes: Partial<SubsiteSettings>,
  before: SubsiteSettings | undefined,
): Refusal | undefined => {
  const type = changes.type ?? before?.type ?? defaultSettings.type
  if (type !== before?.type && !admin) {
    if (adminTypes.has(type) || before?.type === 'employees_only') return refusal('ADMIN_REQUIRED', 'type')
    if (type === 'gold_only' && before) return refusal('CANT_CONVERT_TO_GOLD_ONLY', 'type')
    if (type === 'gold_only' && !gold) return refusal('GOLD_REQUIRED', 'type')
  }
  if (changes.hide_ads && !before?.hide_ads && type !== 'gold_only') return refusal('GOLD_ONLY_SR_REQUIRED', 'hide_ads')
  return undefined
}
