import { type Html, html, renderEach, url } from '../../wire/html.ts'
import { pageFor, type Wire } from '../page.ts'
import { actButton, choiceField, fieldForm, flagField, lineField } from '../parts/forms.ts'
import { author } from '../parts/rows.ts'
import { encodePageName, views, wikiOf, wikiPageName, wikiPlace } from './address.ts'

type Settings = Wire<'WikiPageSettings'>

const levels = [
  ['0', 'Who edits the wiki'],
  ['1', 'Its editors, and moderators'],
  ['2', 'Moderators, and nobody else sees it'],
] as const

const editorRow = ({ data: { name } }: Settings['editors'][number], place: string, page: string): Html =>
  html`<li class="single acts">${author(name)}${actButton(url(`${place}/api/wiki/alloweditor/del?page=${encodeURIComponent(page)}&username=${name}`), { class: 'quiet', content: 'remove' })}</li>`

export const wikiSettingsPage = pageFor('GET [/s/{sub}]/wiki/settings/{page}', {
  title: ({ at }) => `Settings of ${wikiPageName(at, 'settings/')} · wiki`,
  tab: () => 'wiki',
  robots: 'none',
  main: (shown) => {
    const { permlevel, listed, editors } = shown.body.data
    const name = wikiPageName(shown.at, 'settings/')
    const place = wikiPlace(shown)
    const address = `${wikiOf(shown)}/settings/${encodePageName(name)}`
    return html`<div class="bar"><h1 class="page">${name}</h1>${views(shown, name, 'settings')}</div>
${fieldForm(shown, {
  action: address,
  hidden: { dest: address },
  isReplacing: true,
  button: 'Save',
  class: 'write card',
  fields: (
    form,
  ) => html`<input type="hidden" name="expected" value="${JSON.stringify({ permlevel, listed })}">${choiceField(form, { name: 'permlevel', label: 'Who edits it?', value: String(permlevel) }, levels)}
${flagField(form, { name: 'listed', label: 'It is in the list of pages', value: listed })}`,
})}
<section class="card"><h2>Editors</h2><p class="meta">They edit this page whatever its level, unless it is for moderators alone.</p>
${editors.length === 0 ? html`<p class="meta">There are none.</p>` : html`<ul class="links">${renderEach(editors, (editor) => editorRow(editor, place, name))}</ul>`}
${fieldForm(shown, {
  action: `${place}/api/wiki/alloweditor/add`,
  hidden: { page: name, dest: address },
  isReplacing: true,
  button: 'Add an editor',
  fields: (form) => lineField(form, { name: 'username', label: 'Username' }),
})}</section>`
  },
})
