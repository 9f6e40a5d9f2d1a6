import { type Html, html } from '../../wire/html.ts'
import type { Wire } from '../page.ts'
import { type FormState, lineField, selectField } from './forms.ts'

type Template = Wire<'FlairTemplate'>

/** Returns the words of a choice among templates. */
export const templateWords = ({ text, css_class }: Template): string => text || css_class || 'flair without words'

/** Renders the choice of a template, and of its words where somebody may change them. `chosen` is the id of the present one. */
export const templateFields = (form: FormState, templates: readonly Template[], chosen: string, words: string): Html =>
  html`${selectField(form, { name: 'flair_template_id', label: 'Flair', value: chosen }, [
    ['', 'none'],
    ...templates.map((template) => [template.id, templateWords(template)] as const),
  ])}
${templates.some(({ text_editable }) => text_editable) ? lineField(form, { name: 'text', id: 'own-text', label: 'Its words', value: words, hint: 'Where they may be changed: at most 64 characters. Empty: its own.' }) : undefined}`
