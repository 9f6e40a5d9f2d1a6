import * as t from 'io-ts'
import type { Refusal } from './refusal.ts'

export const subsiteTypes = ['gold_restricted', 'archived', 'restricted', 'gold_only', 'employees_only', 'private', 'public'] as const
export const commentSorts = ['confidence', 'top', 'new', 'insightful', 'fun', 'old', 'random', 'qa'] as const
export type CommentSort = (typeof commentSorts)[number]
const spamLevels = ['low', 'high', 'all'] as const

const oneOf = <const V extends string>(values: readonly V[]) => t.keyof(Object.fromEntries(values.map((v) => [v, null])) as Record<V, null>)

const setting = <T>(codec: t.Type<T, T, unknown>, initial: T) => ({ codec, initial })

/** What moderators set, with the value a new subsite starts with. Order is the order of log entries of one edit. */
const table = {
  title: setting(t.string, ''),
  description: setting(t.string, ''),
  public_description: setting(t.string, ''),
  submit_text: setting(t.string, ''),
  type: setting(oneOf(subsiteTypes), 'public'),
  link_type: setting(oneOf(['any', 'link', 'self']), 'any'),
  wikimode: setting(oneOf(['disabled', 'modonly', 'anyone']), 'disabled'),
  wiki_edit_karma: setting(t.number, 0),
  wiki_edit_age: setting(t.number, 0),
  comment_score_hide_mins: setting(t.number, 0),
  header_title: setting(t.string, ''),
  submit_link_label: setting(t.string, ''),
  submit_text_label: setting(t.string, ''),
  lang: setting(t.string, 'en'),
  over_18: setting(t.boolean, false),
  allow_top: setting(t.boolean, true),
  show_media: setting(t.boolean, true),
  public_traffic: setting(t.boolean, true),
  collapse_deleted_comments: setting(t.boolean, false),
  exclude_banned_modqueue: setting(t.boolean, false),
  hide_ads: setting(t.boolean, false),
  spam_links: setting(oneOf(spamLevels), 'high'),
  spam_selfposts: setting(oneOf(spamLevels), 'high'),
  spam_comments: setting(oneOf(spamLevels), 'low'),
  suggested_comment_sort: setting(oneOf([...commentSorts, 'blank', '']), ''),
}

type Table = typeof table
export type SettingName = keyof Table
export type SubsiteSettings = { readonly [K in SettingName]: Table[K]['initial'] }
export const settingNames = Object.keys(table) as readonly SettingName[]

const column = <Field extends 'codec' | 'initial'>(field: Field) =>
  Object.fromEntries(Object.entries(table).map(([name, one]) => [name, one[field]])) as { readonly [K in SettingName]: Table[K][Field] }

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
