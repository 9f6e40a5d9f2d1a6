import * as E from 'fp-ts/lib/Either.js'
import type { Fields } from '../../contract/incoming.ts'
import { foldLineEnds } from '../../contract/line-ends.ts'
import { parseJson } from '../../contract/parse-json.ts'
import { type Html, html, renderIf } from '../../wire/html.ts'
import { type Body, pageFor } from '../page.ts'
import { wordedSorts } from '../parts/comment-sorts.ts'
import { choiceField, type FormState, fieldForm, flagField, lineField, textField } from '../parts/forms.ts'
import { moderationTabs } from '../parts/subsites.ts'

type Settings = Body<'GET /s/{sub}/about/edit'>['data']
type Choices = readonly (readonly [value: string, words: string])[]
type SettingRow = {
  readonly name: keyof Settings
  readonly label: string
  readonly hint?: string
  readonly kind?: 'text' | 'number' | Choices
}

const filter: Choices = [
  ['low', 'Post it'],
  ['high', 'Post it, and filter what looks like spam'],
  ['all', 'Hold it until a moderator approves it'],
]
const sorts: Choices = [
  ['', 'as each reader prefers'],
  ...wordedSorts('confidence', 'top', 'new', 'insightful', 'fun', 'old', 'qa', 'random'),
]
const types: Choices = [
  ['public', 'Everybody reads and posts'],
  ['restricted', 'Everybody reads; approved accounts post'],
  ['private', 'Only approved accounts read and post'],
]

const sections: readonly (readonly [title: string, rows: readonly SettingRow[]])[] = [
  [
    'What it is',
    [
      { name: 'title', label: 'Title', hint: 'At most 100 characters.' },
      { name: 'public_description', label: 'What it is about', hint: 'For lists and searches.', kind: 'text' },
      { name: 'description', label: 'Text of the sidebar', hint: 'Markdown works here.', kind: 'text' },
      { name: 'submit_text', label: 'Above the form for posts', hint: 'Markdown works here.', kind: 'text' },
      { name: 'lang', label: 'Language', hint: 'Such as en or pt-br.' },
    ],
  ],
  [
    'Who and what',
    [
      { name: 'type', label: 'Who may read and post?', kind: types },
      {
        name: 'link_type',
        label: 'What may be posted?',
        kind: [
          ['any', 'Links and texts'],
          ['link', 'Links'],
          ['self', 'Texts'],
        ],
      },
      { name: 'over_18', label: 'For adults only' },
      { name: 'allow_top', label: 'Lists of all subsites may include it' },
      { name: 'public_traffic', label: 'Everybody may see how much it is used' },
    ],
  ],
  [
    'Comments',
    [
      { name: 'suggested_comment_sort', label: 'Their order', kind: sorts },
      { name: 'comment_score_hide_mins', label: 'Hide the scores of new ones for', hint: 'Minutes, at most 1440.', kind: 'number' },
    ],
  ],
  [
    'Queue',
    [
      { name: 'spam_links', label: 'A new link', kind: filter },
      { name: 'spam_selfposts', label: 'A new text', kind: filter },
      { name: 'spam_comments', label: 'A new comment', kind: filter },
      { name: 'exclude_banned_modqueue', label: 'Queues leave out accounts that are suspended for good' },
    ],
  ],
  [
    'Wiki',
    [
      {
        name: 'wikimode',
        label: 'Who edits it?',
        kind: [
          ['disabled', 'Nobody: it is turned off'],
          ['modonly', 'Moderators and approved editors'],
          ['anyone', 'Everybody'],
        ],
      },
      { name: 'wiki_edit_karma', label: 'The karma that editing takes', kind: 'number' },
      { name: 'wiki_edit_age', label: 'The age of an account that editing takes', hint: 'Days.', kind: 'number' },
    ],
  ],
]

/** Leaves out the types that only admins give, but for the present one. */
const choicesOf = (kind: Choices, value: string): Choices => (kind.some(([one]) => one === value) ? kind : [...kind, [value, value]])

