import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { ask, type Body, pageFor, type Shown, type Wire } from '../page.ts'
import { templateWords } from '../parts/flair.ts'
import { captchaField, choiceField, type FormState, fieldForm, lineField, selectField, textField, tickField } from '../parts/forms.ts'
import { sidebar } from '../parts/sidebar.ts'
import { renderText } from '../parts/text.ts'

type Name = 'GET [/s/{sub}]/submit'

const ACTION = '/api/submit'

type Asked = { readonly flair: readonly Wire<'FlairTemplate'>[] | undefined }

/** Renders the flair that the viewer may choose here, and its words where they may be changed. */
const flairFields = (templates: readonly Wire<'FlairTemplate'>[], form: FormState): Html => {
  const choices = templates.map((template) => [template.id, templateWords(template)] as const)
  return html`${selectField(form, { name: 'flair_id', label: 'Flair' }, [['', 'none'], ...choices])}
${templates.some(({ text_editable }) => text_editable) ? lineField(form, { name: 'flair_text', label: 'Words of the flair', hint: 'For flair whose words may be changed. Empty: its own.' }) : undefined}`
}

/** Renders the field for the subsite, on a page that belongs to none. */
const subsiteField = (form: FormState): Html =>
  html`${lineField(form, { name: 'sr', label: 'Subsite', hint: 'Where it is posted: the name after /s/' })}
<p class="meta">See which <a href="/subs/popular">subsites</a> there are, or <a href="/subsites/create">found one</a>.</p>`

/** Renders the fields of a link and of a text; the style sheet hides those of the kind that is not chosen. */
const fields = ({ body, also, subsite }: Shown<Body<Name>, Asked>, form: FormState): Html => {
  const { kinds, captcha } = body
  const words = { link: subsite?.submit_link_label || 'A link', self: subsite?.submit_text_label || 'A text' }
  const first = body.text !== '' && kinds.includes('self') ? 'self' : (kinds[0] ?? 'link')
  return html`${choiceField(
    form,
    { name: 'kind', label: 'What do you post?', value: first },
    kinds.map((kind) => [kind, words[kind]] as const),
  )}
${lineField(form, { name: 'title', label: 'Title', value: body.title, hint: 'At most 300 characters.' })}
${
  kinds.includes('link')
    ? html`<div class="of-link">${lineField(form, { name: 'url', label: 'Address', type: 'url', value: body.url, hint: 'It begins with https:// or http://' })}</div>`
    : undefined
}
${kinds.includes('self') ? html`<div class="of-self">${textField(form, { name: 'text', label: 'Text', value: body.text, rows: 10, hint: 'Markdown works here. It may be empty.' })}</div>` : undefined}
${body.subsite === null ? subsiteField(form) : renderIf(form.reason('sr'), (reason) => html`<p class="reason">${reason}</p>`)}
${also.flair && also.flair.length > 0 ? flairFields(also.flair, form) : undefined}
${tickField(form, { name: 'sendreplies', label: 'Send me the replies' })}
${renderIf(form.instead, (earlier) => html`<p><a href="${url(earlier)}">What was posted before</a></p>`)}
${form.code === 'ALREADY_SUB' ? tickField(form, { name: 'resubmit', label: 'Post it although somebody did before' }) : undefined}
${captchaField(form, captcha, ACTION)}`
}

/** The form for a new link or text. */
export const submitPage = pageFor('GET [/s/{sub}]/submit', {
  also: ({ subsite }) => ({
    flair: subsite === null ? undefined : ask('GET [/s/{sub}]/api/link_flair_v2', `/s/${subsite}/api/link_flair_v2`),
  }),
  title: ({ body }) => (body.subsite === null ? 'Submit' : `Submit to ${body.subsite}`),
  robots: 'none',
  aside: (shown) => sidebar(shown),
  main: (shown) => {
    const { body, subsite } = shown
    return html`<h1 class="page">Submit${renderIf(body.subsite, (name) => html` to <a href="${url(`/s/${name}`)}">${name}</a>`)}</h1>
${renderText(subsite?.submit_text_html ?? null)}
${fieldForm(shown, {
  action: ACTION,
  hidden: body.subsite === null ? {} : { sr: body.subsite },
  button: 'Post',
  class: 'write card submit',
  fields: (form) => fields(shown, form),
})}`
  },
})
