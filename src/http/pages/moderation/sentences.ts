import { type Html, html, renderIf, url } from '../../wire/html.ts'
import type { Wire } from '../page.ts'
import { author } from '../parts/rows.ts'

export type LogEntry = Wire<'ModAction'>

/** Renders the words of an action after the name of its actor. */
type Say = (entry: LogEntry) => Html

const MAX_QUOTED_CHARACTERS = 90
const MAX_NOTE_CHARACTERS = 200

const ellipsize = (text: string, most: number): string => {
  const characters = [...text]
  return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text
}

const quote = (text: string, most = MAX_QUOTED_CHARACTERS): string => `‘${ellipsize(text, most)}’`

const account: Say = ({ target_author: name }) => author(name === '' ? null : name)

/** The title of a link as it was, a comment by its first words; either may be withheld from this viewer. */
const toTargetName = ({ target_fullname: id, target_title: title, target_body: body }: LogEntry): string => {
  if (id?.startsWith('t1_')) return body === null || body === '' ? 'a comment' : `the comment ${quote(body)}`
  return title === null || title === '' ? 'a link whose title is gone' : `the link ${quote(title)}`
}

const thingLink: Say = (entry) =>
  html`${entry.target_permalink === null ? html`${toTargetName(entry)}` : html`<a href="${url(entry.target_permalink)}">${toTargetName(entry)}</a>`} by ${account(entry)}`

const note = ({ description }: LogEntry, before: string): Html | undefined =>
  renderIf(description, (text) => html`${before} ${quote(text, MAX_NOTE_CHARACTERS)}`)

const hasDetails = ({ details }: LogEntry, value: string): boolean => details === value
const startsWith = ({ details }: LogEntry, start: string): boolean => details?.startsWith(start) === true

const onThing =
  (words: string, after = ''): Say =>
  (entry) =>
    html`${words} ${thingLink(entry)}${after}`

const onAccount =
  (words: string, after = ''): Say =>
  (entry) =>
    html`${words} ${account(entry)}${after}`

/** Returns the length of a ban: `7 days`, `permanent`, or either after `changed to`. */
const term = ({ details }: LogEntry): string => {
  const words = (details ?? '').replace('changed to ', '')
  if (words === 'permanent') return ' for good'
  return words === '' || words === '0 days' ? '' : ` for ${words === '1 days' ? '1 day' : words}`
}

const sayBan =
  (where: string): Say =>
  (entry) => {
    if (hasDetails(entry, 'changed note')) return html`changed the note on the ban${where} of ${account(entry)}${note(entry, ' to')}`
    if (startsWith(entry, 'changed to '))
      return html`changed the ban${where} of ${account(entry)}: now${term(entry)}${note(entry, ', noting')}`
    return html`banned ${account(entry)}${where}${term(entry)}${note(entry, ', noting')}`
  }

const sayMute: Say = (entry) =>
  hasDetails(entry, 'changed note')
    ? html`changed the note on the mute of ${account(entry)}${note(entry, ' to')}`
    : html`muted ${account(entry)} in messages to the moderators${note(entry, ', noting')}`

/** The end of a ban or a mute, by a moderator or by itself. */
const sayEnd =
  (verb: string, name: string): Say =>
  (entry) =>
    entry.description === 'was temporary' ? html`${name} of ${account(entry)} ran out` : html`${verb} ${account(entry)}`

const removals: Readonly<Record<string, string>> = { spam: ' as spam', confirm_spam: ', confirming it as spam' }

const sayRemoval: Say = (entry) =>
  hasDetails(entry, 'erase')
    ? html`erased ${thingLink(entry)} for good${note(entry, ', because of')}`
    : html`removed ${thingLink(entry)}${removals[entry.details ?? '']}`

const sayApproval: Say = (entry) =>
  html`approved ${thingLink(entry)}${hasDetails(entry, 'unspam') ? ', taking it back out of the removed' : ''}`

