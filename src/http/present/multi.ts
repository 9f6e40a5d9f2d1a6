import type { Multi } from '../../domain/multi.ts'
import { multiPath } from '../../domain/multi-path.ts'
import { markedHtml } from './markdown.ts'
import { epoch } from './thing.ts'

/** What a multi is presented with. */
export type AroundMulti = {
  /** Its owner's name. */
  readonly owner: string
  readonly canEdit: boolean
  /** The name of the owner of what it was copied from. */
  readonly source: string | undefined
  readonly subsites: readonly object[]
}

/** A multi. Its description must have been rendered ahead. */
export const multiThing = (multi: Multi, { owner, canEdit, source, subsites }: AroundMulti) => ({
  kind: 'LabeledMulti',
  data: {
    can_edit: canEdit,
    copied_from: canEdit && multi.copiedFrom && source !== undefined ? multiPath(source, 'm', multi.copiedFrom.name) : null,
    created: epoch(multi.created),
    created_utc: epoch(multi.created),
    description_html: markedHtml(multi.description) ?? '',
    description_md: multi.description,
    display_name: multi.displayName || multi.name,
    icon_name: multi.icon,
    icon_url: null,
    key_color: multi.color,
    name: multi.name,
    path: multiPath(owner, multi.kind, multi.name),
    subreddits: subsites,
    visibility: multi.visibility,
    weighting_scheme: multi.weighting,
  },
})

export const multiDescription = ({ description }: Pick<Multi, 'description'>) => ({
  kind: 'LabeledMultiDescription',
  data: { body_html: markedHtml(description) ?? '', body_md: description },
})
