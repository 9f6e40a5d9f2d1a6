// Decision 77.

import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, recordCodec } from './event.ts'
import { type Flair, flairLimits } from './flair.ts'
import { SubsiteId } from './ids.ts'
import { oneOf } from './one-of.ts'

/** The things that a template is for. */
export const flairKinds = ['user', 'link'] as const
export type FlairKind = (typeof flairKinds)[number]
const Kind = t.keyof({ user: null, link: null })

/**
 * The settings of flair. `flair_enabled` is for clients that draw pages; records contain flair regardless. With an empty position, link
 * flair is not shown there.
 */
export type FlairSettings = {
  readonly flair_enabled: boolean
  readonly flair_position: 'left' | 'right'
  readonly link_flair_position: 'left' | 'right' | ''
  readonly flair_self_enabled: boolean
  readonly link_flair_self_enabled: boolean
}

/** The initial settings, in the order of the log entries of one call. */
const initialSettings: FlairSettings = {
  flair_enabled: true,
  flair_position: 'right',
  link_flair_position: '',
  flair_self_enabled: false,
  link_flair_self_enabled: false,
}
const settingNames = Object.keys(initialSettings) as readonly (keyof FlairSettings)[]
const Value = t.union([t.boolean, t.keyof({ left: null, right: null, '': null })])

export type FlairTemplate = Flair & {
  /** A UUID. */
  readonly id: string
  /** True if users and authors who choose the template may change its text. */
  readonly editable: boolean
}

const content = {
  text: field(t.string, 'Its text; empty: none.', 'public'),
  css: field(t.string, 'Names of classes, with spaces between; empty: none.', 'public'),
  editable: field(t.boolean, 'Whether who chooses it may change its text.', 'public'),
}
const subsite = field(SubsiteId, 'The subsite.', 'public')
const kind = field(Kind, 'Whether it is for users or for links.', 'public')
const place = { subsite, kind, template: field(t.string, 'The template, a UUID.', 'public') }
const template = { ...place, ...content }
const before = field(
  optional(recordCodec('FormerTemplate', content)),
  'What the template was; earlier versions did not record it.',
  'public',
)

export const FlairSettingChanged = event(
  'FlairSettingChanged',
  'A moderator changed one setting of the flair of a subsite.',
  {
    subsite,
    setting: field(oneOf(settingNames), 'Its name.', 'public'),
    before: field(Value, 'Its value before.', 'public'),
    after: field(Value, 'Its value now.', 'public'),
  },
  { by: 'public' },
)
export const FlairTemplateAdded = event('FlairTemplateAdded', 'A moderator made a template of flair.', template, { by: 'public' })
export const FlairTemplateChanged = event(
  'FlairTemplateChanged',
  'A moderator changed a template of flair.',
  { ...template, before },
  { by: 'public' },
)
export const FlairTemplateDeleted = event(
  'FlairTemplateDeleted',
  'A moderator deleted a template of flair; flair that was set from it stays.',
  { ...place, before },
  { by: 'public' },
)
export const FlairTemplatesCleared = event(
  'FlairTemplatesCleared',
  'A moderator deleted all templates of one kind.',
  {
    subsite,
    kind,
    templates: field(
      optional(t.readonlyArray(t.string)),
      'All that there were, in their order; earlier versions did not record them.',
      'public',
    ),
  },
  { by: 'public' },
)
export const subsiteFlairEvents = [
  FlairSettingChanged,
  FlairTemplateAdded,
  FlairTemplateChanged,
  FlairTemplateDeleted,
  FlairTemplatesCleared,
] as const
export type SubsiteFlairEvent = OneOf<typeof subsiteFlairEvents>

/** The flair that a subsite offers: its settings, and the templates of each kind in the order in which they were made. */
export type SubsiteFlair = { readonly settings: FlairSettings } & { readonly [K in FlairKind]: readonly FlairTemplate[] }

