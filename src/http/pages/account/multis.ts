import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import { type Around, pageFor, type Wire } from '../page.ts'
import { choiceField, type FormState, fieldForm, foldForms, lineField, textField } from '../parts/forms.ts'
import { count } from '../parts/time.ts'
import { backTo, settingsHead } from './tabs.ts'

type Multi = Wire<'LabeledMulti'>

/** Renders the fields of a multi. `of` keeps the ids of several forms apart. */
const fields = (form: FormState, idSuffix: string, multi?: Multi): Html =>
  html`${lineField(form, { name: 'display_name', id: `name-${idSuffix}`, label: 'Name', value: multi?.display_name })}
${lineField(form, {
  name: 'subsites',
  id: `subsites-${idSuffix}`,
  label: 'Subsites',
  value: multi?.subreddits.map(({ name }) => name).join(' '),
  hint: 'Names, with spaces between.',
})}
${textField(form, { name: 'description_md', id: `about-${idSuffix}`, label: 'About it', rows: 3, value: multi?.description_md })}
${choiceField(form, { name: 'visibility', id: `visible-${idSuffix}`, label: 'Who sees it', value: multi?.visibility ?? 'private' }, [
  ['private', 'Only I'],
  ['public', 'Everybody, and on my page'],
  ['hidden', 'Only I, and not in my lists'],
])}`

/** Renders a form that makes another address for a multi, from a name. */
const copyForm = (multi: Multi, around: Around, action: string, label: string, hint: string, button: string): Html | undefined =>
  fieldForm(around, {
    action,
    hidden: { from: multi.path, ...backTo('multis') },
    isUndoable: true,
    button,
    look: 'button',
    fields: (form) =>
      lineField(form, { name: 'display_name', id: `${action.slice(11)}-${multi.name}`, label, hint, value: multi.display_name }),
  })

const row = (multi: Multi, around: Around): Html => html`<li class="single"><h2><a href="${url(multi.path)}">${multi.display_name}</a></h2>
<p class="meta">${count(multi.subreddits.length, 'subsite')}${renderIf(multi.subreddits.length > 0, () => html`: ${multi.subreddits.map(({ name }) => html`<a href="${url(`/s/${name}`)}">${name}</a> `)}`)}</p>
${foldForms(
  'Change it',
  html`${fieldForm(around, { action: `/api/multi${multi.path}`, method: 'PUT', hidden: backTo('multis'), button: 'Save', fields: (form) => fields(form, multi.name, multi) })}
${copyForm(multi, around, '/api/multi/rename', 'Another address', 'Its address is made from this name. The old one leads nowhere any more.', 'Rename it')}
${copyForm(multi, around, '/api/multi/copy', 'The name of the copy', 'Its address is made from this name.', 'Copy it')}
${fieldForm(around, { action: `/api/multi${multi.path}`, method: 'DELETE', hidden: backTo('multis'), isUndoable: true, button: 'Delete it', look: 'button stern' })}`,
)}</li>`

export const multisPage = pageFor('GET /api/multi/mine', {
  title: () => 'Multis',
  robots: 'none',
  main: (shown) => html`${settingsHead('multis', 'Multis')}
<p class="meta wide">A multi shows several subsites as one.</p>
${shown.body.length === 0 ? html`<p class="empty">You have made none yet.</p>` : html`<ol class="links">${renderEach(shown.body, ({ data }) => row(data, shown))}</ol>`}
${fieldForm(shown, {
  action: '/api/multi',
  method: 'POST',
  hidden: backTo('multis'),
  isUndoable: true,
  button: 'Make it',
  class: 'write card',
  fields: (form) => html`<h2>Make a multi</h2>${fields(form, 'new')}`,
})}`,
})
