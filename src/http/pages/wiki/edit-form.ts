import { type Html, html } from '../../wire/html.ts'
import type { Around, Wire } from '../page.ts'
import { type FormState, fieldForm, lineField, textField } from '../parts/forms.ts'
import { renderText } from '../parts/text.ts'
import { encodePageName, wikiOf, wikiPlace } from './address.ts'

const wordsOf = (member: unknown): string | undefined => (typeof member === 'string' ? member : undefined)

/** Renders what somebody else saved meanwhile in the same lines: the difference of the typed text from it, and that text. */
const conflict = (form: FormState): Html | undefined =>
  form.code !== 'EDIT_CONFLICT'
    ? undefined
    : html`<div class="note" role="status"><p>Somebody else changed the same lines. Your text below is not saved yet. Compared with theirs, it says:</p>
${renderText(wordsOf(form.more('diffcontent')) ?? null)}
<details class="changes"><summary>Their text</summary><p class="field"><label for="theirs">Their text</label><textarea id="theirs" rows="10" readonly>
${wordsOf(form.more('newcontent')) ?? ''}</textarea></p></details></div>`

/** Renders the problems of a stylesheet that is edited as a page. */
const problems = (form: FormState): Html | undefined => {
  const all = form.more('special_errors')
  return Array.isArray(all) ? html`<ul class="reason">${all.map((problem) => html`<li>${String(problem)}</li>`)}</ul>` : undefined
}

const reasonField = (form: FormState): Html =>
  lineField(form, { name: 'reason', label: 'Why', hint: 'For the history of the page. May be empty.' })

/**
 * Renders the form that edits a page. It names the revision that was edited, so that edits of others are kept. After a conflict it names
 * theirs: saving again then replaces it.
 */
export const editForm = (around: Around, name: string, { content_md, revision_id }: Wire<'WikiPage'>): Html | undefined =>
  fieldForm(around, {
    action: `${wikiPlace(around)}/api/wiki/edit`,
    hidden: { page: name, dest: `${wikiOf(around)}/${encodePageName(name)}` },
    isUndoable: true,
    button: 'Save',
    class: 'write card',
    fields: (form) => html`${conflict(form)}${problems(form)}
<input type="hidden" name="previous" value="${wordsOf(form.more('newrevision')) ?? form.typed('previous') ?? revision_id}">
${textField(form, { name: 'content', label: 'Text', value: content_md, rows: 20, hint: 'Markdown works here.' })}
${reasonField(form)}`,
  })

/** Renders the form that creates a page. It replaces none. */
export const createForm = (around: Around, isOpen: boolean): Html | undefined => {
  const { at, viewer } = around
  if (!viewer || !isOpen) return undefined
  return html`<div id="new">${fieldForm(around, {
    action: `${wikiPlace(around)}/api/wiki/edit`,
    hidden: { previous: '' },
    isUndoable: true,
    button: 'Create it',
    class: 'write card',
    fields: (
      form,
    ) => html`<h2>Another page</h2>${lineField(form, { name: 'page', label: 'Name', value: at.query.get('page') ?? '', hint: 'Letters, digits, _ and -, with / between parts.' })}
${conflict(form)}${textField(form, { name: 'content', label: 'Text', rows: 10, hint: 'Markdown works here.' })}
${reasonField(form)}`,
  })}</div>`
}