const sayPin =
  (words: string, replaced: string): Say =>
  (entry) =>
    html`${words} ${thingLink(entry)}${hasDetails(entry, 'replaced') ? replaced : ''}`

/** The mark of a thing, set or taken away. */
const sayMark =
  (set: Say, unset: Say): Say =>
  (entry) =>
    hasDetails(entry, 'remove') ? unset(entry) : set(entry)

const wikiPage = ({ details, description, subsite }: LogEntry): Html => {
  const name = /\bpage (\S+?)(?=[,:]|\s|$)/i.exec(details ?? '')?.[1] ?? /\bpage (\S+?)(?=[,:]|\s|$)/i.exec(description ?? '')?.[1]
  return name === undefined ? html`a page of the wiki` : html`the wiki page <a href="${url(`/s/${subsite}/wiki/${name}`)}">${name}</a>`
}

const revisions: Readonly<Record<string, Say>> = {
  revert: (entry) => html`put ${wikiPage(entry)} back to an earlier revision`,
  hide: (entry) => html`hid a revision of ${wikiPage(entry)}`,
  unhide: (entry) => html`showed a hidden revision of ${wikiPage(entry)} again`,
  erase: (entry) => html`erased a revision of ${wikiPage(entry)} for good`,
}

const sayRevision: Say = (entry) => {
  const known = revisions[entry.details ?? '']
  if (known) return known(entry)
  const text = /^Updated (?:subsite )?(.+)$/.exec(entry.details ?? '')?.[1]
  return html`edited ${text === undefined ? wikiPage(entry) : html`the ${text}`}${note(entry, ', saying')}`
}

const sayEdit: Say = (entry) => {
  if (hasDetails(entry, 'alloweditor_add')) return html`let ${account(entry)} edit ${wikiPage(entry)}`
  if (hasDetails(entry, 'alloweditor_del')) return html`no longer lets ${account(entry)} edit ${wikiPage(entry)}`
  return html`changed who may edit ${wikiPage(entry)}`
}

const settingInWords = ({ details }: LogEntry): string => quote((details ?? '').replaceAll('_', ' '))

/** Returns an image by its use: `upload_image` and `del_image` name theirs, the others are the header, the icon or the banner. */
const image = ({ details, description }: LogEntry): string => {
  const use = (details ?? '').replace(/^(?:upload_image_?|del_)/, '')
  return use === '' || use === 'image' ? `the image ${quote(description ?? '')}` : `the ${use} image`
}

const changedSetting: Say = (entry) => {
  if (hasDetails(entry, 'erase_image')) return html`erased an image for good${note(entry, ', because of')}`
  if (startsWith(entry, 'upload_image')) return html`uploaded ${image(entry)}`
  if (startsWith(entry, 'del_')) return html`deleted ${image(entry)}`
  return html`changed the setting ${settingInWords(entry)}`
}

const flairs: Readonly<Record<string, Say>> = {
  flair_edit: (entry) => html`set the flair of ${entry.target_fullname?.startsWith('t5_') ? thingLink(entry) : account(entry)}`,
  flair_csv: (entry) => html`set the flair of ${account(entry)} from a list`,
  flair_delete: (entry) => html`took the flair from ${account(entry)}`,
  flair_template: () => html`edited a flair template`,
  flair_delete_template: () => html`deleted a flair template`,
  flair_clear_template: () => html`deleted all flair templates`,
}

const changedFlair: Say = (entry) =>
  (flairs[entry.details ?? ''] ?? (() => html`changed how flair works here: ${settingInWords(entry)}`))(entry)

const rule =
  (verb: string): Say =>
  (entry) =>
    hasDetails(entry, 'reordered') ? html`put the rules in another order` : html`${verb} the rule ${quote(entry.details ?? '')}`