const fieldOf = (form: FormState, settings: Settings, { name, label, hint, kind }: SettingRow): Html => {
  const value = settings[name]
  if (typeof value === 'boolean') return flagField(form, { name, label, hint, value })
  const field = { name, label, hint, value: String(value) }
  if (kind === 'text') return textField(form, field)
  return typeof kind === 'object'
    ? choiceField(form, field, choicesOf(kind, field.value))
    : lineField(form, { ...field, type: kind ?? 'text' })
}

const rows: readonly SettingRow[] = sections.flatMap(([, inSection]) => inSection)

/** The field with the settings as the form shows them. */
const EXPECTED_FIELD = 'expected'
const expectedOf = (settings: Settings): string => JSON.stringify(Object.fromEntries(rows.map(({ name }) => [name, settings[name]])))

/** Returns a value if it was typed, and not left as the form showed it: then the setting is shown as it is by now. */
const typedIn = (typed: (name: string) => string | undefined): ((name: string) => string | undefined) => {
  const parsed = parseJson(typed(EXPECTED_FIELD) ?? '')
  const shown = new Map(Object.entries((E.isRight(parsed) && parsed.right) || {}))
  return (name) => {
    const text = typed(name)
    if (text === undefined) return undefined
    const [value, before] = [foldLineEnds(text), shown.get(name)]
    return value === (typeof before === 'string' ? foldLineEnds(before) : JSON.stringify(before)) ? undefined : value
  }
}

const MAX_SHOWN = 300

const wordsOf = ({ kind }: SettingRow, value: string): string => {
  if (typeof kind === 'object') return kind.find(([one]) => one === value)?.[1] ?? value
  if (value === 'true' || value === 'false') return value === 'true' ? 'yes' : 'no'
  const characters = [...value]
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join('')}…` : value
}

/** Renders the list of the settings that a form would change. */
const changes = (settings: Settings, typed: Fields): Html => {
  const typedOf = typedIn((name) => typed[name])
  const changed = rows
    .map((row) => ({ row, before: String(settings[row.name]), after: typedOf(row.name) }))
    .filter(({ before, after }) => after !== undefined && after !== before)
  if (changed.length === 0) return html`<p class="note" role="status">Nothing changes.</p>`
  return html`<div class="note" role="status"><p>This will change, and each change will be an entry of the mod log:</p>
<div class="changes"><table><thead><tr><th scope="col">Setting</th><th scope="col">Now</th><th scope="col">Then</th></tr></thead><tbody>${changed.map(
    ({ row, before, after = '' }) =>
      html`<tr><th scope="row">${row.label}</th><td>${renderIf(wordsOf(row, before), (words) => html`<del>${words}</del>`) ?? 'nothing'}</td><td>${renderIf(wordsOf(row, after), (words) => html`<ins>${words}</ins>`) ?? 'nothing'}</td></tr>`,
  )}</tbody></table></div></div>`
}

export const settingsPage = pageFor('GET /s/{sub}/about/edit', {
  title: ({ at }) => `Settings of ${at.sub ?? ''}`,
  robots: 'none',
  main: (shown) => {
    const { data } = shown.body
    return html`${moderationTabs(shown, 'edit', 'Settings')}
${fieldForm(shown, {
  action: '/api/site_admin',
  hidden: { sr: data.subsite_id, dest: `${shown.at.path}?done=1` },
  isReplacing: true,
  button: 'Save',
  class: 'write card',
  preview: (typed) => changes(data, typed),
  fields: (form) => {
    const now = { ...form, typed: typedIn(form.typed) }
    return html`<input type="hidden" name="${EXPECTED_FIELD}" value="${expectedOf(data)}">${sections.map(
      ([title, inSection]) => html`<h2>${title}</h2>${inSection.map((row) => fieldOf(now, data, row))}`,
    )}`
  },
})}`
  },
})
