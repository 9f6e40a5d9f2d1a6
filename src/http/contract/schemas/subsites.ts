import { ruleKinds } from '../../../domain/rules.ts'
import { type SettingName, settingNames, settingTable } from '../../../domain/subsite-settings.ts'
import { shownNames, wireNames } from '../setting-names.ts'
import { accountName, dated, subsiteFullname, subsiteName, username } from './names.ts'
import {
  among,
  component,
  constant,
  epoch,
  type Fields,
  flag,
  html,
  id,
  integer,
  isOptional,
  listOf,
  nothing,
  optional,
  orNull,
  type Part,
  record,
  text,
} from './schema.ts'

const nullable = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, part]) => [name, isOptional(part) ? optional(orNull(part.optional)) : orNull(part)]),
  )

/** Of the subsite and the viewer; null where nobody is logged in. */
const membership: Fields = {
  user_is_banned: orNull(flag),
  user_is_muted: orNull(flag),
  user_is_contributor: orNull(flag),
  user_is_moderator: orNull(flag),
  user_is_subscriber: orNull(flag),
}

const size = orNull(listOf(integer(256)))
const images: Fields = {
  banner_img: orNull(text('')),
  banner_size: size,
  header_img: orNull(text('')),
  header_size: size,
  icon_img: orNull(text('')),
  icon_size: size,
}

export const trimmedSubsiteShape = component('SubsiteDetail', () =>
  record({
    name: subsiteFullname,
    display_name: subsiteName,
    url: text('/s/tea/'),
    ...nullable({ ...images, key_color: text(''), subscribers: integer(12), ...membership }),
  }),
)

const identity: Fields = {
  id,
  name: subsiteFullname,
  ...dated,
  display_name: subsiteName,
  url: text('/s/tea/'),
  title: text('All about tea'),
  public_description: text('Tea'),
  public_description_html: orNull(html),
  subsite_type: text('public'),
}

const rule: Fields = {
  short_name: text('Be kind'),
  description: text('To everybody.'),
  kind: among(...ruleKinds),
  priority: integer(0),
  created_utc: epoch,
  violation_reason: text('Be kind'),
}
const ruleShape = component('Rule', () => record(rule))
export const ruleRecordShape = component('RuleRecord', () => record({ ...rule, description_html: optional(html) }))

/** The value of a setting, whatever values it can be set to. */
const fieldOf = (setting: SettingName): Part => {
  const { initial } = settingTable[setting]
  if (typeof initial === 'boolean') return flag
  return typeof initial === 'number' ? integer(initial) : text(initial)
}

/** Null for a viewer who may not view the subsite. */
const details: Fields = {
  description: text('Be kind.'),
  description_html: html,
  ...Object.fromEntries(shownNames.map(([setting, name]) => [name, fieldOf(setting)])),
  submit_text_html: html,
  subscribers: integer(12),
  accounts_active: integer(3),
  ...images,
  show_media_preview: flag,
  quarantine: flag,
  suggested_comment_sort: text('top'),
  community_rules: listOf(ruleShape),
  wiki_enabled: flag,
  ...membership,
  user_sr_theme_enabled: flag,
}

export const subsiteShape = component('Subsite', () =>
  record({ ...identity, ...nullable(details), mod_permissions: optional(listOf(text('posts'))) }),
)

/** A setting under its own name has the values that can be set. */
const settable = (setting: SettingName): Part => {
  const rule = settingTable[setting]
  return rule.kind === 'choice' ? among(...rule.values) : fieldOf(setting)
}
const settingFields: Fields = Object.fromEntries(
  settingNames.flatMap((setting) => wireNames(setting).map((name) => [name, (name === setting ? settable : fieldOf)(setting)])),
)

export const subsiteSettingsShape = component('SubsiteSettings', () =>
  record({
    ...settingFields,
    subsite_id: subsiteFullname,
    sr: subsiteFullname,
    domain: nothing,
    show_media_preview: flag,
  }),
)

const row: Fields = { date: epoch, id: accountName, name: username }

export const contributorRowShape = component('Contributor', () => record(row))
export const bannedRowShape = component('BannedAccount', () =>
  record({ ...row, note: text('spam'), days_left: orNull(integer(3, 'Days until it ends; null: it does not.')) }),
)
export const friendRowShape = component('Friend', () => record({ ...row, note: text('knows his water') }))
export const moderatorRowShape = component('Moderator', () => record({ ...row, mod_permissions: listOf(text('posts')) }))

export const userListShape = (child: Part) => record({ kind: constant('UserList'), data: record({ children: listOf(child) }) })

export const modActionShape = component('ModAction', () =>
  record({
    id: text('ModAction_00000000-0000-5000-8000-000000000000'),
    created_utc: epoch,
    action: text('lock'),
    mod: username,
    mod_id36: orNull(id),
    subsite: subsiteName,
    sr_id36: id,
    details: orNull(text('confirm_spam')),
    description: orNull(text('')),
    target_fullname: orNull(text('t5_9k')),
    target_author: text('ann'),
    target_permalink: orNull(text('/s/tea/comments/9k/on_water/')),
    target_title: orNull(text('On water')),
    target_body: orNull(text('Soft or hard?')),
  }),
)
