import { type Html, html, renderEach } from '../../wire/html.ts'
import { type AnyPage, type Around, pageFor, type Wire } from '../page.ts'
import { choiceField, type FormState, fieldForm, foldForms, lineField, textField } from '../parts/forms.ts'
import { sidebar } from '../parts/sidebar.ts'
import { mayModerate, moderationTabs } from '../parts/subsites.ts'
import { renderText } from '../parts/text.ts'

type Rule = Wire<'RuleRecord'>

const applies = { link: 'for links', comment: 'for comments', all: 'for links and comments' } as const

/** Renders the fields of a rule. `of` keeps the ids of several forms apart. */
const fields = (form: FormState, idSuffix: string, rule?: Rule): Html =>
  html`${lineField(form, { name: 'short_name', id: `name-${idSuffix}`, label: 'Rule', value: rule?.short_name, hint: 'At most 50 characters.' })}
${textField(form, { name: 'description', id: `about-${idSuffix}`, label: 'More about it', rows: 3, value: rule?.description, hint: 'Markdown works here.' })}
${choiceField(form, { name: 'kind', id: `kind-${idSuffix}`, label: 'It is', value: rule?.kind ?? 'all' }, Object.entries(applies))}`

/** Returns the names in another order: one of them goes up by a place. */
const moveUp = (rules: readonly Rule[], index: number): string => {
  const names = rules.map(({ short_name }) => encodeURIComponent(short_name))
  const [name = ''] = names.splice(index, 1)
  names.splice(index - 1, 0, name)
  return names.join(',')
}

const asSeen = ({ description, kind }: Rule): string => JSON.stringify({ description, kind })

const ownForms = (rule: Rule, index: number, rules: readonly Rule[], around: Around, base: string): Html =>
  foldForms(
    'Change it',
    html`${fieldForm(around, { action: `${base}/api/update_subsite_rule`, hidden: { old_short_name: rule.short_name }, isUndoable: true, button: 'Save', fields: (form) => html`<input type="hidden" name="expected" value="${asSeen(rule)}">${fields(form, String(index), rule)}` })}
${index === 0 ? undefined : fieldForm(around, { action: `${base}/api/reorder_subsite_rules`, hidden: { new_rule_order: moveUp(rules, index) }, isReplacing: true, button: 'Move it up', look: 'button' })}
${fieldForm(around, { action: `${base}/api/remove_subsite_rule`, hidden: { short_name: rule.short_name }, isUndoable: true, button: 'Remove it', look: 'button stern' })}`,
  )

export const subsiteTextPages: readonly AnyPage[] = [
  pageFor('GET /s/{sub}/about/rules', {
    title: ({ subsite, at }) => `Rules of ${subsite?.display_name ?? at.sub}`,
    tab: () => 'rules',
    aside: (shown) => sidebar(shown),
    main: (shown) => {
      const { body, subsite, at } = shown
      const name = subsite?.display_name ?? at.sub ?? ''
      const mayChange = mayModerate(shown, 'config')
      return html`${moderationTabs(shown, 'rules', `Rules of ${name}`)}
${
  body.rules.length === 0
    ? html`<p class="empty">There are no rules but those of the whole site.</p>`
    : html`<ol class="links">${renderEach(
        body.rules,
        (rule, index) =>
          html`<li class="single"><h2>${rule.short_name}</h2><p class="meta">${applies[rule.kind]}</p>${renderText(rule.description_html ?? null) ?? html`<p>${rule.description}</p>`}${mayChange ? ownForms(rule, index, body.rules, shown, `/s/${name}`) : undefined}</li>`,
      )}</ol>`
}
${
  mayChange
    ? fieldForm(shown, {
        action: `/s/${name}/api/add_subsite_rule`,
        isUndoable: true,
        button: 'Add the rule',
        class: 'write card',
        fields: (form) => html`<h2>Another rule</h2>${fields(form, 'new')}`,
      })
    : undefined
}
${body.site_rules.length === 0 ? undefined : html`<h2 class="day">Rules of the whole site</h2><ul class="links">${renderEach(body.site_rules, (rule) => html`<li class="single">${rule}</li>`)}</ul>`}`
    },
  }),
  pageFor('GET [/s/{sub}]/sidebar', {
    title: ({ subsite }) => (subsite ? `About ${subsite.display_name}` : 'About this site'),
    main: ({ body, subsite }) =>
      html`<article class="card"><h1 class="page">${subsite ? `About ${subsite.display_name}` : 'About this site'}</h1>${
        renderText(body.description_html) ?? html`<p class="empty">Nothing has been written here.</p>`
      }</article>`,
  }),
]
