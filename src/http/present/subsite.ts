import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { id36 } from '../../domain/ids.ts'
import type { Permissions } from '../../domain/moderators.ts'
import { type Rule, ruleKinds } from '../../domain/rules.ts'
import { type SettingName, settingNames, settingTable } from '../../domain/subsite-settings.ts'
import type { Membership } from '../../queries/relations.ts'
import { subsiteFullname, subsiteId, subsiteName } from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { thingShape } from '../contract/schemas/things.ts'
import { shownNames, wireNames } from '../contract/setting-names.ts'
import { imageAddress } from './image.ts'
import { renderMarked } from './markdown.ts'
import { createdFields, epoch } from './thing.ts'

/** Granted names, as lists of moderators and of moderated subsites carry them. */
export const permissionList = (permissions: Permissions): readonly string[] =>
  permissions === '+all' ? ['all'] : permissions.split(',').flatMap((term) => (term.startsWith('+') ? [term.slice(1)] : []))

export type SubsiteVisibility = {
  readonly viewable: boolean
  /** Undefined for anonymous callers. */
  readonly membership: Membership | undefined
  /** The base of absolute addresses. */
  readonly base: string
}

type SubsiteView = SubsiteVisibility & { readonly subsite: SubsiteDocument }
type Fields = Readonly<Record<string, shape.RecordField<SubsiteView>>>

/** These fields for viewers of the subsite; null for those who may not view it. */
const forViewers = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, [schema, value]]) => [
      name,
      [shape.orNull(schema), (shown: SubsiteView) => (shown.viewable ? value(shown) : null)],
    ]),
  )

type ImageKind = 'banner' | 'header' | 'icon'

const imageOf = (kind: ImageKind, none: '' | null): shape.RecordField<SubsiteView> => [
  shape.orNull(shape.text('')),
  ({ subsite, base }) => {
    const { [kind]: image } = subsite
    return image ? imageAddress(base, subsite.name, image) : none
  },
]

const imageSizeField = (kind: ImageKind): shape.RecordField<SubsiteView> => [
  shape.orNull(shape.listOf(shape.integer(256))),
  ({ subsite: { [kind]: image } }) => image && [image.width, image.height],
]

/** Without a header image the member is null, and clients show their own; the other images are empty. */
const images: Fields = {
  banner_img: imageOf('banner', ''),
  banner_size: imageSizeField('banner'),
  header_img: imageOf('header', null),
  header_size: imageSizeField('header'),
  icon_img: imageOf('icon', ''),
  icon_size: imageSizeField('icon'),
}

const isMember = (value: (membership: Membership) => boolean): shape.RecordField<SubsiteView> => [
  shape.orNull(shape.flag),
  ({ membership }) => (membership ? value(membership) : null),
]

/** Relations of the subsite and the viewer; null if nobody is logged in. */
const relations: Fields = {
  user_is_banned: isMember(({ banned }) => banned),
  user_is_muted: isMember(({ muted }) => muted),
  user_is_contributor: isMember(({ contributor }) => contributor),
  user_is_moderator: isMember(({ permissions }) => permissions !== undefined),
  user_is_subscriber: isMember(({ subscriber }) => subscriber),
}

const name: shape.RecordField<SubsiteView> = [subsiteFullname, ({ subsite }) => subsite.id]
const named: Fields = {
  display_name: [subsiteName, ({ subsite }) => subsite.name],
  url: [shape.text('/s/tea/'), ({ subsite }) => `/s/${subsite.name}/`],
}
const subscribers: shape.RecordField<SubsiteView> = [shape.integer(12), ({ subsite }) => subsite.subscribers]

const identity: Fields = {
  id: [subsiteId, ({ subsite }) => id36(subsite.id)],
  name,
  ...createdFields(({ subsite }) => subsite.created),
  ...named,
  title: [shape.text('All about tea'), ({ subsite }) => subsite.settings.title],
  public_description: [shape.text('Tea'), ({ subsite }) => subsite.settings.public_description],
  public_description_html: [shape.orNull(shape.html('Tea')), ({ subsite }) => renderMarked(subsite.settings.public_description)],
  subsite_type: [shape.text('public'), ({ subsite }) => subsite.settings.type],
}

type ShownRule = { readonly rule: Rule; readonly priority: number }

/** A rule; clients read its name as `violation_reason`, too. */
const ruleFields: shape.RecordTable<ShownRule> = {
  short_name: [shape.text('Be kind'), ({ rule }) => rule.name],
  description: [shape.text('To everybody.'), ({ rule }) => rule.description],
  kind: [shape.choice(...ruleKinds), ({ rule }) => rule.kind],
  priority: [shape.integer(0), ({ priority }) => priority],
  created_utc: [shape.epoch, ({ rule }) => epoch(rule.created)],
  violation_reason: [shape.text('Be kind'), ({ rule }) => rule.name],
}

