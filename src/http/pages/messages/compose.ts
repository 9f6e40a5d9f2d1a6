import { type Html, html } from '../../wire/html.ts'
import { type Around, type Body, pageFor } from '../page.ts'
import { captchaField, type FormState, fieldForm, lineField, selectField, textField } from '../parts/forms.ts'
import { mailTabs } from './tabs.ts'

const ACTION = '/api/compose'

/** Renders the choice of the name in which a moderator writes. */
const senderField = ({ senders, from_sr }: Body<'GET /message/compose'>, form: FormState, viewer: Around['viewer']): Html | undefined =>
  senders.length === 0
    ? undefined
    : selectField(form, { name: 'from_sr', label: 'From', value: from_sr }, [
        ['', viewer?.name ?? ''],
        ...senders.map((name) => [name, `the moderators of ${name}`] as const),
      ])

/** The form for a private message. */
export const composePage = pageFor('GET /message/compose', {
  title: () => 'New message',
  robots: 'none',
  main: (shown) => {
    const { body, viewer } = shown
    return html`<h1 class="page">New message</h1>
${mailTabs('compose', shown)}
${fieldForm(shown, {
  action: ACTION,
  hidden: { dest: '/message/sent' },
  button: 'Send',
  class: 'write card',
  fields: (form) => html`${senderField(body, form, viewer)}
${lineField(form, { name: 'to', label: 'To', value: body.to, hint: 'A username, or /s/name for the moderators of a subsite.' })}
${lineField(form, { name: 'subject', label: 'Subject', value: body.subject, hint: 'At most 100 characters.' })}
${textField(form, { name: 'text', label: 'Message', value: body.text, rows: 8, hint: 'Markdown works here.' })}
${captchaField(form, body.captcha, ACTION)}`,
})}`
  },
})
