import { type Html, html, renderEach, renderIf } from '../../wire/html.ts'
import { type Around, type Body, pageFor, type Wire } from '../page.ts'
import { fieldForm, lineField } from '../parts/forms.ts'
import { author } from '../parts/rows.ts'
import { time } from '../parts/time.ts'
import { backTo, settingsHead } from './tabs.ts'

type Person = Wire<'Friend'> | Wire<'Contributor'>

const lists = {
  friends: {
    title: 'Friends',
    about: 'A friend’s name stands out for you. The other account does not learn of it.',
    empty: 'You have made no friends here yet.',
    add: { action: '/api/friend', hidden: { type: 'friend' }, button: 'Make a friend' },
    end: { type: 'friend', button: 'End the friendship' },
  },
  blocked: {
    title: 'Blocked accounts',
    about: 'You see nothing of what a blocked account writes, and its messages do not reach you. It does not learn of it.',
    empty: 'You block nobody.',
    add: { action: '/api/block_user', hidden: {}, button: 'Block' },
    end: { type: 'enemy', button: 'Unblock' },
  },
} as const

/** Returns the list that a page shows. */
const listIn = ({ path }: Around['at']): keyof typeof lists => (/\/blocked\/?$/.test(path) ? 'blocked' : 'friends')

const rowsIn = (body: Body<'GET /prefs/{where}'>): readonly Person[] => ('kind' in body ? body : body[0])?.data.children ?? []

const noteForm = ({ name, note }: Wire<'Friend'>, around: Around): Html | undefined =>
  fieldForm(around, {
    action: `/api/v1/me/friends/${encodeURIComponent(name)}`,
    method: 'PUT',
    hidden: backTo('friends'),
    button: 'Keep the note',
    look: 'button',
    fields: (form) => lineField(form, { name: 'note', id: `note-${name}`, label: 'A note for yourself', value: note }),
  })

export const peoplePage = pageFor('GET /prefs/{where}', {
  title: ({ at }) => lists[listIn(at)].title,
  robots: 'none',
  main: (shown) => {
    const where = listIn(shown.at)
    const { title, about, empty, add, end } = lists[where]
    const rows = rowsIn(shown.body)
    const hidden = { container: `t2_${shown.viewer?.id ?? ''}` }
    return html`${settingsHead(where, title)}
<p class="meta wide">${about}</p>
${
  rows.length === 0
    ? html`<p class="empty">${empty}</p>`
    : html`<ol class="links">${renderEach(
        rows,
        (
          row,
        ) => html`<li class="single"><p>${author(row.name)} <span class="meta">since ${time(row.date)}</span></p>${'note' in row ? noteForm(row, shown) : undefined}
${fieldForm(shown, { action: '/api/unfriend', hidden: { type: end.type, name: row.name, ...hidden, ...backTo(where) }, isReplacing: true, button: end.button, look: 'quiet' })}</li>`,
      )}</ol>`
}
${renderIf(shown.viewer, () =>
  fieldForm(shown, {
    action: add.action,
    hidden: { ...add.hidden, ...hidden, ...backTo(where) },
    isReplacing: true,
    button: add.button,
    class: 'write card',
    fields: (form) => lineField(form, { name: 'name', label: 'Username' }),
  }),
)}`
  },
})
