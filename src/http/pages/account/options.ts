import { type Html, html } from '../../wire/html.ts'
import { type Body, pageFor } from '../page.ts'
import { wordedSorts } from '../parts/comment-sorts.ts'
import { choiceField, type FormState, fieldForm, flagField, lineField } from '../parts/forms.ts'
import { backTo, settingsHead } from './tabs.ts'

type Preferences = Body<'GET /prefs/options'>
type Name = keyof Preferences

type PreferenceField = readonly [name: Name, words: string, hint?: string]

/** The preferences of which a person sees an effect, with their words. */
const sections: readonly (readonly [title: string, fields: readonly PreferenceField[]])[] = [
  [
    'Lists of links',
    [
      ['numsites', 'Links on a page', '1 to 100'],
      ['min_link_score', 'Leave out links with a lower score than', '-100 to 100'],
      ['hide_ups', 'Leave out links that you voted insightful'],
      ['hide_downs', 'Leave out links that you voted funny'],
      ['over_18', 'Show what is for adults only'],
      ['show_stylesheets', 'Show subsites as their moderators style them'],
    ],
  ],
  [
    'Threads',
    [
      ['num_comments', 'Comments on a page', '1 to 500'],
      ['ignore_suggested_sort', 'Ignore the order that a moderator suggests'],
      ['default_comment_sort', 'Order of comments'],
    ],
  ],
  [
    'Messages',
    [
      ['monitor_mentions', 'Tell me where a comment mentions me'],
      ['collapse_read_messages', 'Fold messages that I have read'],
    ],
  ],
  [
    'What others see',
    [
      ['public_votes', 'Everybody may see what I voted for'],
      ['hide_from_robots', 'Ask search engines to keep away from my pages'],
      ['private_feeds', 'My private feeds can be read', 'Anybody who knows the address of one can read it.'],
    ],
  ],
]

const fieldOf = (form: FormState, preferences: Preferences, [name, label, hint]: PreferenceField): Html => {
  if (name === 'default_comment_sort')
    return choiceField(form, { name, label, value: preferences[name] }, wordedSorts('top', 'new', 'insightful', 'fun'))
  const value = preferences[name]
  return typeof value === 'boolean'
    ? flagField(form, { name, label, hint, value })
    : lineField(form, { name, label, hint, value: String(value), type: 'number' })
}

export const optionsPage = pageFor('GET /prefs/options', {
  title: () => 'Preferences',
  robots: 'none',
  main: (shown) => html`${settingsHead('options', 'Preferences')}
${fieldForm(shown, {
  action: '/api/v1/me/prefs',
  method: 'PATCH',
  hidden: backTo('options'),
  button: 'Save',
  class: 'write card',
  fields: (form) =>
    html`${sections.map(
      ([title, fields]) => html`<h2>${title}</h2>${fields.map((field) => fieldOf(form, shown.body, field))}`,
    )}${choiceField(form, { name: 'site_index', label: 'The front page shows', value: shown.body.site_index }, [
      ['site_index_front', 'the subsites that I subscribe to'],
      ['site_index_all', 'all subsites'],
    ])}`,
})}`,
})
