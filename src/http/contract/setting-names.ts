import { type SettingName, settingNames } from '../../domain/subsite-settings.ts'

type Names = {
  /**
   * Its names in the response of `about/edit`, which has the setting once under each. Requests may use each of them, since clients build
   * them from that response. The documentation names the first.
   */
  readonly names?: readonly string[]
  /** Further names in requests, which no response has. */
  readonly aliases?: readonly string[]
  /** Its name in `about`; absent if that does not have the setting as it is. */
  readonly shownAs?: string
}

/** The settings that clients know by other names, and those that the record of the subsite shows. */
const table: Readonly<Partial<Record<SettingName, Names>>> = {
  type: { names: ['type', 'subsite_type'] },
  submit_text: { shownAs: 'submit_text' },
  link_type: { names: ['link_type', 'content_options'], shownAs: 'submission_type' },
  over_18: { shownAs: 'over18' },
  lang: { names: ['lang', 'language'], shownAs: 'lang' },
  header_title: { names: ['header-title', 'header_hover_text'], aliases: ['header_title'], shownAs: 'header_title' },
  submit_link_label: { shownAs: 'submit_link_label' },
  submit_text_label: { shownAs: 'submit_text_label' },
  collapse_deleted_comments: { shownAs: 'collapse_deleted_comments' },
  public_traffic: { shownAs: 'public_traffic' },
  show_media: { shownAs: 'show_media' },
  hide_ads: { shownAs: 'hide_ads' },
  comment_score_hide_mins: { shownAs: 'comment_score_hide_mins' },
  allow_top: { names: ['allow_top', 'default_set'] },
}

const rowOf = (setting: SettingName): Names => table[setting] ?? {}

export const wireNames = (setting: SettingName): readonly string[] => rowOf(setting).names ?? [setting]
export const aliasesOf = (setting: SettingName): readonly string[] => rowOf(setting).aliases ?? []

/** The settings that the record of a subsite shows, with their names there. */
export const shownNames: readonly (readonly [setting: SettingName, name: string])[] = settingNames.flatMap((setting) => {
  const { shownAs } = rowOf(setting)
  return shownAs === undefined ? [] : [[setting, shownAs] as const]
})
