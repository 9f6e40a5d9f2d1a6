import { icons, type Multi, visibilities, weightings } from '../../domain/multi.ts'
import { multiPath } from '../../domain/multi-path.ts'
import { subsiteName } from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { thingShape } from '../contract/schemas/things.ts'
import { renderMarked } from './markdown.ts'
import { trimmedSubsiteShape } from './subsite.ts'
import { createdFields } from './thing.ts'

export const multiSubsiteShape = shape.component('MultiSubsite', () =>
  shape.recordSchema({ name: subsiteName, data: shape.optional(trimmedSubsiteShape) }),
)

/** A multi and what it is presented with. */
type MultiView = {
  readonly multi: Multi
  /** Its owner's name. */
  readonly owner: string
  readonly canEdit: boolean
  /** The name of the owner of what it was copied from. */
  readonly source: string | undefined
  readonly subsites: readonly object[]
}

const fields: shape.RecordTable<MultiView> = {
  can_edit: [shape.flag, ({ canEdit }) => canEdit],
  copied_from: [
    shape.orNull(shape.text('/user/bob/m/drinks')),
    ({ multi: { copiedFrom }, canEdit, source }) =>
      canEdit && copiedFrom && source !== undefined ? multiPath(source, 'm', copiedFrom.name) : null,
  ],
  ...createdFields(({ multi }) => multi.created),
  description_html: [shape.html('All about tea.'), ({ multi }) => renderMarked(multi.description) ?? ''],
  description_md: [shape.text('All about tea.'), ({ multi }) => multi.description],
  display_name: [shape.text('Drinks'), ({ multi }) => multi.displayName || multi.name],
  icon_name: [shape.choice(...icons), ({ multi }) => multi.icon],
  icon_url: [shape.nullSchema, () => null],
  key_color: [shape.text('#cee3f8'), ({ multi }) => multi.color],
  name: [shape.text('drinks'), ({ multi }) => multi.name],
  path: [shape.text('/user/ann/m/drinks'), ({ multi, owner }) => multiPath(owner, multi.kind, multi.name)],
  subreddits: [shape.listOf(multiSubsiteShape), ({ subsites }) => subsites],
  visibility: [shape.choice(...visibilities), ({ multi }) => multi.visibility],
  weighting_scheme: [shape.choice(...weightings), ({ multi }) => multi.weighting],
}

export const multiShape = thingShape('LabeledMulti', shape.tableShape('LabeledMulti', fields))

/** Returns a multi. Its description must have been rendered ahead. */
export const multiThing = (shown: MultiView) => ({ kind: 'LabeledMulti', data: shape.valuesOf(fields, shown) })

const description: shape.RecordTable<Pick<Multi, 'description'>> = {
  body_html: [shape.html('All about tea.'), ({ description }) => renderMarked(description) ?? ''],
  body_md: [shape.text('All about tea.'), ({ description }) => description],
}

export const multiDescriptionShape = thingShape('LabeledMultiDescription', shape.tableShape('LabeledMultiDescription', description))

export const multiDescription = (multi: Pick<Multi, 'description'>) => ({
  kind: 'LabeledMultiDescription',
  data: shape.valuesOf(description, multi),
})
