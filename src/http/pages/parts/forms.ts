import { hash } from 'node:crypto'
import { type Html, html, renderIf, type Url, url } from '../../wire/html.ts'
import { type ActMethod, actAddress } from '../acts.ts'
import type { Around, RefusedForm } from '../page.ts'

/** The id of the form that every button of a page posts. It has the modhash, so that the page contains that once. */
const ACT_FORM = 'act'

export const actForm = ({ viewer, at }: Around): Html | undefined =>
  viewer && !at.copyOf
    ? html`<form id="${ACT_FORM}" method="post"><input type="hidden" name="uh" value="${viewer.modhash}"><input type="hidden" name="form_page" value="${at.target}"></form>`
    : undefined

/** Returns the address of logging in or registering, which leads back to the page. */
export const entrance = (path: '/login' | '/register', { back }: Around['at']): Url => url(`${path}?dest=${encodeURIComponent(back)}`)

type ActButton = {
  readonly class: string
  readonly content: Html | string
  /** Present for a button that shows a state: true if the state is on. */
  readonly pressed?: boolean
  /** The words for a screen reader, where the content says less. */
  readonly label?: string
}

/** Renders a button that asks an endpoint with the parameters in its address: `/api/vote?id=t5_1&dir=1`. Only for pages with a viewer. */
export const actButton = (action: Url, { class: names, content, pressed, label }: ActButton): Html => {
  if (pressed !== undefined)
    return html`<button type="submit" form="${ACT_FORM}" formaction="${action}" class="${names}" aria-pressed="${String(pressed)}" aria-label="${label}" title="${label}">${typeof content === 'string' ? html`${content}` : content}</button>`
  return html`<button type="submit" form="${ACT_FORM}" formaction="${action}" class="${names}">${typeof content === 'string' ? html`${content}` : content}</button>`
}

type FormParts = {
  /** The endpoint that it is posted to. */
  readonly action: string
  /** The method of the request that it stands for, if no form can send that (acts.ts). */
  readonly method?: ActMethod
  /** Values that nobody types. */
  readonly hidden?: Readonly<Record<string, string>>
  readonly fields?: (form: FormState) => Html
  readonly button: string
  /** The link beside its button that does nothing. */
  readonly cancel?: { readonly words: string; readonly to: string }
  /** Its buttons, where it has several. */
  readonly buttons?: Html
  /** It has a file. */
  readonly isUpload?: true
  /** It replaces a value. It is carried out each time that it is sent, since another may come between. PUT and PATCH need not say so. */
  readonly isReplacing?: boolean
  /** Its act can be undone. Two clicks carry it out once. Sent later, also from a page of before, it is carried out again. */
  readonly isUndoable?: boolean
  /** Says what the typed values would change. The form then shows that before its button saves them. */
  readonly preview?: ((typed: RefusedForm['fields']) => Html) | undefined
  /** The look of its button; absent: that of the main one. */
  readonly look?: string
  readonly class?: string
}

/** The typed fields of a form and the reasons why it was refused; empty before that. */
export type FormState = {
  readonly typed: (name: string) => string | undefined
  /** The reason beside a field. */
  readonly reason: (name: string) => string | undefined
  readonly code: string | undefined
  /** The page that the refusal names. */
  readonly instead: string | undefined
  /** A further member of the refusal. */
  readonly more: (name: string) => unknown
}

const stateOf = (
  { form }: Around,
  action: string,
  hidden: Readonly<Record<string, string>>,
): FormState & { readonly general: string | undefined } => {
  const isThis =
    form !== undefined &&
    form.action === action &&
    Object.entries(hidden).every(([name, value]) => name === 'dest' || form.fields[name] === value)
  return {
    typed: (name) => (isThis ? form.fields[name] : undefined),
    reason: (name) => (isThis && form.field === name ? form.text : undefined),
    code: isThis ? form.code : undefined,
    instead: isThis ? form.instead : undefined,
    more: (name) => (isThis ? form.more?.[name] : undefined),
    general: isThis ? form.text : undefined,
  }
}

/**
 * A form with fields. A refusal shows this page again, with what was typed and the reason. Unless it replaces something or can be undone, it
 * is posted once, however often its button is pressed: the position and the typed values are its idempotency key.
 */
