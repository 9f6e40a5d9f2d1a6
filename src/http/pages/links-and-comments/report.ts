import { html, renderIf, url } from '../../wire/html.ts'
import { type Body, pageFor } from '../page.ts'
import { choiceField, fieldForm, lineField } from '../parts/forms.ts'
import { author } from '../parts/rows.ts'
import { sidebar } from '../parts/sidebar.ts'
import { renderText } from '../parts/text.ts'
import { time } from '../parts/time.ts'

type Reported = Body<'GET /report'>

const shownThing = ({ thing }: Reported) => {
  if (thing === null) return html`<p>A message to you. Only the admins see the report.</p>`
  const words =
    thing.kind === 't5' ? html`<p><a href="${url(thing.data.permalink)}">${thing.data.title}</a></p>` : renderText(thing.data.body_html)
  return html`<blockquote class="card">${words}<p class="meta">${author(thing.data.author)} ${time(thing.data.created_utc)} in ${thing.data.subsite}</p></blockquote>`
}

/** Returns the page on which the reporter goes on: the reported thing is then hidden from them. */
const destination = ({ thing }: Reported): string => {
  const page = thing?.kind === 't5' ? `/s/${thing.data.subsite}` : (thing?.data.permalink.replace(/[^/]+\/?$/, '') ?? '/message/inbox')
  return `${page}?reported=1`
}

/** The form for a report, with the rules of the subsite to choose from. */
export const reportPage = pageFor('GET /report', {
  subsiteOf: ({ thing }) => thing?.data.subsite,
  title: () => 'Report',
  robots: 'none',
  aside: (shown) => sidebar(shown),
  main: (shown) => {
    const { body } = shown
    const reasons = [...new Set([...body.rules, ...body.site_rules])]
    return html`<h1 class="page">Report</h1>
${shownThing(body)}
${fieldForm(shown, {
  action: '/api/report',
  method: 'POST',
  hidden: { thing_id: body.id, dest: destination(body) },
  button: 'Report',
  class: 'write card',
  fields: (form) => html`${choiceField(
    form,
    { name: 'reason', label: 'Which rule does it break?' },
    reasons.map((reason) => [reason, reason] as const),
  )}
${lineField(form, { name: 'other_reason', label: 'Or another reason', hint: 'At most 100 characters. It counts in place of a rule.' })}`,
})}
${renderIf(body.thing, () => html`<p class="meta">The moderators see the reason, not who gave it. You will not see it in listings any more.</p>`)}`
  },
})
