import { html } from '../../wire/html.ts'
import { pageFor } from '../page.ts'
import { captchaField, choiceField, fieldForm, lineField, textField } from '../parts/forms.ts'

const ACTION = '/api/site_admin'

/** The form that founds a subsite. */
export const createPage = pageFor('GET /subsites/create', {
  title: () => 'Found a subsite',
  tab: () => 'subsites',
  robots: 'none',
  main: (shown) => html`<h1 class="page">Found a subsite</h1>
<p class="meta wide">A place for one subject, with its own rules. You moderate it, and may invite others. Every decision of a moderator stands in its public log.</p>
${fieldForm(shown, {
  action: ACTION,
  button: 'Found the subsite',
  class: 'write card',
  fields: (form) => html`${lineField(form, {
    name: 'name',
    label: 'Name',
    value: shown.body.name,
    hint: '3 to 21 letters, digits and _. It is the address, /s/name, and never changes.',
  })}
${lineField(form, { name: 'title', label: 'Title', hint: 'At most 100 characters.' })}
${lineField(form, { name: 'public_description', label: 'What it is about', hint: 'One or two sentences, for lists and searches.' })}
${textField(form, { name: 'description', label: 'Text of the sidebar', rows: 5, hint: 'Markdown works here. May be empty, and be changed later.' })}
${choiceField(form, { name: 'type', label: 'Who may read and post?', value: 'public' }, [
  ['public', 'Everybody reads and posts'],
  ['restricted', 'Everybody reads; approved accounts post'],
  ['private', 'Only approved accounts read and post'],
])}
${choiceField(form, { name: 'link_type', label: 'What may be posted?', value: 'any' }, [
  ['any', 'Links and texts'],
  ['link', 'Links'],
  ['self', 'Texts'],
])}
${captchaField(form, shown.body.captcha, ACTION)}`,
})}`,
})
