import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import { adminHead } from '../administration/tabs.ts'
import { eraseForm } from '../links-and-comments/further-acts.ts'
import { type Around, pageFor, type Shown, type Wire } from '../page.ts'
import { actButton, fieldForm, textField } from '../parts/forms.ts'
import { author, choices, pager } from '../parts/rows.ts'
import { mayKeep } from '../parts/subsites.ts'
import { renderedText } from '../parts/text.ts'
import { time } from '../parts/time.ts'
import { MODERATOR_MAIL, mailTabs } from './tabs.ts'

type Received = Wire<'InboxListing'>['data']['children'][number]
type Message = Wire<'Message'>

const act = (words: string, path: string, name: string): Html => actButton(url(`${path}?id=${name}`), { class: 'quiet', content: words })

/** The mark of what was not read yet, and the button that sets or clears it. */
const readMark = ({ data }: Received, { viewer }: Around): Html | undefined => {
  if (!viewer || data.author === viewer.name) return undefined
  return data.new ? act('mark read', '/api/read_message', data.name) : act('mark unread', '/api/unread_message', data.name)
}

const distinction = ({ distinguished }: Received['data']): Html | undefined =>
  renderIf(distinguished, (as) => html`<span class="badge mod">${as}</span> `)

const unreadBadge = ({ new: isNew }: Received['data']): Html | undefined => (isNew ? html`<span class="badge pin">new</span> ` : undefined)

/** The page of the conversation that a message belongs to. */
const conversationOf = ({ name, first_message_name: first }: Message): string => `/message/messages/${(first ?? name).slice(3)}`

/** From whom a message is, and to whom; a message in the name of a subsite may have no author. */
const parties = ({ author: who, dest, subsite }: Message): Html =>
  html`${who === null ? html`the moderators of ${subsite ?? 'a subsite'}` : author(who)} to ${dest.startsWith('#') ? html`the moderators of <a href="${url(`/s/${dest.slice(1)}`)}">${dest.slice(1)}</a>` : author(dest)}`

const reportLink = (name: string): Html => html`<a class="quiet" href="${url(`/report?id=${name}`)}">report</a>`

/** The subject that stands for that of a message in the name of a subsite which the viewer blocks. */
const OF_BLOCKED_SUBSITE = '[message from a blocked subsite]'

/** The buttons against whoever sent a message, and the subsite in whose name. */
const blockActs = ({ name, author: who, subsite, subject }: Message): Html | undefined => {
  if (who === null && subsite !== null)
    return subject === OF_BLOCKED_SUBSITE
      ? act(`unblock ${subsite}`, '/api/unblock_subsite', name)
      : act(`block ${subsite}`, '/api/block', name)
  return who === null || who.startsWith('[') ? undefined : act(`block ${who}`, '/api/block', name)
}

/** The buttons of moderators on the mail to them, where the page says that they may. */
const muteActs = ({ name, dest, author: who }: Message, around: Around): Html | undefined =>
  dest.startsWith('#') && who !== null && who !== around.viewer?.name && mayKeep(around, 'access') && mayKeep(around, 'mail')
    ? html`${act('mute the author', '/api/mute_message_author', name)}${act('end the mute', '/api/unmute_message_author', name)}`
    : undefined

/** The buttons that fold a message which was read, for whoever sent or got it, and show it in full again. */
const foldAct = ({ name, new: isNew, is_collapsed: isFolded }: Message): Html | undefined =>
  isNew ? undefined : isFolded ? act('show in full', '/api/uncollapse_message', name) : act('fold', '/api/collapse_message', name)

/** The buttons with which admins say that they wrote as such. */
const ownMarks = ({ name, distinguished }: Message, { viewer }: Around): Html | undefined => {
  if (!viewer?.is_employee) return undefined
  const to = (how: string) => url(`/api/distinguish?${new URLSearchParams({ id: name, how })}`)
  return distinguished === null
    ? actButton(to('admin'), { class: 'quiet', content: 'speak as an admin' })
    : actButton(to('no'), { class: 'quiet', content: 'take the mark away' })
}

