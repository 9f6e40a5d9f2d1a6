import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record } from './decision.ts'
import { event, type OneOf, optional, sealed } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'

/** Bytes of a stylesheet as it is written. */
export const MAX_STYLESHEET_BYTES = 100 * 1024

/**
 * `source`: as it was written, empty where the stylesheet was taken away. `css`: the published one, a blob by its SHA-256; null with an
 * empty source. `images`: the files of the images it shows, each a hash with the
 * ending of its format. The text is the subsite's, as its settings are; the reason is its author's. `previous`: the event of the
 * stylesheet it took the place of, null if there was none, and `before`: its `css`; earlier versions did not record these.
 */
export const StylesheetSaved = event('StylesheetSaved', {
  subsite: SubsiteId,
  author: AccountId,
  source: t.string,
  reason: sealed('author'),
  css: t.union([t.string, t.null]),
  images: t.readonlyArray(t.string),
  previous: optional(t.union([t.string, t.null])),
  before: optional(t.union([t.string, t.null])),
})
export const stylesheetEvents = [StylesheetSaved] as const
export type StylesheetEvent = OneOf<typeof stylesheetEvents>

type Sheet = { readonly source: string; readonly css: string | null; readonly images: readonly string[] }

/** The stylesheet of a subsite, on `stylesheet-<subsite>`; `id`: of the event that saved it, which is its revision. */
export type Stylesheet = Sheet & { readonly id: string }

export const Stylesheet: Aggregate<Stylesheet, StylesheetEvent> = {
  category: 'stylesheet',
  subsiteOf: (id) => id,
  on: { StylesheetSaved: (_, { source, css, images }, { id }) => ({ id, source, css, images }) },
  decidedByLast: true,
}

type NewStylesheet = Sheet & { readonly subsite: SubsiteId; readonly author: AccountId; readonly reason: string }

const isSame = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((one, at) => one === b[at])

/** Saving the same text with the same images makes no event; after an image was replaced, saving publishes anew. */
export const saveStylesheet =
  (saving: NewStylesheet): Decide<Stylesheet, StylesheetEvent> =>
  (saved) => {
    const { source, css, images } = saved ?? { source: '', css: null, images: [] }
    if (saving.source === source && saving.css === css && isSame(saving.images, images)) return nothing
    return record(StylesheetSaved({ ...saving, previous: saved?.id ?? null, before: css }))
  }
