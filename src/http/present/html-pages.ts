import type { Client } from '../../auth/clients.ts'
import { type Scope, scopes } from '../../auth/scopes.ts'
import type { FramedContent, Reply } from '../contract/handler-response.ts'
import { type Html, html, url } from '../wire/html.ts'

/** Returns a complete HTML page on its own; no scripts, no external content. */
const renderAlone = ({ title, main, alone = main }: FramedContent): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Rostra</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>
:root { color-scheme: light dark; --text: #1d2330; --soft: #59637a; --page: #f4f6f9; --card: #fff; --line: #cfd6e1; --main: #1a5a94; --on: #fff; --bad: #a40e26; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8f0; --soft: #a0abc0; --page: #12161d; --card: #1b212c; --line: #3a4456; --main: #84bff3; --on: #10151c; --bad: #ff9aa8; }
}
* { box-sizing: border-box; }
body { font: 1rem/1.55 system-ui, sans-serif; margin: 0; padding: 8vh 1rem 2rem; color: var(--text); background: var(--page); }
main { max-width: 27rem; margin: 0 auto; padding: 1.6rem 1.8rem; background: var(--card); border: 1px solid var(--line); border-radius: .7rem; }
h1 { margin: 0 0 1rem; font-size: 1.45rem; line-height: 1.25; overflow-wrap: anywhere; }
a { color: var(--main); } li { margin: .25rem 0; } .error { color: var(--bad); } .site { color: var(--soft); margin: 0 0 .3rem; }
label { display: block; margin: .8rem 0; }
input:not([type=checkbox]) { display: block; width: 100%; margin-top: .2rem; padding: .5rem .6rem; font: inherit; color: inherit; background: var(--page); border: 1px solid var(--line); border-radius: .4rem; }
button { margin: .6rem .5rem 0 0; padding: .5rem 1.3rem; font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: .4rem; cursor: pointer; }
button:first-of-type { color: var(--on); background: var(--main); border-color: var(--main); font-weight: 600; }
</style>
</head>
<body><main><p class="site">Rostra</p>${alone}</main></body>
</html>`.text

/** Header fields that forbid scripts, all resources except images of this site, and frames. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
}

/** Returns a page that an endpoint makes itself: on its own, and for the frame of the site's pages. */
export const ownPage = (
  framed: FramedContent,
  { status, headers }: { readonly status?: number; readonly headers?: Fields } = {},
): OwnPage => ({
  kind: 'text',
  type: 'text/html; charset=UTF-8',
  body: renderAlone(framed),
  ...(status !== undefined && { status }),
  headers: { ...pageHeaders, ...headers },
  framed,
})
type OwnPage = Extract<Reply, { readonly kind: 'text' }>
type Fields = Readonly<Record<string, string>>

/** The start page for browsers at `/`. */
export const welcomePage: string = renderAlone({
  title: 'Welcome',
  main: html`<h1>Links and discussion</h1>
<p>A JSON API for programs.</p>
<ul>
<li><a href="/docs">Guides and reference</a>, and the interface as <a href="/openapi.json">OpenAPI</a></li>
<li><a href="/hot">Hot links</a>, as JSON</li>
<li><a href="/register">Register</a> or <a href="/login">log in</a></li>
<li>Health: <a href="/health/live">live</a>, <a href="/health/ready">ready</a></li>
</ul>`,
})

/** A form that was refused, or is shown for the first time. */
export type LoginForm = {
  readonly kind: 'login' | 'register'
  readonly dest: string
  readonly error?: { readonly text: string; readonly field: string | null }
  /** True on a copy, where nobody can log in. */
  readonly isClosed?: boolean
  /** The captcha to solve. */
  readonly captcha?: string | undefined
  /** The typed fields, except passwords. */
  readonly typed?: { readonly user: string }
}

type FormField = {
  readonly name: string
  readonly label: string
  readonly type?: 'password'
  readonly autocomplete: string
  readonly value?: string | undefined
  readonly hint?: string
}

const USERNAME_HINT = '3 to 20 letters, digits, - and _'
const PASSWORD_HINT = '6 to 1,024 characters'
const FORGOTTEN_HINT = 'Keep it well: no mail can send you another one.'

/** A field with its rule, or with the reason why it was refused. */
const fieldOf = ({ error }: LoginForm, { name, label, type, autocomplete, value = '', hint = '' }: FormField): Html => {
  const isWrong = error?.field === name
  const about = isWrong
    ? html`<span class="reason" id="${name}-about">${error.text}</span>`
    : html`<span class="hint" id="${name}-about">${hint}</span>`
  return html`<p class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="${type ?? 'text'}" autocomplete="${autocomplete}" value="${value}" aria-invalid="${String(isWrong)}" aria-describedby="${name}-about" required>${about}</p>`
}

const captchaField = (form: LoginForm, iden: string): Html => html`<input type="hidden" name="iden" value="${iden}">
<p><img src="${url(`/captcha/${iden}`)}" width="120" height="50" alt="four characters to type"> <a href="${url(`/register?dest=${encodeURIComponent(form.dest)}`)}">another image</a></p>
${fieldOf(form, { name: 'captcha', label: 'The four characters in the image', autocomplete: 'off' })}`

/** Renders the link to the other one of the two forms. */
const otherForm = ({ kind, dest }: LoginForm): Html =>
  kind === 'register'
    ? html`<a href="${url(`/login?dest=${encodeURIComponent(dest)}`)}">I have an account</a>`
    : html`<a href="${url(`/register?dest=${encodeURIComponent(dest)}`)}">I have no account yet</a>`

/** Renders the form of a page on its own. Its markup never changes, since clients parse it. */
const plainForm = (form: LoginForm, title: string): Html => {
  const { kind, dest, error, captcha } = form
  const registering = kind === 'register'
  return html`<h1>${title}</h1>