/** Every action has a sentence: a new one does not compile without it. */
const sentences: { readonly [Action in LogEntry['action']]: Say } = {
  acceptmoderatorinvite: () => html`accepted the invitation to moderate`,
  addcontributor: onAccount('approved', ' as a contributor'),
  addmoderator: onAccount('made', ' a moderator'),
  approvecomment: sayApproval,
  approvelink: sayApproval,
  banuser: sayBan(''),
  createrule: rule('made'),
  deleterule: rule('deleted'),
  distinguish: sayMark(onThing('marked', ' as a moderator’s'), onThing('took the moderator’s mark from')),
  editflair: changedFlair,
  editrule: rule('edited'),
  editsettings: changedSetting,
  ignorereports: onThing('ignored further reports of'),
  invitemoderator: onAccount('invited', ' to moderate'),
  lock: onThing('locked'),
  marknsfw: sayMark(onThing('marked', ' as over 18'), onThing('took the mark ‘over 18’ from')),
  muteuser: sayMute,
  removecomment: sayRemoval,
  removecontributor: onAccount('withdrew the approval of', ' as a contributor'),
  removelink: sayRemoval,
  removemoderator: (entry) =>
    hasDetails(entry, 'remove_self') ? html`stepped down as a moderator` : html`removed ${account(entry)} from the moderators`,
  removewikicontributor: onAccount('withdrew the approval of', ' as a contributor to the wiki'),
  setcontestmode: onThing('turned contest mode on for'),
  setpermissions: (entry) =>
    hasDetails(entry, 'permission_moderator_invite')
      ? html`changed what the invitation of ${account(entry)} would allow`
      : html`changed what ${account(entry)} may do as a moderator`,
  setsuggestedsort: onThing('suggested an order for the comments of'),
  sticky: sayPin('pinned', ''),
  unbanuser: sayEnd('lifted the ban of', 'the ban'),
  unignorereports: onThing('heeds reports again of'),
  uninvitemoderator: onAccount('withdrew the invitation of'),
  unlock: onThing('unlocked'),
  unmuteuser: sayEnd('unmuted', 'the mute'),
  unsetcontestmode: onThing('turned contest mode off for'),
  unsticky: sayPin('unpinned', ', another took its place'),
  wikibanned: sayBan(' from the wiki'),
  wikicontributor: onAccount('approved', ' as a contributor to the wiki'),
  wikipagelisted: (entry) => html`${entry.description?.startsWith('Relisted') ? 'listed' : 'unlisted'} ${wikiPage(entry)}`,
  wikipermlevel: sayEdit,
  wikirevise: sayRevision,
  wikiunbanned: sayEnd('lifted the wiki ban of', 'the wiki ban'),
}

export const logActions = Object.keys(sentences) as readonly LogEntry['action'][]

const SERVICE = '[service]'

/** Renders the actor, with a link to all their acts in this log. */
const actor = ({ mod, subsite }: LogEntry): Html =>
  mod === SERVICE
    ? html`<b class="service">The service:</b>`
    : html`<a class="who" href="${url(`/s/${subsite}/about/log?${new URLSearchParams({ mod })}`)}">${mod}</a>`

/** Renders an entry of the moderation log as a sentence: who did what to what as it was then, and how. */
export const sentence = (entry: LogEntry): Html => html`${actor(entry)} ${sentences[entry.action](entry)}`

/** Actions that take something away, and those that give it back, for the edge of an entry. The sentence says it as well. */
const stern: ReadonlySet<LogEntry['action']> = new Set([
  'banuser',
  'deleterule',
  'lock',
  'muteuser',
  'removecomment',
  'removecontributor',
  'removelink',
  'removemoderator',
  'removewikicontributor',
  'wikibanned',
])
const kind: ReadonlySet<LogEntry['action']> = new Set([
  'approvecomment',
  'approvelink',
  'unbanuser',
  'unlock',
  'unmuteuser',
  'wikiunbanned',
])

export const toneOfAction = ({ action }: LogEntry): 'stern' | 'kind' | 'plain' => {
  if (stern.has(action)) return 'stern'
  return kind.has(action) ? 'kind' : 'plain'
}
