import { type Html, html, renderEach, renderIf } from '../../wire/html.ts'
import { type Around, ask, type Body, pageFor, type Wire } from '../page.ts'
import { box, type FormState, fieldForm, foldForms, lineField } from '../parts/forms.ts'
import { author, pager } from '../parts/rows.ts'
import { sidebar } from '../parts/sidebar.ts'
import { mayModerate, moderationTabs } from '../parts/subsites.ts'
import { date, time } from '../parts/time.ts'
import { type Permission, permissionWords } from '../permissions.ts'

type MemberRow = Wire<'Moderator'> | Wire<'BannedAccount'> | Wire<'Contributor'>

type List = {
  readonly title: string
  readonly about: string
  readonly type: string
  readonly permission: Permission
  readonly add: string
  readonly end: string
  readonly timed?: true
}

const lists: Readonly<Record<string, List>> = {
  moderators: {
    title: 'Moderators',
    about: 'The most senior first. All that they do is in the mod log.',
    type: 'moderator',
    permission: 'all',
    add: 'Invite',
    end: 'Remove',
  },
  contributors: {
    title: 'Approved accounts',
    about: 'They post where others may not, and nothing of theirs is held for approval.',
    type: 'contributor',
    permission: 'access',
    add: 'Approve',
    end: 'Withdraw the approval',
  },
  banned: {
    title: 'Banned accounts',
    about: 'They read, vote and subscribe, but do not post, comment or edit the wiki here. Their reports count for nothing.',
    type: 'banned',
    permission: 'access',
    add: 'Ban',
    end: 'Lift the ban',
    timed: true,
  },
  muted: {
    title: 'Muted accounts',
    about: 'They cannot write to the moderators for 72 hours.',
    type: 'muted',
    permission: 'access',
    add: 'Mute',
    end: 'End the mute',
  },
  wikicontributors: {
    title: 'Approved for the wiki',
    about: 'They edit the wiki where others may not.',
    type: 'wikicontributor',
    permission: 'wiki',
    add: 'Approve',
    end: 'Withdraw the approval',
  },
  wikibanned: {
    title: 'Banned from the wiki',
    about: 'They read the wiki, but do not edit it.',
    type: 'wikibanned',
    permission: 'wiki',
    add: 'Ban',
    end: 'Lift the ban',
    timed: true,
  },
}

const whereIn = ({ path }: Around['at']): string => /\/about\/(\w+)\/?$/.exec(path)?.[1] ?? 'moderators'
const listIn = (at: Around['at']): List => (lists[whereIn(at)] ?? lists.moderators) as List

const rowsIn = (body: Body<'GET [/s/{sub}]/about/{where}'>): readonly MemberRow[] =>
  body.data.children.flatMap((child) => ('name' in child ? [child] : []))

/** Boxes for what a moderator may do. */
const permissionFields = (form: FormState, idSuffix: string, permissions: readonly string[]): Html =>
  html`<fieldset class="field choice"><legend>May decide about</legend>${Object.entries({ all: 'everything', ...permissionWords }).map(
    ([name, words]) => {
      const field = `may.${name}`
      const id = `${idSuffix}-${name}`
      const isOn = form.typed('form_may') === undefined ? permissions.includes(name) : form.typed(field) !== undefined
      return html`<span>${box('checkbox', { id, name: field, value: 'on', isOn })}<label for="${id}">${words}</label></span>`
    },
  )}</fieldset>`

/** Writes permissions as the interface takes them. */
const termsOf = (permissions: readonly string[]): string =>
  permissions.includes('all')
    ? '+all'
    : Object.keys(permissionWords)
        .map((name) => `${permissions.includes(name) ? '+' : '-'}${name}`)
        .join(',')

const mayWords = (permissions: readonly string[]): string =>
  permissions.includes('all')
    ? 'everything'
    : permissions.map((name) => permissionWords[name as keyof typeof permissionWords] ?? name).join(', ') || 'nothing'

const endForm = (around: Around, base: string, type: string, name: string, words: string): Html | undefined =>
  fieldForm(around, { action: `${base}/api/unfriend`, hidden: { type, name }, isReplacing: true, button: words, look: 'button stern' })

const permissionForm = (around: Around, base: string, type: string, { name, mod_permissions }: Wire<'Moderator'>): Html =>
  foldForms(
    `Change what ${name} may do`,
    html`${fieldForm(around, {
      action: `${base}/api/setpermissions`,
      method: 'POST',
      hidden: { type, name, form_may: '1' },
      isReplacing: true,
      button: 'Save',
      fields: (form) =>
        html`<input type="hidden" name="expected" value="${termsOf(mod_permissions)}">${permissionFields(
          form.code === 'CONFLICT' ? { ...form, typed: () => undefined } : form,
          `${type}-${name}`,
          mod_permissions,
        )}`,
    })}`,
  )

