import { html } from '../../wire/html.ts'
import type { FormAnswer } from '../page.ts'

const describeEnd = (act: 'delete' | 'erase', more: string): FormAnswer<unknown> => ({
  of: `POST /api/${act}_user`,
  title: 'Your account is deleted',
  main: () => html`<section class="card own"><h1>Your account is deleted</h1>
<p>You are logged out everywhere.${more}</p>
<p><a class="button main" href="/">To the front page</a></p></section>`,
})

/** The answers to the forms that end one's own account, which has no page afterwards. */
export const accountDeleted = describeEnd('delete', '')
export const accountErased = describeEnd('erase', ' Its texts become unreadable within minutes.')