/** The text of a message. One that is folded opens without being asked for again. */
const textOf = ({ body_html, is_collapsed: isFolded }: Message): Html | undefined =>
  isFolded ? html`<details class="changes"><summary>What it says</summary>${renderedText(body_html)}</details>` : renderedText(body_html)

const row = (received: Received, around: Around): Html => {
  if (received.kind === 't1') {
    const { data } = received
    return html`<li class="card letter" id="${data.name}"><h2>${unreadBadge(data)}<a href="${url(`${data.context}#${data.name}`)}">${data.link_title ?? 'a link'}</a></h2>
<p class="meta">${distinction(data)}${data.subject} from ${author(data.author)} ${time(data.created_utc)} ${renderIf(data.subsite, (name) => html`in <a href="${url(`/s/${name}`)}">${name}</a>`)}</p>
${renderedText(data.body_html)}
<p class="acts"><a class="quiet" href="${url(`${data.context}#${data.name}`)}">context</a><a class="quiet" href="${url(`${data.context}&reply=${data.name}#reply`)}">reply</a>${readMark(received, around)}${
      around.viewer && data.author !== null && data.author !== around.viewer.name
        ? act(`block ${data.author}`, '/api/block', data.name)
        : undefined
    }${reportLink(data.name)}</p></li>`
  }
  const { data } = received
  const isOwn = !around.viewer || data.author === around.viewer.name
  return html`<li class="card letter" id="${data.name}"><h2>${unreadBadge(data)}<a href="${url(`${conversationOf(data)}#${data.name}`)}">${data.subject}</a></h2>
<p class="meta">${distinction(data)}${parties(data)} ${time(data.created_utc)}</p>
${textOf(data)}
<p class="acts">${isOwn ? undefined : html`<a class="quiet" href="${url(`${conversationOf(data)}?reply=${data.name}#reply`)}">reply</a>`}${readMark(received, around)}${renderIf(around.viewer && data.dest === around.viewer.name, () => act('delete', '/api/del_msg', data.name))}${
    around.viewer && foldAct(data)
  }${isOwn ? ownMarks(data, around) : html`${blockActs(data)}${muteActs(data, around)}${reportLink(data.name)}`}</p></li>`
}

const boxOf = ({ path }: Around['at']): string => /\/message\/(\w+)/.exec(path)?.[1] ?? 'inbox'

const markAll = ({ viewer, at }: Around): Html | undefined =>
  viewer && viewer.inbox_count > 0 && boxOf(at) !== 'sent'
    ? html`<p class="acts">${actButton(url('/api/read_all_messages'), { class: 'button', content: 'Mark all as read' })}</p>`
    : undefined

const list = (received: readonly Received[], shown: Around): Html =>
  received.length === 0
    ? html`<p class="empty">Nothing here.</p>`
    : html`<ol class="letters">${renderEach(received, (one) => row(one, shown))}</ol>`

const box = {
  title: ({ at }: Around) => `Messages: ${boxOf(at)}`,
  robots: 'none',
  main: (shown: Shown<Wire<'InboxListing'>>) => html`<h1 class="page">Messages</h1>
${mailTabs(boxOf(shown.at), shown)}
${markAll(shown)}
${list(shown.body.data.children, shown)}
${pager(shown.body.data, shown)}`,
} as const

/** The pages of an account's inbox and of what it sent. */
export const inboxPages = [pageFor('GET /message/{where}', box), pageFor('GET /message/{compartment}', box)]

const reportedRow = (
  message: Message,
  around: Around,
): Html => html`<li class="card letter" id="${message.name}"><h2>${message.subject}</h2>
<p class="meta">${distinction(message)}${parties(message)} ${time(message.created_utc)}</p>
<ul class="reports">${(message.user_reports ?? []).map(([reason, times]) => html`<li>${reason ?? 'a reason that was withdrawn'}${renderIf(times > 1, () => html` <b>×${times}</b>`)}</li>`)}</ul>
${renderedText(message.body_html)}
<p class="acts"><a class="quiet" href="${url(`${conversationOf(message)}#${message.name}`)}">its conversation</a><a class="quiet" href="${url(`${around.at.path}?erase=${message.name}#erase`)}">erase it…</a></p></li>`

/** The page of the messages that were reported to the admins, with the form that erases one. */
export const reportedPage = pageFor('GET /message/reported', {
  title: () => 'Reported messages',
  tab: () => 'admin',
  robots: 'none',
  main: (shown) => {
    const { at, body } = shown
    const messages = body.data.children
    const named = messages.find(({ data }) => data.name === at.query.get('erase'))
    return html`${adminHead(shown, '/message/reported', 'Reported messages')}
${renderIf(named, ({ data }) => html`<div id="erase">${eraseForm({ name: data.name, what: `‘${data.subject}’`, keep: at.path, dest: at.path }, shown)}</div>`)}
${messages.length === 0 ? html`<p class="empty">Nobody has reported a message.</p>` : html`<ol class="letters">${renderEach(messages, ({ data }) => reportedRow(data, shown))}</ol>`}
${pager(body.data, shown)}`
  },
})

const modmailBoxes = ['inbox', 'unread'] as const

/** The page of the mail to the moderators of a subsite, or of all that the viewer moderates. */
export const modmailPage = pageFor('GET [/s/{sub}]/about/message/{box}', {
  title: ({ at }) => (at.sub === undefined ? 'Mod mail' : `Mod mail of ${at.sub}`),
  robots: 'none',
  tab: () => 'mail',
  main: (shown) => {
    const { at, body, subsite } = shown
    const base = at.sub === undefined ? '' : `/s/${at.sub}`
    const current = at.path.endsWith('/unread') ? 'unread' : 'inbox'
    const writer = new URLSearchParams(subsite ? { from_sr: subsite.display_name } : {})
    return html`<h1 class="page">Mod mail</h1>
${subsite ? undefined : mailTabs(MODERATOR_MAIL, shown)}
${choices(
  'Mod mail',
  modmailBoxes.map((value) => ({ value, words: value === 'inbox' ? 'all' : value, to: `${base}/about/message/${value}` })),
  current,
)}
${renderIf(shown.viewer, () => html`<p class="acts"><a class="button" href="${url(`/message/compose?${writer}`)}">New message</a></p>`)}
${list(body.data.children, shown)}
${pager(body.data, shown)}`
  },
})

/** The messages of a conversation, in their order. */
const together = (first: Wire<'MessageThing'>): readonly Wire<'MessageThing'>[] => [
  first,
  ...(first.data.replies === '' ? [] : first.data.replies.data.children.flatMap(together)),
]

/** The page of a conversation, with the form for a reply to its last message, or to the one that the address names. */
export const conversationPage = pageFor('GET /message/messages/{mid}', {
  title: ({ body }) => body.data.children[0]?.data.subject ?? 'Messages',
  robots: 'none',
  main: (shown) => {
    const messages = shown.body.data.children.flatMap(together)
    const named = shown.at.query.get('reply')
    const to =
      messages.find(({ data }) => data.name === named) ??
      messages.findLast(({ data }) => data.author !== shown.viewer?.name) ??
      messages.at(-1)
    return html`<h1 class="page">${messages[0]?.data.subject ?? 'Messages'}</h1>
${mailTabs('', shown)}
${list(messages, shown)}
<div id="reply">${renderIf(to, ({ data }) =>
      fieldForm(shown, {
        action: '/api/comment',
        hidden: { thing_id: data.name, dest: shown.at.path },
        button: 'Send',
        class: 'write card',
        fields: (form) =>
          textField(form, {
            name: 'text',
            label: data.author === null ? 'Your reply' : `Your reply to ${data.author}`,
            hint: 'Markdown works here.',
          }),
      }),
    )}</div>`
  },
})
