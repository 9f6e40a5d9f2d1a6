import { icons, MOST_SUBSITES, visibilities, weightings } from '../../../domain/multi.ts'
import { limits } from '../../../domain/text.ts'
import { dated, subsiteName } from '../../contract/schemas/names.ts'
import { among, component, flag, html, listOf, nothing, optional, orNull, record, text } from '../../contract/schemas/schema.ts'
import { trimmedSubsiteShape } from '../../contract/schemas/subsites.ts'
import { thingShape } from '../../contract/schemas/things.ts'

export const multiSubsiteShape = component('MultiSubsite', () => record({ name: subsiteName, data: optional(trimmedSubsiteShape) }))

const multi = component('LabeledMulti', () =>
  record({
    can_edit: flag,
    copied_from: orNull(text('/user/ann/m/kettles')),
    ...dated,
    description_html: html,
    description_md: text('All about tea.'),
    display_name: text('Tea and coffee'),
    icon_name: among(...icons),
    icon_url: nothing,
    key_color: text('#cee3f8'),
    name: text('tea_and_coffee'),
    path: text('/user/ann/m/tea_and_coffee'),
    subreddits: listOf(multiSubsiteShape),
    visibility: among(...visibilities),
    weighting_scheme: among(...weightings),
  }),
)

export const multiShape = thingShape('LabeledMulti', multi)

export const multiDescriptionShape = thingShape(
  'LabeledMultiDescription',
  component('LabeledMultiDescription', () => record({ body_html: html, body_md: text('All about tea.') })),
)

/** The `model` parameter, as documentation. */
export const modelSchema = {
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: {
    type: 'object',
    properties: {
      display_name: { type: 'string', minLength: 1, maxLength: limits.multiName },
      description_md: { type: ['string', 'null'], maxLength: limits.multiDescription },
      icon_name: { enum: [...icons, 'None', null] },
      key_color: { type: ['string', 'null'], pattern: '^(#[0-9A-Fa-f]{6})?$' },
      subreddits: {
        type: 'array',
        maxItems: MOST_SUBSITES,
        items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      visibility: { enum: visibilities },
      weighting_scheme: { enum: weightings },
    },
  },
} as const
