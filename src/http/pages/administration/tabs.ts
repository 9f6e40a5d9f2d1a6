import { type Html, html } from '../../wire/html.ts'
import { choices, headWithTabs } from '../parts/rows.ts'

const tabs = {
  '/admin': 'the service',
  '/admin/accounts': 'accounts',
  '/admin/log': 'log of the site',
  '/message/reported': 'reported messages',
}

/** Renders the head of a page for admins. */
export const adminHead = (current: keyof typeof tabs, title: string): Html =>
  headWithTabs(
    title,
    choices(
      'Administration',
      Object.entries(tabs).map(([value, words]) => ({ value, words, to: value })),
      current,
    ),
  )

/** Renders a part of a page for admins, with its heading. */
export const card = (title: string, content: Html): Html => html`<section class="card"><h2>${title}</h2>${content}</section>`
