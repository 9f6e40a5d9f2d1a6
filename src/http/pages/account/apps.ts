import { type Html, html, renderEach, renderIf } from '../../wire/html.ts'
import { type Around, ask, pageFor, type Wire } from '../page.ts'
import { choiceField, fieldForm, lineField } from '../parts/forms.ts'
import { time } from '../parts/time.ts'
import { backTo, settingsHead } from './tabs.ts'

const kinds = { script: 'a script', web: 'a web app', installed: 'an installed app' }

const ownApp = (app: Wire<'App'>, around: Around): Html => html`<li class="single"><h2>${app.name}</h2>
${renderIf(app.description, (text) => html`<p class="wide">${text}</p>`)}<p class="meta">${kinds[app.app_type]}, since ${time(app.created_utc)}</p>
<p class="meta">client id <code>${app.client_id}</code>, redirects to <code>${app.redirect_uri}</code></p>
${fieldForm(around, { action: `/api/v1/apps/${encodeURIComponent(app.client_id)}`, method: 'DELETE', hidden: backTo('apps'), button: 'Delete it, and end its tokens', look: 'button stern' })}</li>`

const grant = (grantOfApp: Wire<'Grant'>, around: Around): Html => html`<li class="single"><h2>${grantOfApp.name}</h2>
${renderIf(grantOfApp.description, (text) => html`<p class="wide">${text}</p>`)}<p class="meta">may: ${grantOfApp.scopes.join('; ')}, ${grantOfApp.permanent ? 'until you revoke it' : 'for an hour at most'}</p>
${fieldForm(around, { action: '/api/v1/me/grants', method: 'DELETE', hidden: { client_id: grantOfApp.client_id, ...backTo('apps') }, isUndoable: true, button: 'Revoke it', look: 'button stern' })}</li>`

const grantList = (grants: readonly Wire<'Grant'>[], around: Around): Html =>
  grants.length === 0
    ? html`<p class="empty">No app may act in your name.</p>`
    : html`<ol class="links">${renderEach(grants, (grantOfApp) => grant(grantOfApp, around))}</ol>`

export const appsPage = pageFor('GET /api/v1/apps', {
  also: () => ({ grants: ask('GET /api/v1/me/grants', '/api/v1/me/grants') }),
  title: () => 'Apps',
  robots: 'none',
  main: (shown) => html`${settingsHead('apps', 'Apps')}
<div class="bar"><h2>Apps that may act in your name</h2></div>
${renderIf(shown.also.grants, (grants) => grantList(grants, shown))}
<div class="bar"><h2>Apps that you made</h2></div>
${shown.body.length === 0 ? html`<p class="empty">You have made none.</p>` : html`<ol class="links">${renderEach(shown.body, (app) => ownApp(app, shown))}</ol>`}
${fieldForm(shown, {
  action: '/api/v1/apps',
  button: 'Make it',
  class: 'write card',
  fields: (form) => html`<h2>Make an app</h2>
${lineField(form, { name: 'name', label: 'Name' })}
${lineField(form, { name: 'description', label: 'What it does', hint: 'May be empty.' })}
${lineField(form, { name: 'redirect_uri', label: 'Where it redirects to', hint: 'https, or http on this machine: http://localhost:8000/done' })}
${choiceField(form, { name: 'app_type', label: 'What it is', value: 'script' }, [
  ['script', 'A script for my own account'],
  ['web', 'A web app, which keeps a secret on its server'],
  ['installed', 'An installed app, which can keep no secret'],
])}`,
})}`,
})
