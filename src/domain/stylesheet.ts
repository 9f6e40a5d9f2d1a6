import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record } from './decision.ts'
import { event, type OneOf, sealed } from './event.ts'
import { AccountId, SubsiteId } from './ids.ts'

/** Bytes of a stylesheet as it is written. */
export const MOST_STYLESHEET_BYTES = 100 * 1024

/**
 * `source`: as it was written, empty where the stylesheet was taken away. `css`: the published one, a blob by its SHA-256; null with an
 * empty source. `images`: the files of the images it shows, each a hash with the
 * ending of its format. The text is the subsite's, as its settings are; the reason is its author's.
 */
export const StylesheetSaved = event('StylesheetSaved', {
  subsite: SubsiteId,
  author: AccountId,
  source: t.string,
  reason: sealed('author'),
  css: t.union([t.string, t.null]),
  images: t.readonlyArray(t.string),
})
export const stylesheetEvents = [StylesheetSaved] as const
export type StylesheetEvent = OneOf<typeof stylesheetEvents>

/** The stylesheet of a subsite, on `stylesheet-<subsite>`. */
export type Stylesheet = { readonly source: string; readonly css: string | null; readonly images: readonly string[] }

export const Stylesheet: Aggregate<Stylesheet, StylesheetEvent> = {
  category: 'stylesheet',
  on: { StylesheetSaved: (_, { source, css, images }) => ({ source, css, images }) },
  decidedByLast: true,
}

type Saving = Stylesheet & { readonly subsite: SubsiteId; readonly author: AccountId; readonly reason: string }

const isSame = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((one, at) => one === b[at])

/** Saving the same text with the same images makes no event; after an image was replaced, saving publishes anew. */
export const saveStylesheet =
  (saving: Saving): Decide<Stylesheet, StylesheetEvent> =>
  (saved = { source: '', css: null, images: [] }) => {
    const { source, css, images } = saving
    return source === saved.source && css === saved.css && isSame(images, saved.images) ? nothing : record(StylesheetSaved(saving))
  }
