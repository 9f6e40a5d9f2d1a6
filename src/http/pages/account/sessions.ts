import { type Html, html, renderEach } from '../../wire/html.ts'
import { type Around, pageFor, type Wire } from '../page.ts'
import { fieldForm, flagField, lineField } from '../parts/forms.ts'
import { date, time } from '../parts/time.ts'
import { backTo, settingsHead } from './tabs.ts'

const PATH = '/api/v1/me/sessions'

const row = ({ id, created_utc, expires_utc, agent, current }: Wire<'Session'>, around: Around): Html =>
  html`<li class="single"><p>${agent || 'A program that does not say its name'}${current ? html` <span class="badge pin">this one</span>` : undefined}</p>
<p class="meta">since ${time(created_utc)}, ${expires_utc === null ? 'without an end' : html`until ${date(expires_utc)}`}</p>${
    current
      ? undefined
      : fieldForm(around, { action: PATH, method: 'DELETE', hidden: { id, ...backTo('sessions') }, button: 'Log it out', look: 'button' })
  }</li>`

export const sessionsPage = pageFor('GET /api/v1/me/sessions', {
  title: () => 'Password and sessions',
  robots: 'none',
  main: (shown) => html`${settingsHead('sessions', 'Password and sessions')}
${fieldForm(shown, {
  action: '/api/update_password',
  hidden: backTo('sessions'),
  button: 'Change the password',
  class: 'write card',
  fields: (form) => html`<h2>Another password</h2>
<p class="meta">All your other sessions end, and the addresses of your private feeds change.</p>
${lineField(form, { name: 'curpass', label: 'The password so far', type: 'password', autocomplete: 'current-password' })}
${lineField(form, { name: 'newpass', label: 'The new password', type: 'password', autocomplete: 'new-password', hint: '6 to 1024 characters' })}
${lineField(form, { name: 'verpass', label: 'The new password again', type: 'password', autocomplete: 'new-password' })}
${flagField(form, { name: 'invalidate_oauth', label: 'Revoke what apps may do in my name, too', value: false })}`,
})}
<div class="bar"><h2>Where you are logged in</h2></div>
<ol class="links">${renderEach(shown.body, (session) => row(session, shown))}</ol>
${
  shown.body.length > 1
    ? fieldForm(shown, {
        action: PATH,
        method: 'DELETE',
        hidden: backTo('sessions'),
        isReplacing: true, // sessions begin without an event, so equal positions do not mean equal sessions
        button: 'Log out everywhere else',
        look: 'button stern',
      })
    : undefined
}`,
})