/** The fields of a rule with its description as HTML, if it has one. */
const ruleRecordFields: shape.RecordTable<ShownRule> = {
  ...ruleFields,
  description_html: [
    shape.optional(shape.html('To everybody.')),
    ({ rule }) => (rule.description === '' ? undefined : renderMarked(rule.description)),
  ],
}
export const ruleRecordShape = shape.tableShape('RuleRecord', ruleRecordFields)
export const ruleRecord = (rule: Rule, priority: number) => shape.valuesOf(ruleRecordFields, { rule, priority })

const holdsWiki = (permissions: Permissions | undefined) =>
  permissions !== undefined && (permissions === '+all' || permissions.split(',').includes('+wiki'))

/** The value of a setting, whatever values it can be set to. */
const schemaOf = (setting: SettingName): shape.SchemaOrComponent => {
  const { initial } = settingTable[setting]
  if (typeof initial === 'boolean') return shape.flag
  return typeof initial === 'number' ? shape.integer(initial) : shape.text(initial)
}

const full: shape.RecordTable<SubsiteView> = {
  ...identity,
  ...forViewers({
    description: [shape.text('Be kind.'), ({ subsite }) => subsite.settings.description],
    description_html: [shape.html('Be kind.'), ({ subsite }) => renderMarked(subsite.settings.description)],
    ...Object.fromEntries(
      shownNames.map(([setting, shownAs]): [string, shape.RecordField<SubsiteView>] => [
        shownAs,
        [schemaOf(setting), ({ subsite }) => subsite.settings[setting]],
      ]),
    ),
    submit_text_html: [shape.html('Read the rules.'), ({ subsite }) => renderMarked(subsite.settings.submit_text)],
    subscribers,
    accounts_active: [shape.integer(3), () => null],
    active_user_count: [shape.integer(0, 'Visitors are not counted: always 0.'), () => 0],
    ...images,
    show_media_preview: [shape.flag, ({ subsite }) => subsite.settings.show_media],
    quarantine: [shape.flag, () => false],
    suggested_comment_sort: [shape.text('top'), ({ subsite }) => subsite.settings.suggested_comment_sort || null],
    community_rules: [
      shape.listOf(shape.tableShape('Rule', ruleFields)),
      ({ subsite }) => subsite.rules.map((rule, priority) => shape.valuesOf(ruleFields, { rule, priority })),
    ],
    wiki_enabled: [
      shape.flag,
      ({ subsite: { settings }, membership }) =>
        settings.wikimode === 'anyone' || (settings.wikimode === 'modonly' && holdsWiki(membership?.permissions)),
    ],
    ...relations,
    user_sr_theme_enabled: [shape.flag, () => true],
  }),
  /** The permissions of the viewer there; absent for everybody but moderators. */
  mod_permissions: [
    shape.optional(shape.listOf(shape.text('posts'))),
    ({ membership }) => (membership?.permissions === undefined ? undefined : permissionList(membership.permissions)),
  ],
}

export const subsiteShape = shape.tableShape('Subsite', full)

/** Returns the record of a subsite: all but its identity is null for those who may not view it. */
export const subsiteThing = (subsite: SubsiteDocument, viewed: SubsiteVisibility) => ({
  kind: 't4',
  data: shape.valuesOf(full, { subsite, ...viewed }),
})

/** Presents a subsite in the list of those that one moderates. */
export const presentModerated = (subsite: SubsiteDocument, membership: Membership, base: string) => ({
  kind: 't4',
  data: shape.valuesOf(full, { subsite, viewable: true, membership, base }),
})

const trimmed: Fields = { name, ...named, ...forViewers({ ...images, key_color: [shape.text(''), () => ''], subscribers, ...relations }) }

export const trimmedSubsiteShape = shape.tableShape('SubsiteDetail', trimmed)

/** Returns the trimmed record that links and multis carry (`sr_detail`, `expand_srs`). */
export const presentTrimmed = (subsite: SubsiteDocument, viewed: SubsiteVisibility) => shape.valuesOf(trimmed, { subsite, ...viewed })

/** A setting under its own name has the values that can be set. */
const settingSchema = (setting: SettingName): shape.SchemaOrComponent => {
  const rule = settingTable[setting]
  return rule.kind === 'choice' ? shape.choice(...rule.values) : schemaOf(setting)
}

type Settings = Pick<SubsiteDocument, 'id' | 'settings'>

/** The settings, under every name that clients know them by. */
const settingFields: shape.RecordTable<Settings> = {
  ...Object.fromEntries(
    settingNames.flatMap((setting) =>
      wireNames(setting).map((name): [string, shape.RecordField<Settings>] => [
        name,
        [(name === setting ? settingSchema : schemaOf)(setting), ({ settings }) => settings[setting]],
      ]),
    ),
  ),
  subsite_id: [subsiteFullname, ({ id }) => id],
  sr: [subsiteFullname, ({ id }) => id],
  domain: [shape.nullSchema, () => null],
  show_media_preview: [shape.flag, ({ settings }) => settings.show_media],
}

export const subsiteSettingsShape = thingShape('subsite_settings', shape.tableShape('SubsiteSettings', settingFields))

export const subsiteSettings = (subsite: Settings) => ({ kind: 'subsite_settings', data: shape.valuesOf(settingFields, subsite) })