export const fieldForm = (
  around: Around,
  {
    action: path,
    method,
    hidden = {},
    fields,
    button,
    cancel,
    buttons,
    isUpload,
    isReplacing = false,
    isUndoable = false,
    preview,
    look = 'button main',
    class: names = 'write',
  }: FormParts,
): Html | undefined => {
  const { viewer, at } = around
  if (!viewer || at.copyOf) return undefined
  const action = method === undefined ? path : actAddress(path, method)
  const state = stateOf(around, action, hidden)
  const key = { ...(!isReplacing && { form_position: at.position }), ...(isUndoable && { [UNDOABLE_FIELD]: '1' }) }
  const all = { uh: viewer.modhash, form_page: at.target, ...key, ...hidden }
  const encoding = isUpload ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return html`<form class="${names}" method="post" action="${url(action)}" enctype="${encoding}">${Object.entries(all).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}${renderIf(state.general, (reason) => html`<p class="refused" role="alert">${reason}</p>`)}
${fields?.(state)}
${buttons ?? previewButtons(around, action, { preview, button, look }) ?? html`<p class="acts"><button type="submit" class="${look}">${button}</button>${renderIf(cancel, ({ words, to }) => html`<a class="button" href="${url(to)}">${words}</a>`)}</p>`}</form>`
}

/** The fields that hold long texts. */
export const LONG_TEXTS = ['text', 'message', 'content'] as const

/** Renders texts that were typed into a form which is not on the page, so that they are not lost. */
export const renderTyped = (fields: RefusedForm['fields'], names: readonly string[]): readonly Html[] =>
  names.flatMap((name) =>
    fields[name]
      ? [
          html`<p class="field"><label for="typed-${name}">What you wrote</label><textarea id="typed-${name}" rows="8" readonly>
${fields[name]}</textarea></p>`,
        ]
      : [],
  )

/** Folds forms away under some words. They are open if one of them was refused, so that the reason is in sight. */
export const foldForms = (words: string, forms: Html): Html =>
  forms.text.includes('role="alert"')
    ? html`<details class="changes" open><summary>${words}</summary>${forms}</details>`
    : html`<details class="changes"><summary>${words}</summary>${forms}</details>`

/** The notes that a page shows after a form, by the parameter of its address that asks for them. */
const doneWords = { done: 'Saved.', reported: 'It was reported.' }
const doneNames = Object.keys(doneWords) as readonly (keyof typeof doneWords)[]
const unmarked = new RegExp(`(?<=[?&](?:${doneNames.join('|')})=)1(?=&|#|$)`)

/** Returns the value of the parameter in one session. Others cannot make a link to a page that then says what nobody did. */
const markOf = (modhash: string): string => hash('sha256', `done ${modhash}`).slice(0, 16)

/** Marks the address of a page after a form, in which `done=1` asks for the note. */
export const markDone = (address: string, modhash: string): string => address.replace(unmarked, markOf(modhash))

/** Puts the note after a form above a page. */
export const withDone = (main: Html, { at, viewer }: Pick<Around, 'at' | 'viewer'>): Html => {
  const noteName = viewer && doneNames.find((name) => at.query.has(name) && at.query.get(name) === markOf(viewer.modhash))
  return noteName === undefined ? main : html`<p class="note" role="status">${doneWords[noteName]}</p>${main}`
}

/** Returns the query for the next page of a listing, without the parameter of the note, which is shown once. */
export const nextQuery = ({ query }: Pick<Around['at'], 'query'>): URLSearchParams => {
  const on = new URLSearchParams(query)
  for (const name of doneNames) on.delete(name)
  return on
}

/** The field of a form that shows its page again, with the answer, after it succeeded. */
export const AGAIN_FIELD = 'form_again'

/** The field of a form whose act can be undone, and done again by the same form. */
export const UNDOABLE_FIELD = 'form_undoable'

/** The parameter of the page's own address that asks for a preview of the form with this action. */
export const PREVIEW_FIELD = 'form_preview'

const previewButton = (at: Around['at'], action: string, names: string): Html =>
  html`<button type="submit" class="${names}" formaction="${url(`${at.path}?${PREVIEW_FIELD}=${encodeURIComponent(action)}`)}">See what changes</button>`

/** Renders the buttons of a form that says first what it would change. */
const previewButtons = (
  { form, at }: Around,
  action: string,
  { preview, button, look }: Pick<FormParts, 'preview' | 'button'> & { readonly look: string },
): Html | undefined => {
  if (!preview) return undefined
  if (form?.action !== action || form.code !== '') return html`<p>${previewButton(at, action, look)}</p>`
  return html`${preview(form.fields)}<p><button type="submit" class="${look}">${button}</button> ${previewButton(at, action, 'button')}</p>`
}

type FormField = {
  readonly name: string
  readonly label: string
  readonly id?: string
  readonly value?: string | undefined
  readonly hint?: string | undefined
}

/** Renders the reason why a field was refused, and its hint, and returns their ids. */
const describeField = (
  id: string,
  reason: string | undefined,
  hint: string | undefined,
): { readonly ids: string; readonly notes: Html } => {
  const [about, beside] = [`${id}-about`, `${id}-hint`]
  if (reason === undefined) return { ids: about, notes: html`<span class="hint" id="${about}">${hint}</span>` }
  const refused = html`<span class="reason" id="${about}">${reason}</span>`
  return hint === undefined
    ? { ids: about, notes: refused }
    : { ids: `${about} ${beside}`, notes: html`${refused}<span class="hint" id="${beside}">${hint}</span>` }
}

