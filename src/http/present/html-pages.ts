import type { Client } from '../../auth/clients.ts'
import { type Scope, scopes } from '../../auth/scopes.ts'
import { type Html, html } from '../wire/html.ts'

/** A complete HTML page; no scripts, no external content. */
const page = (title: string, body: Html): string =>
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
<body><main><p class="site">Rostra</p>${body}</main></body>
</html>`.text

/** Header fields that forbid scripts, all resources except images of this site, and frames. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
}

/** The start page for browsers at `/`. */
export const welcomePage: string = page(
  'Welcome',
  html`<h1>Links and discussion</h1>
<p>A JSON API for programs.</p>
<ul>
<li><a href="/docs">Guides and reference</a>, and the interface as <a href="/openapi.json">OpenAPI</a></li>
<li><a href="/hot">Hot links</a>, as JSON</li>
<li><a href="/register">Register</a> or <a href="/login">log in</a></li>
<li>Health: <a href="/health/live">live</a>, <a href="/health/ready">ready</a></li>
</ul>`,
)

/** The form that logs in or registers and redirects to `dest`; `captcha`: the one to solve. */
export const loginPage = (kind: 'login' | 'register', dest: string, error: string | undefined, captcha: string | undefined): string => {
  const registering = kind === 'register'
  const title = registering ? 'Register' : 'Log in'
  return page(
    title,
    html`<h1>${title}</h1>
${error === undefined ? undefined : html`<p class="error">${error}</p>`}
<form method="post" action="${registering ? '/post/reg' : '/post/login'}">
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
<p>${
      registering
        ? html`<a href="/login?dest=${encodeURIComponent(dest)}">I have an account</a>`
        : html`<a href="/register?dest=${encodeURIComponent(dest)}">I have no account yet</a>`
    }</p>`,
  )
}

/** Why an app may not ask for access: its author made a mistake, about which its user can do nothing. */
export const invalidAuthorizationPage = (why: string, param: string | null): string =>
  page(
    'Invalid request',
    html`<h1>The app asked in a wrong way</h1>
<p class="error">${why}${param === null ? undefined : html` (<code>${param}</code>)`}</p>
<p>Nothing was allowed. Go back to the app; <a href="/docs/oauth">its author can read</a> how it must ask.</p>`,
  )

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
export const consentPage = ({ client, user, scopes: requested, subsites, permanent, fields }: ConsentRequest): string =>
  page(
    'Allow access',
    html`<h1>${client.name} asks for access</h1>
<p>You are logged in as <strong>${user}</strong>. If you allow it, <strong>${client.name}</strong> may act for you
${permanent ? 'until you revoke the permission' : 'for one hour'}${subsites ? html`, only in ${subsites.join(', ')}` : undefined}:</p>
<ul>${requested === '*' ? html`<li>Do everything that your account may do.</li>` : requested.map((scope) => html`<li>${scopes[scope]}</li>`)}</ul>
<form method="post" action="/api/v1/authorize">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button name="authorize" value="Allow">Allow</button><button>Decline</button>
</form>`,
  )
