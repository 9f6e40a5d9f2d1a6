import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type Around, ask, type Body, pageFor } from '../page.ts'
import { fieldForm, lineField } from '../parts/forms.ts'
import { time } from '../parts/time.ts'
import { settingsHead } from './tabs.ts'

type Karma = Body<'GET /api/v1/me/karma'>

const karmaTable = ({ data }: Karma): Html | undefined =>
  data.length === 0
    ? undefined
    : html`<div class="changes"><table><thead><tr><th scope="col">Subsite</th><th scope="col">Links</th><th scope="col">Comments</th></tr></thead><tbody>${data.map(
        ({ sr, link_karma, comment_karma }) =>
          html`<tr><th scope="row"><a href="${url(`/s/${sr}`)}">${sr}</a></th><td>${link_karma}</td><td>${comment_karma}</td></tr>`,
      )}</tbody></table></div>`

const passwordForm = (shown: Around, action: string, id: string, button: string): Html | undefined =>
  fieldForm(shown, {
    action,
    button,
    look: 'button stern',
    fields: (form) =>
      lineField(form, {
        name: 'passwd',
        id,
        label: 'Your password, to confirm it',
        type: 'password',
        autocomplete: 'current-password',
      }),
  })

/** The page of an account about itself: its record, everything it wrote to take along, and the ways to end it. */
export const dataPage = pageFor('GET /prefs/account', {
  also: () => ({
    karma: ask('GET /api/v1/me/karma', '/api/v1/me/karma'),
    trophies: ask('GET /api/v1/me/trophies', '/api/v1/me/trophies'),
  }),
  title: () => 'Your data',
  robots: 'none',
  main: (shown) => {
    const { body, also } = shown
    return html`${settingsHead('account', 'Your data')}
<div class="queue"><section class="card"><h2>${body.name}</h2>
<p>${body.link_karma} for links, ${body.comment_karma} for comments, since ${time(body.created_utc)}. <a href="${url(`/user/${body.name}`)}">Your page</a></p>
${also.trophies?.data.trophies.map(({ data }) => html`<p><span class="badge pin">${data.name}</span></p>`)}${also.karma && karmaTable(also.karma)}</section>
<section class="card"><h2>Take it with you</h2>
<p>Everything that you wrote and chose, as lines of JSON: links, comments, messages sent, votes, saved things, subscriptions, friends and more. At most six times in an hour.</p>
<p><a class="button" href="/api/v1/me/export" download>Download it</a></p></section>
${renderIf(
  shown.viewer && !shown.at.copyOf,
  () => html`<section class="card"><h2>Delete the account</h2>
<p>Your links and comments stay, with [deleted] in place of your name. Nobody can ever register the name again. You are logged out everywhere, your apps end, and you moderate nothing any more. It cannot be undone.</p>
${passwordForm(shown, '/api/delete_user', 'delete-passwd', 'Delete my account')}</section>
<section class="card"><h2>Erase the account</h2>
<p>It is deleted as above, and within minutes everything that it wrote becomes unreadable for everybody and for ever: its texts become [erased], here and in the log of all events. Votes and the entries of moderation logs stay, without its texts. It cannot be undone.</p>
${passwordForm(shown, '/api/erase_user', 'erase-passwd', 'Erase my account and its texts')}</section>`,
)}</div>`
  },
})
