import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents } from './decision.ts'
import { event, field, type OneOf, optional, sealedText } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'

/** The most bytes of a stylesheet as it is written. */
export const MAX_STYLESHEET_BYTES = 100 * 1024

/** The text belongs to the subsite, as its settings do; the reason belongs to its author. */
export const StylesheetSaved = event(
  'StylesheetSaved',
  'A moderator changed the stylesheet of a subsite, or took it away.',
  {
    subsite: field(SubsiteId, 'The subsite.', 'public'),
    author: field(AccountId, 'Who changed it.', 'public'),
    source: field(t.string, 'The stylesheet as it was written; empty: none.', 'public'),
    reason: field(sealedText('author'), 'Why; may be empty.', 'public'),
    css: field(t.union([t.string, t.null]), 'The SHA-256 of what is published of it, in hexadecimal; null: none.', 'subsite'),
    images: field(t.readonlyArray(t.string), 'The files of the images that it shows.', 'subsite'),
    previous: field(
      optional(t.union([t.string, t.null])),
      'The event of the stylesheet that it replaced; null: none. Earlier versions did not record it.',
      'subsite',
    ),
    before: field(
      optional(t.union([t.string, t.null])),
      'The SHA-256 of what was published before; null: nothing. Earlier versions did not record it.',
      'subsite',
    ),
  },
  { by: 'public' },
)
export const stylesheetEvents = [StylesheetSaved] as const
export type StylesheetEvent = OneOf<typeof stylesheetEvents>

type Sheet = { readonly source: string; readonly css: string | null; readonly images: readonly string[] }

/** The stylesheet of a subsite, on `stylesheet-<subsite>`. `id` is that of the event that saved it, which is its revision. */
export type Stylesheet = Sheet & { readonly id: string }

export const Stylesheet: Aggregate<Stylesheet, StylesheetEvent> = {
  category: 'stylesheet',
  subsiteOf: (id) => id,
  on: { StylesheetSaved: (_, { source, css, images }, { id }) => ({ id, source, css, images }) },
  decidedByLast: true,
}

type NewStylesheet = Sheet & { readonly subsite: SubsiteId; readonly author: AccountId; readonly reason: string }

const isSame = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((one, at) => one === b[at])

/** Saves a stylesheet. The same text with the same images makes no event. After an image was replaced, saving publishes anew. */
export const saveStylesheet =
  (saving: NewStylesheet): Decide<Stylesheet, StylesheetEvent> =>
  (saved) => {
    const { source, css, images } = saved ?? { source: '', css: null, images: [] }
    if (saving.source === source && saving.css === css && isSame(saving.images, images)) return noEvents
    return decideEvents(StylesheetSaved({ ...saving, previous: saved?.id ?? null, before: css }))
  }
