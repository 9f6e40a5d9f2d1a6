import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { id36 } from '../../domain/ids.ts'
import type { Image } from '../../domain/images.ts'
import type { Permissions } from '../../domain/permissions.ts'
import type { Rule } from '../../domain/rules.ts'
import { settingNames } from '../../domain/subsite-settings.ts'
import type { Membership } from '../../queries/relations.ts'
import { shownSettings, wireNames } from '../contract/setting-names.ts'
import { imageAddress } from './image.ts'
import { markedHtml } from './markdown.ts'
import { epoch } from './thing.ts'

/** Granted names, as lists of moderators and of moderated subsites carry them. */
export const permissionList = (permissions: Permissions): readonly string[] =>
  permissions === '+all' ? ['all'] : permissions.split(',').flatMap((term) => (term.startsWith('+') ? [term.slice(1)] : []))

const subsiteUrl = (name: string): string => `/s/${name}/`

const sizeOf = (image: Image | null) => image && [image.width, image.height]

/** Without a header image the member is null, and clients show their own; the other images are empty. */
const imagesOf = ({ name, banner, header, icon }: SubsiteDocument, base: string) => ({
  banner_img: banner ? imageAddress(base, name, banner) : '',
  banner_size: sizeOf(banner),
  header_img: header && imageAddress(base, name, header),
  header_size: sizeOf(header),
  icon_img: icon ? imageAddress(base, name, icon) : '',
  icon_size: sizeOf(icon),
})

const relationTo = (membership: Membership | undefined) => ({
  user_is_banned: membership?.banned ?? null,
  user_is_muted: membership?.muted ?? null,
  user_is_contributor: membership?.contributor ?? null,
  user_is_moderator: membership ? membership.permissions !== undefined : null,
  user_is_subscriber: membership?.subscriber ?? null,
})

const identity = ({ id, name, created, settings }: SubsiteDocument) => ({
  id: id36(id),
  name: id,
  created: epoch(created),
  created_utc: epoch(created),
  display_name: name,
  url: subsiteUrl(name),
  title: settings.title,
  public_description: settings.public_description,
  public_description_html: markedHtml(settings.public_description),
  subsite_type: settings.type,
})

/** A rule; clients read its name as `violation_reason`, too. */
const ruleOf = ({ name, description, kind, created }: Rule, priority: number) => ({
  short_name: name,
  description,
  kind,
  priority,
  created_utc: epoch(created),
  violation_reason: name,
})

/** The same with its description as HTML, where it has one. */
export const ruleRecord = (rule: Rule, priority: number) => ({
  ...ruleOf(rule, priority),
  ...(rule.description !== '' && { description_html: markedHtml(rule.description) }),
})

const holdsWiki = (permissions: Permissions | undefined) =>
  permissions !== undefined && (permissions === '+all' || permissions.split(',').includes('+wiki'))

/** The full record, for viewers of the subsite; `membership` is undefined for anonymous callers. */
const full = (subsite: SubsiteDocument, membership: Membership | undefined, base: string) => {
  const { settings, subscribers } = subsite
  return {
    ...identity(subsite),
    description: settings.description,
    description_html: markedHtml(settings.description),
    ...shownSettings(settings),
    submit_text_html: markedHtml(settings.submit_text),
    subscribers,
    accounts_active: null,
    ...imagesOf(subsite, base),
    show_media_preview: settings.show_media,
    quarantine: false,
    suggested_comment_sort: settings.suggested_comment_sort === '' ? null : settings.suggested_comment_sort,
    community_rules: subsite.rules.map(ruleOf),
    wiki_enabled: settings.wikimode === 'anyone' || (settings.wikimode === 'modonly' && holdsWiki(membership?.permissions)),
    ...relationTo(membership),
    user_sr_theme_enabled: true,
  }
}

type Full = ReturnType<typeof full>

/** The record for viewers who may not view the subsite: all but its identity is null. */
const reduced = (subsite: SubsiteDocument): { readonly [Field in keyof Full]: unknown } => {
  const hidden = Object.fromEntries(Object.keys(full(subsite, undefined, '')).map((field) => [field, null]))
  return { ...(hidden as Record<keyof Full, null>), ...identity(subsite) }
}

export type Viewed = {
  readonly viewable: boolean
  /** Undefined for anonymous callers. */
  readonly membership: Membership | undefined
  /** Of absolute addresses. */
  readonly base: string
}

export const subsiteThing = (subsite: SubsiteDocument, { viewable, membership, base }: Viewed) => ({
  kind: 't4',
  data: viewable ? full(subsite, membership, base) : reduced(subsite),
})

/** As the list of subsites that one moderates shows it. */
export const moderatedThing = (subsite: SubsiteDocument, membership: Membership, base: string) => ({
  kind: 't4',
  data: { ...full(subsite, membership, base), mod_permissions: permissionList(membership.permissions ?? '') },
})

/** The trimmed record that links and multis carry (`sr_detail`, `expand_srs`). */
export const trimmedSubsite = (subsite: SubsiteDocument, { viewable, membership, base }: Viewed) => {
  const named = { name: subsite.id, display_name: subsite.name, url: subsiteUrl(subsite.name) }
  const detail = { ...imagesOf(subsite, base), key_color: '', subscribers: subsite.subscribers, ...relationTo(membership) }
  return { ...named, ...(viewable ? detail : Object.fromEntries(Object.keys(detail).map((field) => [field, null]))) }
}

/** The settings, under every name that clients know them by. */
export const subsiteSettings = ({ id, settings }: SubsiteDocument) => ({
  kind: 'subsite_settings',
  data: {
    ...Object.fromEntries(settingNames.flatMap((setting) => wireNames(setting).map((name) => [name, settings[setting]]))),
    subsite_id: id,
    sr: id,
    domain: null,
    show_media_preview: settings.show_media,
  },
})
