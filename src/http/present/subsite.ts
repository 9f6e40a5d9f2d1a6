import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { id36 } from '../../domain/ids.ts'
import type { Permissions } from '../../domain/moderators.ts'
import { settingNames } from '../../domain/subsite-settings.ts'
import type { Membership } from '../../queries/relations.ts'
import { wireNames } from '../settings.ts'
import { epoch } from './epoch.ts'
import { markedHtml } from './markdown.ts'

/** Granted names, as lists of moderators and of moderated subsites carry them. */
export const permissionList = (permissions: Permissions): readonly string[] =>
  permissions === '+all' ? ['all'] : permissions.split(',').flatMap((term) => (term.startsWith('+') ? [term.slice(1)] : []))

const subsiteUrl = (name: string): string => `/s/${name}/`

/** Uploaded images are not offered yet, so every subsite has the site's own. */
const images = { banner_img: '', banner_size: null, header_img: null, header_size: null, icon_img: '', icon_size: null }

const relationTo = (membership: Membership | undefined) => ({
  user_is_banned: membership?.banned ?? null,
  user_is_muted: membership ? false : null,
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

const holdsWiki = (permissions: Permissions | undefined) =>
  permissions !== undefined && (permissions === '+all' || permissions.split(',').includes('+wiki'))

/** The full record, for viewers of the subsite; `membership` is undefined for anonymous callers. */
const full = (subsite: SubsiteDocument, membership: Membership | undefined) => {
  const { settings, subscribers } = subsite
  return {
    ...identity(subsite),
    description: settings.description,
    description_html: markedHtml(settings.description),
    submit_text: settings.submit_text,
    submit_text_html: markedHtml(settings.submit_text),
    submission_type: settings.link_type,
    subscribers,
    accounts_active: null,
    over18: settings.over_18,
    lang: settings.lang,
    ...images,
    header_title: settings.header_title,
    submit_link_label: settings.submit_link_label,
    submit_text_label: settings.submit_text_label,
    collapse_deleted_comments: settings.collapse_deleted_comments,
    public_traffic: settings.public_traffic,
    show_media: settings.show_media,
    show_media_preview: settings.show_media,
    hide_ads: settings.hide_ads,
    quarantine: false,
    comment_score_hide_mins: settings.comment_score_hide_mins,
    suggested_comment_sort: settings.suggested_comment_sort === '' ? null : settings.suggested_comment_sort,
    community_rules: [],
    wiki_enabled: settings.wikimode === 'anyone' || (settings.wikimode === 'modonly' && holdsWiki(membership?.permissions)),
    ...relationTo(membership),
    user_sr_theme_enabled: true,
  }
}

type Full = ReturnType<typeof full>

/** The record for viewers who may not view the subsite: all but its identity is null. */
const reduced = (subsite: SubsiteDocument): { readonly [Field in keyof Full]: unknown } => {
  const hidden = Object.fromEntries(Object.keys(full(subsite, undefined)).map((field) => [field, null]))
  return { ...(hidden as Record<keyof Full, null>), ...identity(subsite) }
}

export type Viewed = {
  readonly viewable: boolean
  /** Undefined for anonymous callers. */
  readonly membership: Membership | undefined
}

export const subsiteThing = (subsite: SubsiteDocument, { viewable, membership }: Viewed) => ({
  kind: 't4',
  data: viewable ? full(subsite, membership) : reduced(subsite),
})

/** As the list of subsites that one moderates shows it. */
export const moderatedThing = (subsite: SubsiteDocument, membership: Membership) => ({
  kind: 't4',
  data: { ...full(subsite, membership), mod_permissions: permissionList(membership.permissions ?? '') },
})

/** The trimmed record that links and multis carry (`sr_detail`, `expand_srs`). */
export const trimmedSubsite = (subsite: SubsiteDocument, { viewable, membership }: Viewed) => {
  const named = { name: subsite.id, display_name: subsite.name, url: subsiteUrl(subsite.name) }
  const detail = { ...images, key_color: '', subscribers: subsite.subscribers, ...relationTo(membership) }
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
