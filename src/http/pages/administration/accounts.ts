import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type Around, pageFor, type Wire } from '../page.ts'
import { fieldForm, lineField } from '../parts/forms.ts'
import { author } from '../parts/rows.ts'
import { count, date, time } from '../parts/time.ts'
import { adminHead, card } from './tabs.ts'

type Account = Wire<'SiteAccount'>

/** Returns the hidden field with which a form leads back to its account, and says that it was done. */
const backTo = ({ name }: Account): { readonly dest: string } => ({ dest: `/admin/accounts?${new URLSearchParams({ name, done: '1' })}` })

const state = (account: Account): Html =>
  card(
    'The account',
    html`<p>${account.is_deleted ? html`<span class="badge bad">deleted</span> ` : undefined}${account.is_admin ? html`<span class="badge mod">admin</span> ` : undefined}${
      account.is_suspended ? html`<span class="badge bad">suspended</span> ` : undefined
    }${account.is_deleted ? html`<b>${account.name}</b>` : author(account.name)} since ${time(account.created_utc)} · <a href="${url(`/history/things/t2_${account.id}`)}">history</a></p>
<p>${count(account.link_karma, 'point')} for links, ${count(account.comment_karma, 'point')} for comments, ${count(account.gold_csites, 'credit')}${renderIf(account.gold_expiration, (end) => html`, gold until ${date(end)}`)}.</p>`,
  )

const suspension = (account: Account, around: Around): Html => {
  const { is_suspended: isSuspended, suspension_expiration_utc: end, suspension_note: note, name } = account
  return card(
    'Suspension',
    html`<p>${isSuspended ? `It is suspended until ${end === null ? 'somebody lifts that' : date(end)}${note === null ? '' : `: ‘${note}’`}.` : 'A suspended account reads, and edits and deletes what it wrote, and does nothing else. Its pages say so, and until when.'}</p>
${fieldForm(around, {
  action: '/api/suspend_user',
  hidden: { name, ...backTo(account) },
  isUndoable: true,
  button: isSuspended ? 'Change the suspension' : 'Suspend it',
  look: 'button stern',
  fields: (form) => html`${lineField(form, { name: 'duration', label: 'Days', type: 'number', hint: 'Empty: until somebody lifts it.' })}
${lineField(form, { name: 'note', label: 'Why', hint: 'For admins. May be empty.' })}`,
})}
${isSuspended ? fieldForm(around, { action: '/api/unsuspend_user', hidden: { name, ...backTo(account) }, isReplacing: true, button: 'Lift the suspension', look: 'button good' }) : undefined}`,
  )
}

const credits = (account: Account, around: Around): Html =>
  card(
    'Credits',
    html`<p>With a credit the account gives somebody a month of gold.</p>
${fieldForm(around, {
  action: `/api/v1/gold/grant/${encodeURIComponent(account.name)}`,
  method: 'POST',
  hidden: backTo(account),
  button: 'Grant them',
  look: 'button',
  fields: (form) => lineField(form, { name: 'csites', label: 'Credits', type: 'number', value: '1' }),
})}`,
  )

/** Renders the form that erases an account, on a page of its own that says what it does. */
const erasure = (account: Account, around: Around): Html => {
  const { name } = account
  const query = new URLSearchParams({ name })
  if (!around.at.query.has('erase'))
    return card(
      'Erasure',
      html`<p><a class="button stern" href="${url(`/admin/accounts?${query}&erase=1#erase`)}">Erase the account…</a></p>`,
    )
  return html`<div id="erase">${card(
    `Erase ${name}?`,
    html`<p>The account is deleted, and within minutes everything that it wrote becomes unreadable for everybody and for ever: its texts become [erased], here and in the log of all events. Votes and the entries of moderation logs stay, without its texts. Nobody can ever register the name again. It cannot be undone.</p>
<p><a class="button" href="${url(`/admin/accounts?${query}`)}">Keep it</a></p>
${fieldForm(around, { action: '/api/erase_user', hidden: { name, ...backTo(account) }, button: 'Erase it for good', look: 'button stern' })}`,
  )}</div>`
}

const acts = (account: Account, around: Around): Html | undefined => {
  const isOwn = account.name === around.viewer?.name
  return html`${account.is_deleted || isOwn ? undefined : suspension(account, around)}${account.is_deleted ? undefined : credits(account, around)}${isOwn ? undefined : erasure(account, around)}`
}

/** The page on which admins find an account, and decide about it. */
export const accountsPage = pageFor('GET /api/v1/site/account', {
  title: ({ body }) => (body.account ? `Account: ${body.account.name}` : 'Accounts'),
  robots: 'none',
  tab: () => 'admin',
  main: (shown) => {
    const { account, name } = shown.body
    return html`${adminHead('/admin/accounts', 'Accounts')}
<form class="filters" role="search" aria-label="Find an account" action="/admin/accounts"><label>Username <input name="name" type="search" value="${name}" autocomplete="off"></label><button type="submit" class="button">Find</button></form>
${account === null ? renderIf(name, () => html`<p class="empty">Nobody ever had this name.</p>`) : html`<div class="queue">${state(account)}${acts(account, shown)}</div>`}`
  },
})
