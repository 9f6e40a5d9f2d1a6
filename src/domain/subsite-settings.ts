import * as t from 'io-ts'
import type { Refusal } from './refusal.ts'

export const subsiteTypes = ['gold_restricted', 'archived', 'restricted', 'gold_only', 'employees_only', 'private', 'public'] as const
export const commentSorts = ['confidence', 'top', 'new', 'insightful', 'fun', 'old', 'random', 'qa'] as const
export type CommentSort = (typeof commentSorts)[number]
const spamLevels = ['low', 'high', 'all'] as const

const oneOf = <V extends string>(values: readonly V[]) => t.keyof(Object.fromEntries(values.map((v) => [v, null])) as Record<V, null>)

/** What moderators set, with the values a new subsite starts with. Order is the order of log entries of one edit. */
export const settingCodecs = {
  title: t.string,
  description: t.string,
  public_description: t.string,
  submit_text: t.string,
  type: oneOf(subsiteTypes),
  link_type: oneOf(['any', 'link', 'self'] as const),
  wikimode: oneOf(['disabled', 'modonly', 'anyone'] as const),
  wiki_edit_karma: t.number,
  wiki_edit_age: t.number,
  comment_score_hide_mins: t.number,
  header_title: t.string,
  submit_link_label: t.string,
  submit_text_label: t.string,
  lang: t.string,
  over_18: t.boolean,
  allow_top: t.boolean,
  show_media: t.boolean,
  public_traffic: t.boolean,
  collapse_deleted_comments: t.boolean,
  exclude_banned_modqueue: t.boolean,
  hide_ads: t.boolean,
  spam_links: oneOf(spamLevels),
  spam_selfposts: oneOf(spamLevels),
  spam_comments: oneOf(spamLevels),
  suggested_comment_sort: oneOf([...commentSorts, 'blank', ''] as const),
} as const

export type SubsiteSettings = { readonly [K in keyof typeof settingCodecs]: t.TypeOf<(typeof settingCodecs)[K]> }
export type SettingName = keyof SubsiteSettings
export const settingNames = Object.keys(settingCodecs) as readonly SettingName[]

export const defaultSettings: SubsiteSettings = {
  title: '',
  description: '',
  public_description: '',
  submit_text: '',
  type: 'public',
  link_type: 'any',
  wikimode: 'disabled',
  wiki_edit_karma: 0,
  wiki_edit_age: 0,
  comment_score_hide_mins: 0,
  header_title: '',
  submit_link_label: '',
  submit_text_label: '',
  lang: 'en',
  over_18: false,
  allow_top: true,
  show_media: true,
  public_traffic: true,
  collapse_deleted_comments: false,
  exclude_banned_modqueue: false,
  hide_ads: false,
  spam_links: 'high',
  spam_selfposts: 'high',
  spam_comments: 'low',
  suggested_comment_sort: '',
}

export const Settings = t.type(settingCodecs)

/** What a change of some settings depends on beside them. */
export type SettingsAuthor = { readonly admin: boolean; readonly gold: boolean }

/** Types that only admins give and take. */
const adminTypes = new Set<SubsiteSettings['type']>(['archived', 'gold_restricted', 'employees_only'])

const refusal = (code: Refusal['code'], field: string): Refusal => ({ code, field })

/** Why somebody may not make these settings, at creation (`before` undefined) or later. The values themselves are decoded already. */
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