/** Returns a labelled field of one line. A password is never shown again. */
export const lineField = (
  form: FormState,
  {
    name,
    label,
    id = name,
    value = '',
    hint,
    type = 'text',
    autocomplete = 'off',
  }: FormField & { readonly type?: string; readonly autocomplete?: string },
): Html => {
  const reason = form.reason(name)
  const { ids, notes } = describeField(id, reason, hint)
  return html`<p class="field"><label for="${id}">${label}</label><input id="${id}" name="${name}" type="${type}" autocomplete="${autocomplete}" value="${type === 'password' ? '' : (form.typed(name) ?? value)}" aria-invalid="${String(reason !== undefined)}" aria-describedby="${ids}">${notes}</p>`
}

/** Renders a labelled field of several lines, of markdown unless it says otherwise. */
export const textField = (
  form: FormState,
  { name, label, id = name, value = '', hint, rows = 6 }: FormField & { readonly rows?: number },
): Html => {
  const reason = form.reason(name)
  const { ids, notes } = describeField(id, reason, hint)
  return html`<p class="field"><label for="${id}">${label}</label><textarea id="${id}" name="${name}" rows="${rows}" aria-invalid="${String(reason !== undefined)}" aria-describedby="${ids}">
${form.typed(name) ?? value}</textarea>${notes}</p>`
}

type Box = { readonly id: string; readonly name: string; readonly value: string; readonly isOn: boolean }

/** Renders a box to tick, or one of several buttons, without its label. */
export const box = (type: 'checkbox' | 'radio', { id, name, value, isOn }: Box): Html =>
  isOn
    ? html`<input type="${type}" id="${id}" name="${name}" value="${value}" checked>`
    : html`<input type="${type}" id="${id}" name="${name}" value="${value}">`

/** Buttons of which one is chosen: a list of values and words. */
export const choiceField = (
  form: FormState,
  { name, label, value, id: prefix = name }: FormField,
  choices: readonly (readonly [value: string, words: string])[],
): Html => {
  const chosen = form.typed(name) ?? value
  return html`<fieldset class="field choice"><legend>${label}</legend>${choices.map(([each, words], index) => {
    const id = `${prefix}-${index}`
    return html`<span>${box('radio', { id, name, value: each, isOn: each === chosen })}<label for="${id}">${words}</label></span>`
  })}${renderIf(form.reason(name), (reason) => html`<span class="reason">${reason}</span>`)}</fieldset>`
}

/** Renders a list of which one is chosen: values and words. */
export const selectField = (
  form: FormState,
  { name, label, id = name, value = '', hint }: FormField,
  choices: readonly (readonly [value: string, words: string])[],
): Html => {
  const chosen = form.typed(name) ?? value
  const reason = form.reason(name)
  const { ids, notes } = describeField(id, reason, hint)
  return html`<p class="field"><label for="${id}">${label}</label><select id="${id}" name="${name}" aria-invalid="${String(reason !== undefined)}" aria-describedby="${ids}">${choices.map(
    ([each, words]) =>
      each === chosen ? html`<option value="${each}" selected>${words}</option>` : html`<option value="${each}">${words}</option>`,
  )}</select>${notes}</p>`
}

/** Renders a box to tick, which sends `true`. */
export const tickField = (form: FormState, { name, label, id = name }: FormField): Html =>
  html`<p class="field tick">${box('checkbox', { id, name, value: 'true', isOn: form.typed(name) === 'true' })}<label for="${id}">${label}</label></p>`

/** Renders a box that is sent whether it is ticked or not. */
export const flagField = (
  form: FormState,
  { name, label, id = name, value, hint }: Omit<FormField, 'value'> & { readonly value: boolean },
): Html =>
  html`<p class="field tick"><input type="hidden" name="${name}" value="false">${box('checkbox', {
    id,
    name,
    value: 'true',
    isOn: (form.typed(name) ?? String(value)) === 'true',
  })}<label for="${id}">${label}</label>${renderIf(hint, (words) => html`<span class="hint">${words}</span>`)}</p>`

/** Renders the captcha of a form, where one is asked for. Its button posts the form for another one, so that what is typed stays. */
export const captchaField = (form: FormState, iden: string | null, action: string): Html | undefined =>
  renderIf(
    iden,
    (
      name,
    ) => html`<div class="captcha"><input type="hidden" name="iden" value="${name}"><img src="${url(`/captcha/${name}`)}" width="120" height="50" alt="four characters to type">
<button type="submit" class="button" formaction="/api/new_captcha" name="form_action" value="${action}" formnovalidate>Another one</button>
${lineField({ ...form, typed: () => undefined }, { name: 'captcha', label: 'The four characters in the image', hint: 'Asked of accounts whose posts nobody has voted for yet.' })}</div>`,
  )
