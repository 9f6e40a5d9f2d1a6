import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { refuse } from '../domain/decision.ts'
import type { Refusal } from '../domain/refusal.ts'
import { commentSorts, defaultSettings, type SettingName, type SubsiteSettings, subsiteTypes } from '../domain/subsite-settings.ts'
import type { Context, Need, Param, Params } from './endpoint.ts'
import { aliased, described, emptiable, flag, markdown, oneOf, optional, raw, strictInteger, text } from './params.ts'
import type { Viewer } from './request.ts'

const emptiableText = (max: number) => emptiable(text({ max, empty: true }))
const spamLevel = () => optional(oneOf('low', 'high', 'all'))

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** Underscore separated; what is no language is the site's. */
export const languageOf = (tag: string): string => {
  const normal = tag.trim().replace('-', '_')
  const [, language] = /^([A-Za-z]{2,3})(?:_[A-Za-z]{2,4})?$/.exec(normal) ?? []
  return language !== undefined && languages.of(language) !== undefined ? normal : defaultSettings.lang
}

const language = (): Param<string> => ({ ...raw(), decode: (value = '') => E.right(languageOf(value)) })

/**
 * The parameter of each setting of a subsite, in the order in which errors are reported; absent is unchanged. `names`: its further
 * names in requests; clients build requests from the record, so each of its names is accepted.
 */
const table: {
  readonly [K in SettingName]: { readonly param: Param<SubsiteSettings[K] | undefined>; readonly names?: readonly string[] }
} = {
  title: { param: optional(text({ max: 100, line: true })) },
  type: { param: optional(oneOf(...subsiteTypes)), names: ['type', 'subsite_type'] },
  link_type: { param: optional(oneOf('any', 'link', 'self')), names: ['link_type', 'content_options'] },
  wikimode: { param: optional(oneOf('disabled', 'modonly', 'anyone')) },
  spam_links: { param: spamLevel() },
  spam_selfposts: { param: spamLevel() },
  spam_comments: { param: spamLevel() },
  suggested_comment_sort: { param: emptiable(oneOf(...commentSorts, 'blank')) },
  description: { param: markdown(5120, described(emptiableText(5120), 'the sidebar, markdown')) },
  public_description: { param: described(emptiableText(500), 'markdown') },
  submit_text: { param: described(emptiableText(1024), 'markdown') },
  header_title: { param: aliased(emptiableText(500), 'header_title'), names: ['header-title', 'header_hover_text'] },
  submit_link_label: { param: emptiableText(60) },
  submit_text_label: { param: emptiableText(60) },
  wiki_edit_karma: { param: optional(strictInteger({ min: 0 })) },
  wiki_edit_age: { param: optional(strictInteger({ min: 0 })) },
  comment_score_hide_mins: { param: optional(strictInteger({ min: 0, max: 1440 })) },
  lang: { param: described(optional(language()), 'language tag; an unknown one is `en`'), names: ['lang', 'language'] },
  over_18: { param: optional(flag()) },
  allow_top: { param: optional(flag()), names: ['allow_top', 'default_set'] },
  show_media: { param: optional(flag()) },
  public_traffic: { param: optional(flag()) },
  collapse_deleted_comments: { param: optional(flag()) },
  exclude_banned_modqueue: { param: optional(flag()) },
  hide_ads: { param: optional(flag()) },
}

export const wireNames = (setting: SettingName): readonly string[] => table[setting].names ?? [setting]

const sent = (Object.keys(table) as readonly SettingName[]).map((setting) => {
  const [name = setting, ...others] = wireNames(setting)
  const { param } = table[setting]
  return { setting, name, param: aliased<unknown>(param, ...param.aliases, ...others) }
})

const params: Params = Object.fromEntries(sent.map(({ name, param }) => [name, param]))

/** The settings that a request sends. */
export type Sent = {
  /** Permission to set the type is checked before any value is validated. */
  readonly type: () => Partial<SubsiteSettings>
  /** All of them, or the first that is wrong; `required`: one that must be among them. */
  readonly all: (required?: SettingName) => Either<Refusal, Partial<SubsiteSettings>>
}

/** Reads the settings that a request sends when the handler says so. */
export const settingsSent: Need<Sent, unknown, Viewer> = Object.assign(
  ({ decode }: Context): Either<Refusal, Sent> =>
    E.right({
      type: () => {
        const type = decode('type')
        return E.isRight(type) && type.right !== undefined ? { type: type.right as SubsiteSettings['type'] } : {}
      },
      all: (required) => {
        const settings: Record<string, unknown> = {}
        for (const { setting, name } of sent) {
          const decoded = decode(name)
          if (E.isLeft(decoded)) return decoded
          if (decoded.right !== undefined) settings[setting] = decoded.right
          else if (setting === required) return refuse('NO_TEXT', name)
        }
        return E.right(settings as Partial<SubsiteSettings>)
      },
    }),
  { params: () => params },
)
