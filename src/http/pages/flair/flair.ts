import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import { type Around, ask, type Body, pageFor, type Wire } from '../page.ts'
import { templateFields } from '../parts/flair.ts'
import { actButton, choiceField, fieldForm, flagField, foldForms, lineField, textField } from '../parts/forms.ts'
import { author, flairBadge, pager } from '../parts/rows.ts'
import { sidebar } from '../parts/sidebar.ts'
import { mayModerate, moderationTabs } from '../parts/subsites.ts'

type Flair = Body<'GET /s/{sub}/about/flair'>
type Template = Wire<'FlairTemplate'>
type FlairKind = 'USER_FLAIR' | 'LINK_FLAIR'
type FormAddresses = { readonly base: string; readonly dest: string }

const badge = (text: string | null, css: string | null): Html =>
  html`${flairBadge(text, css)}${renderIf(css, (names) => html`<span class="meta">${names}</span>`)}`

const ownChoice = ({ own }: Flair, templates: readonly Template[]): string =>
  templates.find(
    ({ text, css_class, text_editable }) => (css_class || null) === own.flair_css_class && (text_editable || text === own.flair_text),
  )?.id ?? ''

/** Renders the flair of the viewer: the choice of it, where readers choose, and whether it is shown. */
const ownFlair = (around: Around, flair: Flair, templates: readonly Template[] | undefined, { base, dest }: FormAddresses): Html => {
  const { own } = flair
  const hasFlair = own.flair_text !== null || own.flair_css_class !== null
  return html`<section class="card"><h2>Your flair here</h2>
<p>${hasFlair ? badge(own.flair_text, own.flair_css_class) : 'You have none.'}${hasFlair && !own.flair_enabled ? ' You hide it.' : undefined}</p>
${
  templates === undefined
    ? html`<p class="meta">Its moderators choose the flair of accounts.</p>`
    : templates.length === 0
      ? html`<p class="meta">There is none to choose from yet.</p>`
      : fieldForm(around, {
          action: `${base}/api/selectflair`,
          hidden: { name: around.viewer?.name ?? '', dest },
          isReplacing: true,
          button: 'Choose it',
          fields: (form) => templateFields(form, templates, hasFlair ? ownChoice(flair, templates) : '', own.flair_text ?? ''),
        })
}
${fieldForm(around, {
  action: `${base}/api/setflairenabled`,
  hidden: { flair_enabled: String(!own.flair_enabled), dest },
  isReplacing: true,
  button: own.flair_enabled ? 'Hide my flair' : 'Show my flair',
  look: 'button',
})}</section>`
}

const settingsForm = (around: Around, flair: Flair, { base, dest }: FormAddresses): Html | undefined =>
  fieldForm(around, {
    action: `${base}/api/flairconfig`,
    hidden: { dest },
    isReplacing: true,
    button: 'Save',
    class: 'write card',
    fields: (form) => html`<h2>How flair works here</h2>
${flagField(form, { name: 'flair_enabled', label: 'Accounts have flair', value: flair.flair_enabled })}
${flagField(form, { name: 'flair_self_assign_enabled', label: 'Readers choose their own', value: flair.flair_self_assign_enabled })}
${choiceField(form, { name: 'flair_position', label: 'Beside names', value: flair.flair_position }, [
  ['left', 'on the left'],
  ['right', 'on the right'],
])}
${flagField(form, { name: 'link_flair_self_assign_enabled', label: 'Authors choose that of their posts', value: flair.link_flair_self_assign_enabled })}
${choiceField(form, { name: 'link_flair_position', label: 'Beside titles', value: flair.link_flair_position }, [
  ['', 'not shown by apps'],
  ['left', 'on the left'],
  ['right', 'on the right'],
])}`,
  })

const kinds = [
  { kind: 'USER_FLAIR', title: 'Flair of accounts', of: 'user' },
  { kind: 'LINK_FLAIR', title: 'Flair of posts', of: 'link' },
] as const

/** Renders the form that adds a template, or changes the one that the address names. */
const templateForm = (around: Around, kind: FlairKind, changed: Template | undefined, { base, dest }: FormAddresses): Html | undefined => {
  const id = (name: string): string => `${kind.toLowerCase()}-${name}`
  return fieldForm(around, {
    action: `${base}/api/flairtemplate`,
    hidden: { flair_type: kind, ...(changed && { flair_template_id: changed.id }), dest },
    isReplacing: changed !== undefined,
    isUndoable: changed === undefined,
    button: changed ? 'Save' : 'Add it',
    fields: (
      form,
    ) => html`${lineField(form, { name: 'text', id: id('text'), label: changed ? 'Words' : 'Words of a new one', value: changed?.text, hint: 'At most 64 characters. May be empty.' })}
${lineField(form, { name: 'css_class', id: id('class'), label: 'Classes', value: changed?.css_class, hint: 'Names for the stylesheet, with spaces between. May be empty.' })}
${flagField(form, { name: 'text_editable', id: id('editable'), label: 'Who chooses it may change its words', value: changed?.text_editable ?? false })}`,
  })
}

