import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type Around, type Body, pageFor } from '../page.ts'
import { AGAIN_FIELD, actButton, choiceField, type FormState, fieldForm, lineField, textField } from '../parts/forms.ts'
import { imageOf, previewFrame } from '../parts/styled.ts'
import { mayModerate, moderationTabs } from '../parts/subsites.ts'

type Look = Body<'GET /s/{sub}/about/stylesheet'>['data']
type Image = Look['images'][number]

const fileOf = (address: string): string => address.slice(address.lastIndexOf('/') + 1)

const eraseLink = ({ viewer, at }: Around, address: string): Html | undefined =>
  viewer?.is_employee && !at.copyOf
    ? html`<a class="quiet" href="${url(`${at.path}?erase=${fileOf(address)}#erase`)}">erase</a>`
    : undefined

const single = (around: Around, use: 'banner' | 'icon' | 'header', base: string): Html => {
  const { subsite } = around
  const address = subsite?.[`${use}_img`]
  return html`<section class="card"><h2>${use}</h2>${
    address
      ? html`<p>${imageOf(address, subsite?.[`${use}_size`] ?? [], `the ${use}`)}</p><p class="acts">${
          mayModerate(around, 'config') ? actButton(url(`${base}/api/delete_sr_${use}`), { class: 'quiet', content: 'delete' }) : undefined
        }${eraseLink(around, address)}</p>`
      : html`<p class="meta">There is none.</p>`
  }</section>`
}

const imageTable = (around: Around, images: readonly Image[], base: string): Html =>
  html`<section class="card"><h2>Images of the stylesheet</h2>${
    images.length === 0
      ? html`<p class="meta">There are none.</p>`
      : html`<ul class="links">${images.map(
          ({ name, url: address, link }) =>
            html`<li class="single"><p>${imageOf(address, [], name)}</p><p class="acts"><code>${link}</code>${
              mayModerate(around, 'config')
                ? actButton(url(`${base}/api/delete_sr_img?img_name=${name}`), { class: 'quiet', content: 'delete' })
                : undefined
            }${eraseLink(around, address)}</p></li>`,
        )}</ul>`
  }</section>`

const uploadForm = (around: Around, base: string, dest: string): Html | undefined =>
  fieldForm(around, {
    action: `${base}/api/upload_sr_img`,
    hidden: { dest },
    isUpload: true,
    isUndoable: true,
    button: 'Upload it',
    class: 'write card',
    fields: (form) => html`<h2>Upload an image</h2>
<p class="field"><label for="file">File</label><input id="file" name="file" type="file" accept="image/png,image/jpeg" aria-describedby="file-about"><span class="hint" id="file-about">PNG or JPEG, at most 500 KiB. It is stored without what else is in the file.</span></p>
${choiceField(form, { name: 'upload_type', label: 'It is', value: 'img' }, [
  ['img', 'an image of the stylesheet'],
  ['banner', 'the banner: 10:3, from 640×192 to 1280×384'],
  ['icon', 'the icon: 256×256'],
  ['header', 'the header'],
])}
${lineField(form, { name: 'name', label: 'Name', hint: 'Of an image of the stylesheet: letters, digits and dashes.' })}
${choiceField(form, { name: 'img_type', label: 'Stored as', value: 'png' }, [
  ['png', 'PNG'],
  ['jpg', 'JPEG, which is smaller for photographs'],
])}`,
  })

const problemsOf = (form: FormState): Html | undefined => {
  const data = form.more('data') as { readonly errors?: readonly { readonly line: number; readonly message: string }[] } | undefined
  return renderIf(
    data?.errors,
    (all) => html`<ul class="reason">${all.map(({ line, message }) => html`<li>line ${line}: ${message}</li>`)}</ul>`,
  )
}

/** The selectors that have an effect on pages, with what they reach there. */
const selectors: Readonly<Record<string, string>> = {
  '.side': 'the box of the sidebar’s text',
  '.md': 'that text; .md h1, .md p, .md a, .md ul, .md blockquote, .md code, .md table: its parts',
  '.banner': 'the box of the banner; .banner img: its image',
  '.flair-NAME':
    'flair with the class NAME, wherever it stands: color, background-color and border-color, as a colour, alone in a selector and outside of @media',
}

export const stylesheetExample = `.side { padding: 1rem; border-radius: .5rem; background-color: #eef7f2; color: #1d2330 }
.md h1 { color: #0b6e5f; border-bottom: 2px solid }
.md a { color: #8a2d00 }
.banner img { object-position: top }
.flair-hot { color: #fff; background-color: #a40e26 }
@media (prefers-color-scheme: dark) {
  .side { background-color: #17392f; color: #e2e7ef }
  .md h1, .md a { color: #6fd3bf }
}`