const rowOf = (row: MemberRow, around: Around, { type, end, permission }: List, base: string): Html => {
  const mayEnd = mayModerate(around, permission) && row.name !== around.viewer?.name
  return html`<li class="single"><p>${author(row.name)} <span class="meta">since ${time(row.date)}${
    'days_left' in row ? (row.days_left === null ? ', for ever' : `, until ${date(row.date + row.days_left * 86_400)}`) : undefined
  }</span></p>
${'note' in row ? renderIf(row.note, (note) => html`<p class="wide">${note}</p>`) : undefined}${
  'mod_permissions' in row ? html`<p class="meta">decides about ${mayWords(row.mod_permissions)}</p>` : undefined
}${mayEnd && 'mod_permissions' in row ? permissionForm(around, base, type, row) : undefined}${mayEnd ? endForm(around, base, type, row.name, end) : undefined}</li>`
}

const addForm = (around: Around, { type, add, timed }: List, base: string): Html | undefined => {
  const isModerator = type === 'moderator'
  return fieldForm(around, {
    action: `${base}/api/friend`,
    ...(isModerator && { method: 'POST' as const }),
    hidden: { type, ...(isModerator && { form_may: '1' }) },
    isReplacing: !isModerator && !timed,
    isUndoable: isModerator || timed === true,
    button: add,
    class: 'write card',
    fields: (form) =>
      html`${lineField(form, { name: 'name', label: 'Username' })}${isModerator ? permissionFields(form, 'new', ['all']) : undefined}${
        timed
          ? html`${lineField(form, { name: 'duration', label: 'Days', type: 'number', hint: 'Empty: for ever.' })}
${lineField(form, { name: 'note', label: 'Why', hint: 'For moderators.' })}`
          : undefined
      }${type === 'banned' ? lineField(form, { name: 'ban_message', label: 'What the account is told', hint: 'May be empty. Only an account that has posted, commented or subscribed here, or written to the moderators, gets a message.' }) : undefined}`,
  })
}

const invitations = (rows: readonly Wire<'Moderator'>[], around: Around, base: string): Html | undefined =>
  rows.length === 0
    ? undefined
    : html`<div class="bar"><h2>Invited</h2></div><ol class="links">${renderEach(
        rows,
        (row) =>
          html`<li class="single"><p>${author(row.name)}</p><p class="meta">would decide about ${mayWords(row.mod_permissions)}</p>${
            mayModerate(around, 'all') ? permissionForm(around, base, 'moderator_invite', row) : undefined
          }${mayModerate(around, 'access') ? endForm(around, base, 'moderator_invite', row.name, 'Withdraw the invitation') : undefined}</li>`,
      )}</ol>`

/** Renders the forms with which somebody becomes a moderator or ceases to be one. */
const ownSeat = (around: Around, base: string): Html | undefined =>
  around.subsite?.user_is_moderator
    ? html`<div class="bar"><h2>Your own seat</h2></div>${fieldForm(around, { action: '/api/leavemoderator', hidden: { id: around.subsite.name }, isUndoable: true, button: 'Step down as a moderator', look: 'button stern' })}`
    : fieldForm(around, {
        action: `${base}/api/accept_moderator_invite`,
        isUndoable: true,
        button: 'Accept an invitation to moderate',
        look: 'button',
      })

export const membersPage = pageFor('GET [/s/{sub}]/about/{where}', {
  also: (_, at) => ({
    invited:
      at.sub !== undefined && whereIn(at) === 'moderators'
        ? ask('GET /api/v1/{subsite}/moderators_invited', `/api/v1/${at.sub}/moderators_invited`)
        : undefined,
  }),
  title: ({ at }) => `${listIn(at).title}${at.sub === undefined ? '' : ` of ${at.sub}`}`,
  aside: (shown) => sidebar(shown),
  main: (shown) => {
    const where = whereIn(shown.at)
    const list = listIn(shown.at)
    const rows = rowsIn(shown.body)
    const base = shown.subsite ? `/s/${shown.subsite.display_name}` : undefined
    const shownIn = base ?? ''
    return html`${moderationTabs(shown, where, list.title)}
<p class="meta wide">${list.about}</p>
${rows.length === 0 ? html`<p class="empty">There is nobody.</p>` : html`<ol class="links">${renderEach(rows, (row) => (base === undefined ? html`<li class="single">${author(row.name)}</li>` : rowOf(row, shown, list, base)))}</ol>`}
${'after' in shown.body.data ? pager(shown.body.data, shown) : undefined}
${renderIf(
  base,
  () => html`${shown.also.invited ? invitations(shown.also.invited.data.children, shown, shownIn) : undefined}
${mayModerate(shown, list.permission) ? addForm(shown, list, shownIn) : undefined}
${where === 'moderators' ? ownSeat(shown, shownIn) : undefined}`,
)}`
  },
})