const templateList = (
  around: Around,
  { kind, title, of }: (typeof kinds)[number],
  templates: readonly Template[],
  place: FormAddresses,
): Html => {
  const { at } = around
  const changed = templates.find(({ id }) => id === at.query.get('template'))
  return html`<section class="card" id="${of}-flair"><h2>${title}</h2>
${
  templates.length === 0
    ? html`<p class="meta">There are no templates.</p>`
    : html`<ul class="links">${renderEach(
        templates,
        (
          template,
        ) => html`<li class="single acts">${badge(template.text, template.css_class)}${template.text_editable ? html`<span class="meta">words may be changed</span>` : undefined}
<a class="quiet" href="${url(`${at.path}?template=${template.id}#${of}-flair`)}">change</a>${actButton(url(`${place.base}/api/deleteflairtemplate?flair_template_id=${template.id}`), { class: 'quiet', content: 'delete' })}</li>`,
      )}</ul>`
}
${templateForm(around, kind, changed, place)}
${templates.length === 0 ? undefined : foldForms('Delete them all', html`${fieldForm(around, { action: `${place.base}/api/clearflairtemplates`, hidden: { flair_type: kind, dest: place.dest }, isUndoable: true, button: 'Delete all of them', look: 'button stern' })}`)}</section>`
}

/** Renders the accounts with flair, and the forms that set it. */
const accountFlair = (around: Around, list: Body<'GET [/s/{sub}]/api/flairlist'>, { base, dest }: FormAddresses): Html => {
  const { at } = around
  const changed = list.users.find(({ user }) => user === at.query.get('account'))
  return html`<section class="card" id="accounts"><h2>Accounts with flair</h2>
${
  list.users.length === 0
    ? html`<p class="meta">There is nobody.</p>`
    : html`<ul class="links">${renderEach(
        list.users,
        ({ user, flair_text, flair_css_class }) => html`<li class="single acts">${author(user)} ${badge(flair_text, flair_css_class)}
<a class="quiet" href="${url(`${at.path}?account=${user}#accounts`)}">change</a>${actButton(url(`${base}/api/deleteflair?name=${user}`), { class: 'quiet', content: 'take away' })}</li>`,
      )}</ul>`
}${pager({ after: list.next ?? null, before: list.prev ?? null }, around)}
${fieldForm(around, {
  action: `${base}/api/flair`,
  hidden: { dest },
  isReplacing: true,
  button: 'Set it',
  fields: (form) => html`${lineField(form, { name: 'name', id: 'account-name', label: 'Username', value: changed?.user })}
${lineField(form, { name: 'text', id: 'account-text', label: 'Words', value: changed?.flair_text ?? '', hint: 'At most 64 characters.' })}
${lineField(form, { name: 'css_class', id: 'account-class', label: 'Classes', value: changed?.flair_css_class ?? '', hint: 'Names for the stylesheet, with spaces between.' })}`,
})}
${foldForms(
  'Set that of many at once',
  html`${fieldForm(around, {
    action: `${base}/api/flaircsv`,
    isReplacing: true,
    button: 'Set them',
    fields: (form) =>
      textField(form, {
        name: 'flair_csv',
        label: 'Lines',
        rows: 5,
        hint: 'name,words,classes: one account a line, at most 100. Neither words nor classes: the flair is taken away.',
      }),
  })}`,
)}</section>`
}

export const flairPage = pageFor('GET /s/{sub}/about/flair', {
  also: (_, { sub = '', query }) => {
    const anchor = ['after', 'before'].flatMap((name) => (query.has(name) ? [`${name}=${encodeURIComponent(query.get(name) ?? '')}`] : []))
    return {
      user: ask('GET [/s/{sub}]/api/user_flair_v2', `/s/${sub}/api/user_flair_v2`),
      link: ask('GET [/s/{sub}]/api/link_flair_v2', `/s/${sub}/api/link_flair_v2`),
      accounts: ask('GET [/s/{sub}]/api/flairlist', `/s/${sub}/api/flairlist?limit=100&${anchor.join('&')}`),
    }
  },
  title: ({ at }) => `Flair in ${at.sub ?? ''}`,
  robots: 'none',
  aside: (shown) => sidebar(shown),
  main: (shown) => {
    const { body, also, at } = shown
    const place = { base: `/s/${at.sub}`, dest: `${at.path}?done=1` }
    return html`${moderationTabs(shown, 'flair', 'Flair')}
<div class="queue">${ownFlair(shown, body, also.user, place)}
${
  mayModerate(shown, 'flair')
    ? html`${settingsForm(shown, body, place)}
${kinds.map((one) => templateList(shown, one, also[one.of] ?? [], place))}
${also.accounts && accountFlair(shown, also.accounts, place)}`
    : undefined
}</div>`
  },
})
