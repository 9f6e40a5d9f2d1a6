// Decision 82.

import { siteFiles } from '../../present/site-files.ts'
import { Html, html, renderIf, url } from '../../wire/html.ts'
import type { Around } from '../page.ts'
import { renderText } from './text.ts'

/**
 * Renders the part of a page that the stylesheet of its subsite applies to. The root of a shadow tree keeps its selectors inside, and the
 * frame around it (`.frame` in rostra.css) all that it draws. Nothing that acts or that somebody must be able to trust stands in one: no
 * form, no vote, no author, no log.
 */
const frame = (content: Html, sheet: Html, pageSheet = siteFiles['rostra.css'].address): Html =>
  html`<div class="frame"><div><template shadowrootmode="open"><link rel="stylesheet" href="${url(pageSheet)}">${sheet}${content}</template></div></div>`

/** Renders content in the style of its subsite, if it has one and the reader wants it. */
export const styleContent = ({ styling }: Pick<Around, 'styling'>, content: Html): Html =>
  styling?.isShown ? frame(content, html`<link rel="stylesheet" href="${url(styling.address)}">`, styling.pageSheet) : content

/** Names the version of the site's own sheet, which the sheet of a page contains. */
const version = /-(\w+)\.css$/.exec(siteFiles['rostra.css'].address)?.[1] ?? ''

/**
 * Adds the sheet of the page to the styling of a page with flair that has classes: the site's own, with the colours that the subsite gives
 * to flair after it. It is one file, so that such a page asks for no more than others.
 */
export const withFlairColours = (styling: Around['styling'], main: string): Around['styling'] =>
  styling?.isShown && main.includes('"badge flair flair-')
    ? { ...styling, pageSheet: `${styling.address.replace(/\.css$/, '.page.css')}?of=${version}` }
    : styling

const imagePath = (address: string): string => URL.parse(address)?.pathname ?? address

/** Renders an image of a subsite. It is asked for at this site, whatever address it has for others. */
export const imageOf = (address: string, [width, height]: readonly number[] | [], words = ''): Html =>
  width === undefined || height === undefined
    ? html`<img src="${url(imagePath(address))}" alt="${words}">`
    : html`<img src="${url(imagePath(address))}" width="${width}" height="${height}" alt="${words}">`

/** Renders the banner of a subsite. */
export const banner = (around: Pick<Around, 'subsite' | 'styling'>): Html | undefined =>
  renderIf(around.subsite?.banner_img, (image) => {
    const shown = imageOf(image, around.subsite?.banner_size ?? [])
    return html`<div class="banner">${around.styling?.isShown ? styleContent(around, html`<div class="banner">${shown}</div>`) : shown}</div>`
  })

/** Says whose style it is, and leads to the page without it, or with it. */
export const styleLabel = ({ subsite, styling, at }: Around): Html | undefined => {
  if (!subsite || !styling) return undefined
  const query = new URLSearchParams(at.query)
  query.set('style', styling.isShown ? 'off' : 'on')
  const other = url(`${at.path}?${query}`)
  return styling.isShown
    ? html`<p class="meta">styled by the moderators of ${subsite.display_name} · <a href="${other}" rel="nofollow">without their style</a></p>`
    : html`<p class="meta"><a href="${other}" rel="nofollow">as the moderators of ${subsite.display_name} style it</a></p>`
}

/** Renders the text beside the pages of a subsite. */
export const sideText = ({ subsite }: Pick<Around, 'subsite'>): Html | undefined =>
  renderIf(
    renderText(subsite?.description_html ?? null) ?? renderText(subsite?.public_description_html ?? null),
    (text) => html`<div class="side">${text}</div>`,
  )

/**
 * Renders the banner and the sidebar of a subsite with a stylesheet that is not saved. It is what the compiler made, which never has `</`.
 * The content security policy of the one response with it allows this text, and no other style within the page.
 */
export const previewFrame = ({ subsite }: Pick<Around, 'subsite'>, css: string): Html => {
  const sheet = new Html(`<style>${css.includes('</') ? '' : css}</style>`)
  const image = subsite?.banner_img
  const shown = image ? html`<div class="banner">${imageOf(image, subsite?.banner_size ?? [])}</div>` : undefined
  return html`${renderIf(shown, (one) => html`<div class="banner">${frame(one, sheet)}</div>`)}<div class="card">${frame(sideText({ subsite }) ?? html`<p>The sidebar is empty.</p>`, sheet)}</div>`
}