const selectorHelp = html`<details><summary>What can be styled, with an example</summary>
<dl>${Object.entries(selectors).map(([selector, words]) => html`<dt><code>${selector}</code></dt><dd>${words}</dd>`)}</dl>
<p>All other selectors are for apps. Any property of CSS can be set, and nothing leaves its box. Not allowed: @import and @font-face, var() and other functions that load or look elsewhere, and images but those above, as <code>background-image: url(%%name%%)</code>.</p>
<div class="md"><pre tabindex="0"><code>${stylesheetExample}</code></pre></div></details>`

/** The present stylesheet, after somebody else saved it while another one was written. */
const laterStylesheet = (form: FormState, { stylesheet }: Look): Html | undefined =>
  form.code !== 'CONFLICT'
    ? undefined
    : html`<div class="note" role="status"><p>Somebody else saved a stylesheet meanwhile. Yours below is not saved yet; saving it again replaces theirs.</p>
<details class="changes"><summary>Their stylesheet</summary><p class="field"><label for="theirs">Their stylesheet</label><textarea id="theirs" rows="10" readonly>
${stylesheet}</textarea></p></details></div>`

const stylesheetForm = (around: Around, look: Look, base: string, dest: string): Html | undefined => {
  const action = `${base}/api/subsite_stylesheet`
  return fieldForm(around, {
    action,
    hidden: { dest },
    class: 'write card',
    isReplacing: true,
    button: 'Save',
    buttons: html`<p><button type="submit" class="button main" formaction="${url(`${action}?op=save`)}">Save</button> <button type="submit" class="button" formaction="${url(`${action}?op=preview`)}" name="${AGAIN_FIELD}" value="1">Preview</button></p>`,
    fields: (
      form,
    ) => html`<h2>Stylesheet</h2><p class="meta wide">CSS for the banner and the sidebar, on pages and in apps. It may show the images above, and no others.</p>
${selectorHelp}
${laterStylesheet(form, look)}${problemsOf(form)}${previewOf(around, form)}
<input type="hidden" name="previous" value="${(form.code === 'CONFLICT' ? undefined : form.typed('previous')) ?? look.revision_id ?? ''}">
${textField(form, { name: 'stylesheet_contents', label: 'CSS', value: look.stylesheet, rows: 16, hint: 'At most 100 KiB. Empty: there is none.' })}
${lineField(form, { name: 'reason', label: 'Why', hint: 'For its history.' })}`,
  })
}

/** Renders the banner and the sidebar with the typed stylesheet. */
const previewOf = (around: Around, form: FormState): Html | undefined => {
  const data = form.more('data') as { readonly css?: string } | undefined
  return renderIf(
    data?.css !== undefined,
    () =>
      html`<div class="note" role="status"><p>With this stylesheet the banner and the sidebar look like this. It is not saved yet.</p>${previewFrame(around, data?.css ?? '')}</div>`,
  )
}

const eraseForm = (around: Around, base: string, path: string): Html | undefined => {
  const file = around.at.query.get('erase')
  if (file === null || !around.viewer?.is_employee) return undefined
  return html`<div id="erase">${fieldForm(around, {
    action: `${base}/api/erase_sr_img`,
    hidden: { file, dest: path },
    button: 'Erase it',
    look: 'button stern',
    class: 'write card',
    fields: (form) => html`<p>The image is deleted for good, wherever a subsite shows it, and cannot be uploaded here again.</p>
${lineField(form, { name: 'reason', id: 'erase-reason', label: 'Why', hint: 'It is public where the mod log is: it must not describe the image.' })}`,
  })}</div>`
}

export const lookPage = pageFor('GET /s/{sub}/about/stylesheet', {
  title: ({ at }) => `The look of ${at.sub ?? ''}`,
  robots: 'none',
  main: (shown) => {
    const { body, at } = shown
    const base = `/s/${at.sub}`
    const dest = `${at.path}?done=1`
    return html`${moderationTabs(shown, 'stylesheet', 'Look')}
<div class="queue">${eraseForm(shown, base, at.path)}
${(['banner', 'icon', 'header'] as const).map((use) => single(shown, use, base))}
${imageTable(shown, body.data.images, base)}
${
  mayModerate(shown, 'config')
    ? html`${uploadForm(shown, base, dest)}${stylesheetForm(shown, body.data, base, dest)}`
    : html`<section class="card"><h2>Stylesheet</h2>${body.data.stylesheet === '' ? html`<p class="meta">There is none.</p>` : html`<div class="md"><pre tabindex="0"><code>${body.data.stylesheet}</code></pre></div>`}</section>`
}</div>`
  },
})
