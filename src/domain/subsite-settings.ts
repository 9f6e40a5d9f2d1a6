import * as t from 'io-ts'
import type { Refusal } from './refusal.ts'

export const subsiteTypes = ['gold_restricted', 'archived', 'restricted', 'gold_only', 'employees_only', 'private', 'public'] as const
export const commentSorts = ['confidence', 'top', 'new', 'insightful', 'fun', 'old', 'random', 'qa'] as const
export type CommentSort = (typeof commentSorts)[number]
const spamLevels = ['low', 'high', 'all'] as const

const flag = (initial: boolean) => ({ kind: 'flag', codec: t.boolean, initial }) as const
/** `longest`: in characters. */
const text = (longest: number) => ({ kind: 'text', codec: t.string, initial: '', longest }) as const
/** A text that is one line and not empty. */
const line = (longest: number) => ({ kind: 'line', codec: t.string, initial: '', longest }) as const
const integer = (range: { readonly min: number; readonly max?: number }) =>
  ({ kind: 'integer', codec: t.number, initial: 0, range }) as const
const language = (initial: string) => ({ kind: 'language', codec: t.string, initial }) as const
const choice = <const V extends string>(values: readonly V[], initial: NoInfer<V>) =>
  ({
    kind: 'choice',
    codec: t.keyof(Object.fromEntries(values.map((v) => [v, null])) as Record<V, null>),
    initial: initial as V,
    values,
  }) as const

/** What moderators set: its values, and the one that a new subsite starts with. Order is the order of log entries of one edit. */
export const settingTable = {
  title: line(100),
  description: text(5_120),
  public_description: text(500),
  submit_text: text(1_024),
  type: choice(subsiteTypes, 'public'),
  link_type: choice(['any', 'link', 'self'], 'any'),
  wikimode: choice(['disabled', 'modonly', 'anyone'], 'disabled'),
  wiki_edit_karma: integer({ min: 0 }),
  wiki_edit_age: integer({ min: 0 }),
  comment_score_hide_mins: integer({ min: 0, max: 1_440 }),
  header_title: text(500),
  submit_link_label: text(60),
  submit_text_label: text(60),
  lang: language('en'),
  over_18: flag(false),
  allow_top: flag(true),
  show_media: flag(true),
  public_traffic: flag(true),
  collapse_deleted_comments: flag(false),
  exclude_banned_modqueue: flag(false),
  hide_ads: flag(false),
  spam_links: choice(spamLevels, 'high'),
  spam_selfposts: choice(spamLevels, 'high'),
  spam_comments: choice(spamLevels, 'low'),
  suggested_comment_sort: choice([...commentSorts, 'blank', ''], ''),
}

type Table = typeof settingTable
export type SettingName = keyof Table
export type SubsiteSettings = { readonly [K in SettingName]: t.TypeOf<Table[K]['codec']> }
export const settingNames = Object.keys(settingTable) as readonly SettingName[]

const column = <Field extends 'codec' | 'initial'>(field: Field) =>
  Object.fromEntries(Object.entries(settingTable).map(([name, one]) => [name, one[field]])) as {
    readonly [K in SettingName]: Table[K][Field]
  }

export const settingCodecs = column('codec')
export const defaultSettings: SubsiteSettings = column('initial')

export const Settings = t.type(settingCodecs)

/** What a change of some settings depends on beside them. */
export type SettingsAuthor = { readonly admin: boolean; readonly gold: boolean }

/** Types that only admins give and take. */
const adminTypes = new Set<SubsiteSettings['type']>(['archived', 'gold_restricted', 'employees_only'])

const refusal = (code: Refusal['code'], field: string): Refusal => ({ code, field })

/** Why an account may not make these settings, at creation (`before` undefined) or later. The values themselves are decoded already. */
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