export const noSubsiteFlair: SubsiteFlair = { settings: initialSettings, user: [], link: [] }

type TemplateFields = { readonly template: string; readonly text: string; readonly css: string; readonly editable: boolean }
const templateOf = ({ template: id, text, css, editable }: TemplateFields): FlairTemplate => ({ id, text, css, editable })

export const SubsiteFlair: Aggregate<SubsiteFlair, SubsiteFlairEvent> = {
  category: 'flairtemplates',
  subsiteOf: (id) => id,
  on: {
    FlairSettingChanged: (state = noSubsiteFlair, { setting, after }) => ({ ...state, settings: { ...state.settings, [setting]: after } }),
    FlairTemplateAdded: (state = noSubsiteFlair, data) => ({ ...state, [data.kind]: [...state[data.kind], templateOf(data)] }),
    FlairTemplateChanged: (state = noSubsiteFlair, data) => ({
      ...state,
      [data.kind]: state[data.kind].map((one) => (one.id === data.template ? templateOf(data) : one)),
    }),
    FlairTemplateDeleted: (state = noSubsiteFlair, data) => ({
      ...state,
      [data.kind]: state[data.kind].filter(({ id }) => id !== data.template),
    }),
    FlairTemplatesCleared: (state = noSubsiteFlair, { kind }) => ({ ...state, [kind]: [] }),
  },
}

type DecideFlair = Decide<SubsiteFlair, SubsiteFlairEvent>

/** Changes the settings of flair, with one event for each setting that differs. */
export const configureFlair =
  (subsite: SubsiteId, settings: FlairSettings): DecideFlair =>
  (state = noSubsiteFlair) =>
    decideEvents(
      ...settingNames.flatMap((setting) => {
        const [before, after] = [state.settings[setting], settings[setting]]
        return before === after ? [] : [FlairSettingChanged({ subsite, setting, before, after })]
      }),
    )

/** Returns the kind and the content of a template, if the subsite has it. */
const templateWith = (state: SubsiteFlair, id: string | undefined) => {
  for (const kind of flairKinds) {
    const found = state[kind].find((template) => template.id === id)
    if (found) return { kind, before: { text: found.text, css: found.css, editable: found.editable } }
  }
  return undefined
}

/** Replaces the template of this id, whose kind stays. If there is none, adds one under the id to be given. */
export const putTemplate =
  (
    subsite: SubsiteId,
    kind: FlairKind,
    { id, ...flair }: Omit<FlairTemplate, 'id'> & { readonly id: string | undefined },
    added: string,
  ): DecideFlair =>
  (state = noSubsiteFlair) => {
    const known = templateWith(state, id)
    if (known === undefined || id === undefined)
      return state[kind].length < flairLimits.templates
        ? decideEvents(FlairTemplateAdded({ subsite, kind, template: added, ...flair }))
        : refuse('TOO_MANY_FLAIR_TEMPLATES')
    const { text, css, editable } = known.before
    const isSame = text === flair.text && css === flair.css && editable === flair.editable
    return isSame ? noEvents : decideEvents(FlairTemplateChanged({ subsite, ...known, template: id, ...flair }))
  }

/** Deletes a template. Flair already set from it stays. */
export const deleteTemplate =
  (subsite: SubsiteId, template: string): DecideFlair =>
  (state = noSubsiteFlair) => {
    const known = templateWith(state, template)
    return known === undefined
      ? refuse('NOT_FOUND', 'flair_template_id')
      : decideEvents(FlairTemplateDeleted({ subsite, ...known, template }))
  }

export const clearTemplates =
  (subsite: SubsiteId, kind: FlairKind): DecideFlair =>
  (state = noSubsiteFlair) => {
    const templates = state[kind].map(({ id }) => id)
    return templates.length === 0 ? noEvents : decideEvents(FlairTemplatesCleared({ subsite, kind, templates }))
  }