${error === undefined ? undefined : html`<p class="error">${error.text}</p>`}
<form method="post" action="${url(registering ? '/post/reg' : '/post/login')}">
<input type="hidden" name="dest" value="${dest}">
<label>Username <input name="user" autocomplete="username" required></label>
<label>Password <input name="passwd" type="password" autocomplete="${registering ? 'new-password' : 'current-password'}" required></label>
${registering ? html`<label>Password again <input name="passwd2" type="password" autocomplete="new-password" required></label>` : undefined}
${
  captcha === undefined
    ? undefined
    : html`<input type="hidden" name="iden" value="${captcha}">
<label><img src="/captcha/${captcha}" width="120" height="50" alt="four characters to type"><br>The four characters in the image
<input name="captcha" autocomplete="off" required></label>`
}
<label><input name="rem" type="checkbox" value="true"> remember me</label>
<button>${title}</button>
</form>
<p>${otherForm(form)}</p>`
}

/** Renders the form of a page in the frame: with the rules of its fields, the reason at its field, and what was typed. */
const renderFramedForm = (form: LoginForm, title: string): Html => {
  const { kind, dest, captcha, typed } = form
  const registering = kind === 'register'
  return html`<form method="post" action="${url(registering ? '/post/reg' : '/post/login')}">
<input type="hidden" name="dest" value="${dest}">
${fieldOf(form, { name: 'user', label: 'Username', autocomplete: 'username', value: typed?.user, hint: registering ? USERNAME_HINT : '' })}
${fieldOf(form, { name: 'passwd', label: 'Password', type: 'password', autocomplete: registering ? 'new-password' : 'current-password', hint: registering ? PASSWORD_HINT : '' })}
${
  registering
    ? fieldOf(form, { name: 'passwd2', label: 'Password again', type: 'password', autocomplete: 'new-password', hint: FORGOTTEN_HINT })
    : undefined
}
${captcha === undefined ? undefined : captchaField(form, captcha)}
<p><label><input name="rem" type="checkbox" value="true"> Remember me on this device</label></p>
<p><button type="submit" class="button main">${title}</button></p>
</form>
<p>${otherForm(form)}</p>${registering ? undefined : html`<p class="meta">A forgotten password? This site sends no mail, but <a href="/docs/help#a-forgotten-password">an operator can set another one</a>.</p>`}`
}

const fieldNames = ['user', 'passwd', 'passwd2', 'captcha']

/** Returns the form that logs in or registers and redirects to `dest`. */
export const loginPage = (form: LoginForm): FramedContent => {
  const { kind, error, isClosed = false } = form
  const title = kind === 'register' ? 'Register' : 'Log in'
  return {
    title,
    alone: plainForm(form, title),
    main: html`<h1>${title}</h1>
${error === undefined || fieldNames.includes(error.field ?? '') ? undefined : html`<p class="error" role="alert">${error.text}</p>`}
${isClosed ? undefined : renderFramedForm(form, title)}`,
  }
}

/** Returns the page for an app that may not ask for access: its author made a mistake, and its user can do nothing about it. */
export const invalidAuthorizationPage = (why: string, param: string | null): FramedContent => ({
  title: 'Invalid request',
  main: html`<h1>The app asked in a wrong way</h1>
<p class="error">${why}${param === null ? undefined : html` (<code>${param}</code>)`}</p>
<p>Nothing was allowed. Go back to the app; <a href="/docs/oauth">its author can read</a> how it must ask.</p>`,
})

export type ConsentRequest = {
  readonly client: Client
  readonly user: string
  readonly scopes: readonly Scope[] | '*'
  readonly subsites: readonly string[] | undefined
  readonly permanent: boolean
  /** Values that the form returns unchanged. */
  readonly fields: Readonly<Record<string, string>>
}

/** Asks for the authorization of an app; only the allow button sends `authorize`. */
export const consentPage = (request: ConsentRequest): FramedContent => ({
  title: 'Allow access',
  leadsElsewhere: true,
  alone: consentForm(request, html`<button name="authorize" value="Allow">Allow</button><button>Decline</button>`),
  main: consentForm(
    request,
    html`<button type="submit" class="button main" name="authorize" value="Allow">Allow</button> <button type="submit" class="button">Decline</button>`,
  ),
})

const consentForm = ({ client, user, scopes: requested, subsites, permanent, fields }: ConsentRequest, buttons: Html): Html =>
  html`<h1>${client.name} asks for access</h1>
<p>You are logged in as <strong>${user}</strong>. If you allow it, <strong>${client.name}</strong> may act for you
${permanent ? 'until you revoke the permission' : 'for one hour'}${subsites ? html`, only in ${subsites.join(', ')}` : undefined}:</p>
<ul>${requested === '*' ? html`<li>Do everything that your account may do.</li>` : requested.map((scope) => html`<li>${scopes[scope]}</li>`)}</ul>
<form method="post" action="/api/v1/authorize">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${buttons}
</form>`
