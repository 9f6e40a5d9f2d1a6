import { html } from '../../wire/html.ts'
import type { FormAnswer } from '../page.ts'

type Made = { readonly client_id: string; readonly client_secret: string | null }

/** The answer to the form that makes an app: the only page that ever shows its secret. */
export const appMade: FormAnswer<Made> = {
  of: 'POST /api/v1/apps',
  title: 'The app is made',
  main: ({ client_id, client_secret }) => html`<section class="card own"><h1>The app is made</h1>
<p>Its client id: <code>${client_id}</code></p>
${client_secret === null ? html`<p>An installed app has no secret.</p>` : html`<p>Its secret: <code>${client_secret}</code></p><p><b>Copy it now: nobody can see it again, not even you.</b></p>`}
<p><a class="button main" href="/prefs/apps">Back to your apps</a></p></section>`,
}
