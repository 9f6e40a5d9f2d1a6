import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { defaultSettings, type SettingName, type SubsiteSettings, settingTable } from '../domain/subsite-settings.ts'
import type { Context, Need, Param, Params } from './endpoint.ts'
import { aliased, described, emptiable, flag, markdown, oneOf, optional, raw, strictInteger, text } from './params.ts'
import { type Refusal, refuse } from './refusals.ts'
import type { Viewer } from './request.ts'

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })

/** Underscore separated; what is no language is the site's. */
export const languageOf = (tag: string): string => {
  const normal = tag.trim().replace('-', '_')
  const [, language] = /^([A-Za-z]{2,3})(?:_[A-Za-z]{2,4})?$/.exec(normal) ?? []
  return language !== undefined && languages.of(language) !== undefined ? normal : defaultSettings.lang
}

const language = (): Param<string> => ({ ...raw(), decode: (value = '') => E.right(languageOf(value)) })

const paramOf = (setting: SettingName): Param<unknown> => {
  const rule = settingTable[setting]
  switch (rule.kind) {
    case 'flag':
      return optional(flag())
    case 'integer':
      return optional(strictInteger(rule.range))
    case 'language':
      return optional(language())
    case 'line':
      return optional(text({ max: rule.longest, line: true }))
    case 'text':
      return emptiable(text({ max: rule.longest, empty: true }))
    case 'choice': {
      const words: readonly string[] = rule.values
      const param = oneOf(...words.filter((word) => word !== ''))
      return words.includes('') ? emptiable(param) : optional(param)
    }
  }
}

type Sending = {
  readonly description?: string
  /** Its further names in requests; clients build requests from the record, so each of its names is accepted. */
  readonly names?: readonly string[]
  /** Names in requests alone. */
  readonly aliases?: readonly string[]
  /** Its most characters of markdown, which is refused if it cannot be rendered in time. */
  readonly markdown?: number
}

/** How each setting of a subsite is sent, in the order in which errors are reported; absent is unchanged. */
const table: Readonly<Record<SettingName, Sending>> = {
  title: {},
  type: { names: ['type', 'subsite_type'] },
  link_type: { names: ['link_type', 'content_options'] },
  wikimode: {},
  spam_links: {},
  spam_selfposts: {},
  spam_comments: {},
  suggested_comment_sort: {},
  description: { description: 'the sidebar, markdown', markdown: settingTable.description.longest },
  public_description: { description: 'markdown' },
  submit_text: { description: 'markdown' },
  header_title: { names: ['header-title', 'header_hover_text'], aliases: ['header_title'] },
  submit_link_label: {},
  submit_text_label: {},
  wiki_edit_karma: {},
  wiki_edit_age: {},
  comment_score_hide_mins: {},
  lang: { description: 'language tag; an unknown one is `en`', names: ['lang', 'language'] },
  over_18: {},
  allow_top: { names: ['allow_top', 'default_set'] },
  show_media: {},
  public_traffic: {},
  collapse_deleted_comments: {},
  exclude_banned_modqueue: {},
  hide_ads: {},
}

export const wireNames = (setting: SettingName): readonly string[] => table[setting].names ?? [setting]

const sent = (Object.keys(table) as readonly SettingName[]).map((setting) => {
  const [name = setting, ...others] = wireNames(setting)
  const { description = '', aliases = [], markdown: most } = table[setting]
  const param = described(aliased(paramOf(setting), ...aliases, ...others), description)
  return { setting, name, param: most === undefined ? param : markdown(most, param) }
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
