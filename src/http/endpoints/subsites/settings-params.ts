import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type SettingName, type SubsiteSettings, settingNames, settingTable } from '../../../domain/subsite-settings.ts'
import type { Context, Need, Param, Params } from '../../contract/endpoint.ts'
import { languageOf } from '../../contract/language-tag.ts'
import { foldLineEnds } from '../../contract/line-ends.ts'
import {
  addAliases,
  allowEmpty,
  describeParam,
  flag,
  json,
  markdown,
  oneOf,
  optional,
  rawText,
  strictInteger,
  text,
} from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { aliasesOf, wireNames } from '../../contract/setting-names.ts'

const language = (): Param<string> => ({ ...rawText(), decode: (value = '') => E.right(languageOf(value)) })

type Rule = (typeof settingTable)[SettingName]
type SettingKind = Rule['kind']

/** The parameter of a setting of each kind; absent means unchanged. The errors of a request are reported in the order of these kinds. */
const paramOf: { readonly [K in SettingKind]: (rule: Extract<Rule, { readonly kind: K }>) => Param<unknown> } = {
  line: ({ longest }) => optional(text({ max: longest, line: true })),
  choice: ({ values }) => {
    const words: readonly string[] = values
    const param = oneOf(...words.filter((word) => word !== ''))
    return words.includes('') ? allowEmpty(param) : optional(param)
  },
  text: ({ longest }) => allowEmpty(text({ max: longest, empty: true })),
  label: ({ longest }) => allowEmpty(text({ max: longest, empty: true, line: true })),
  integer: ({ range }) => optional(strictInteger(range)),
  language: () => optional(language()),
  flag: () => optional(flag()),
}

const paramOfSetting = (setting: SettingName): Param<unknown> => {
  const rule: Rule = settingTable[setting]
  return (paramOf[rule.kind] as (rule: Rule) => Param<unknown>)(rule)
}

type Note = {
  readonly description: string
  /** The most characters of its markdown, which is refused if it cannot be rendered in time. */
  readonly markdown?: number
}

const notes: Readonly<Partial<Record<SettingName, Note>>> = {
  description: { description: 'the sidebar, markdown', markdown: settingTable.description.longest },
  public_description: { description: 'markdown' },
  submit_text: { description: 'markdown' },
  lang: { description: 'language tag; an unknown one is `en`' },
}

const inOrder = Object.keys(paramOf).flatMap((kind) => settingNames.filter((setting) => settingTable[setting].kind === kind))

const settingParams = inOrder.map((setting) => {
  const [name = setting, ...others] = wireNames(setting)
  const { description, markdown: most } = notes[setting] ?? { description: '' }
  const param = describeParam(addAliases(paramOfSetting(setting), ...aliasesOf(setting), ...others), description)
  return { setting, name, param: most === undefined ? param : markdown(most, param) }
})

const expected = describeParam(
  optional(json(t.UnknownRecord)),
  'with `sr`: the settings as you saw them, such as `data` of `about/edit`. One that you send unchanged stays as it is by now; one that you change and somebody else changed since is 409 `CONFLICT`',
)

const params: Params = { ...Object.fromEntries(settingParams.map(({ name, param }) => [name, param])), expected }

/** Returns the settings among the members of a JSON object. */
const settingsIn = (members: Readonly<Record<string, unknown>>): Partial<SubsiteSettings> =>
  Object.fromEntries(
    settingParams.flatMap(({ setting, name, param }) => {
      const value = members[name]
      if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return []
      const decoded = param.decode(String(value), name)
      return E.isRight(decoded) && decoded.right !== undefined ? [[setting, decoded.right]] : []
    }),
  )

/** Leaves out the settings that are sent as their author saw them. Forms of browsers change the line ends of a text. */
export const withoutSeen = (sent: Partial<SubsiteSettings>, seen: Partial<SubsiteSettings>): Partial<SubsiteSettings> => {
  const toCompared = (value: unknown): unknown => (typeof value === 'string' ? foldLineEnds(value) : value)
  return Object.fromEntries(Object.entries(sent).filter(([name, value]) => toCompared(seen[name as SettingName]) !== toCompared(value)))
}

/** The settings that a request sends. */
export type SettingsReader = {
  /** Reads the type. The permission to set it is checked before any value is validated. */
  readonly type: () => Partial<SubsiteSettings>
  /** Returns the settings as the sender saw them, as far as the request says so. */
  readonly expected: () => E.Either<Refusal, Partial<SubsiteSettings>>
  /** Returns all settings, or the first refusal. `required` names one that must be among them. */
  readonly all: (required?: SettingName) => E.Either<Refusal, Partial<SubsiteSettings>>
}

/** Reads the settings that a request sends when the handler calls it. */
export const settingsSent: Need<SettingsReader, unknown, Viewer> = Object.assign(
  ({ decode }: Context): E.Either<Refusal, SettingsReader> =>
    E.right({
      type: () => {
        const type = decode('type')
        return E.isRight(type) && type.right !== undefined ? { type: type.right as SubsiteSettings['type'] } : {}
      },
      expected: () =>
        E.map((members: Readonly<Record<string, unknown>> | undefined) => settingsIn(members ?? {}))(
          decode('expected') as E.Either<Refusal, Readonly<Record<string, unknown>> | undefined>,
        ),
      all: (required) => {
        const settings: Record<string, unknown> = {}
        for (const { setting, name } of settingParams) {
          const decoded = decode(name)
          if (E.isLeft(decoded)) return decoded
          if (decoded.right !== undefined) settings[setting] = decoded.right
          else if (setting === required) return refuseRule('NO_TEXT', name)
        }
        return E.right(settings as Partial<SubsiteSettings>)
      },
    }),
  { params: () => params },
)
