import { BLOCKED_SUBSITE_SUBJECT } from '../../present/message.ts'
import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import { adminHead } from '../administration/tabs.ts'
import { eraseForm } from '../links-and-comments/further-acts.ts'
import { type Around, pageFor, type Shown, type Wire } from '../page.ts'
import { actButton, fieldForm, textField } from '../parts/forms.ts'
import { act, author, choices, pager } from '../parts/rows.ts'
import { mayModerate } from '../parts/subsites.ts'
import { renderText } from '../parts/text.ts'
import { time } from '../parts/time.ts'
import { MODERATOR_MAIL, mailTabs } from './tabs.ts'

type Received = Wire<'InboxListing'>['data']['children'][number]
type Message = Wire<'Message'>

/** Renders a link to a page, or to a place in it. */
const quietLink = (address: string, words: string): Html => html`<a class="quiet" href="${url(address)}">${words}</a>`

/** The mark of what was not read yet, and the button that sets or clears it. */
const readMark = ({ data }: Received, { viewer }: Around): Html | undefined => {
  if (!viewer || data.author === viewer.name) return undefined
  return data.new ? act('mark read', '/api/read_message', data.name) : act('mark unread', '/api/unread_message', data.name)
}

const distinction = ({ distinguished }: Received['data']): Html | undefined =>
  renderIf(distinguished, (as) => html`<span class="badge mod">${as}</span> `)

const unreadBadge = ({ new: isNew }: Received['data']): Html | undefined => (isNew ? html`<span class="badge pin">new</span> ` : undefined)

/** Returns the page of the conversation that a message belongs to. */
const conversationOf = ({ name, first_message_name: first }: Message): string => `/message/messages/${(first ?? name).slice(3)}`

/** Renders whom a message is for: an account, or the moderators of `#<subsite>`. */
const recipient = (dest: string): Html => {
  const subsite = dest.slice(1)
  return dest.startsWith('#') ? html`the moderators of <a href="${url(`/s/${subsite}`)}">${subsite}</a>` : author(dest)
}

/** Names the author of a message and its recipient; a message in the name of a subsite may have no author. */
const parties = ({ author: who, dest, subsite }: Message): Html =>
  html`${who === null ? html`the moderators of ${subsite ?? 'a subsite'}` : author(who)} to ${recipient(dest)}`

const reportLink = (name: string): Html => quietLink(`/report?id=${name}`, 'report')

/**
 * Renders the buttons that block the sender of a message, or the subsite in whose name it was sent. A moderator may send the subject of a
 * blocked subsite too, so it adds a button and takes none away.
 */
const blockActs = ({ name, author: who, subsite, subject }: Message): Html | undefined => {
  if (who === null && subsite !== null)
    return html`${act(`block ${subsite}`, '/api/block', name)}${
      subject === BLOCKED_SUBSITE_SUBJECT ? act(`unblock ${subsite}`, '/api/unblock_subsite', name) : undefined
    }`
  return who === null || who.startsWith('[') ? undefined : act(`block ${who}`, '/api/block', name)
}

/** Renders the buttons of moderators on the mail to them, where the page says that they may. */
const muteActs = ({ name, dest, author: who }: Message, around: Around): Html | undefined =>
  dest.startsWith('#') && who !== null && who !== around.viewer?.name && mayModerate(around, 'access') && mayModerate(around, 'mail')
    ? html`${act('mute the author', '/api/mute_message_author', name)}${act('end the mute', '/api/unmute_message_author', name)}`
    : undefined

/** Renders the button that folds a message which was read, or shows it in full again. Its sender and its recipient have it. */
const foldAct = ({ name, new: isNew, is_collapsed: isFolded }: Message): Html | undefined =>
  isNew ? undefined : isFolded ? act('show in full', '/api/uncollapse_message', name) : act('fold', '/api/collapse_message', name)

/** Renders the buttons with which admins say that they wrote as such. */
const ownMarks = ({ name, distinguished }: Message, { viewer }: Around): Html | undefined => {
  if (!viewer?.is_employee) return undefined
  const markAddress = (how: string) => url(`/api/distinguish?${new URLSearchParams({ id: name, how })}`)
  return distinguished === null
    ? actButton(markAddress('admin'), { class: 'quiet', content: 'speak as an admin' })
    : actButton(markAddress('no'), { class: 'quiet', content: 'take the mark away' })
}

/** Renders the text of a message. One that is folded opens without being asked for again. */
const textOf = ({ body_html, is_collapsed: isFolded }: Message): Html | undefined =>
  isFolded ? html`<details class="changes"><summary>What it says</summary>${renderText(body_html)}</details>` : renderText(body_html)

type ReceivedComment = Extract<Received, { readonly kind: 't1' }>
type ReceivedMessage = Exclude<Received, ReceivedComment>

/** Renders the heading of a row: where it leads, after the mark of what is new. */
const heading = (data: Received['data'], address: string, words: string): Html =>
  html`<h2>${unreadBadge(data)}<a href="${url(address)}">${words}</a></h2>`

/** Renders the line below the heading of a comment: why it was received, from whom, when and where. */
const commentMeta = (data: ReceivedComment['data']): Html => {
  const place = renderIf(data.subsite, (name) => html`in <a href="${url(`/s/${name}`)}">${name}</a>`)
  return html`<p class="meta">${distinction(data)}${data.subject} from ${author(data.author)} ${time(data.created_utc)} ${place}</p>`
}

/** Renders a comment that replies to the viewer, or mentions them. */
const commentRow = (received: ReceivedComment, around: Around): Html => {
  const { data } = received
  const { viewer } = around
  const address = `${data.context}#${data.name}`
  const isOfOther = viewer && data.author !== null && data.author !== viewer.name
  const block = isOfOther ? act(`block ${data.author}`, '/api/block', data.name) : undefined
  const replyAddress = `${data.context}&reply=${data.name}#reply`
  return html`<li class="card letter" id="${data.name}">${heading(data, address, data.link_title ?? 'a link')}
${commentMeta(data)}
${renderText(data.body_html)}
<p class="acts">${quietLink(address, 'context')}${quietLink(replyAddress, 'reply')}${readMark(received, around)}${block}${reportLink(data.name)}</p></li>`
}

/** Renders a message, with what its sender or its recipient may do with it. */
const messageRow = (received: ReceivedMessage, around: Around): Html => {
  const { data } = received
  const { viewer } = around
  const isOwn = !viewer || data.author === viewer.name
  const reply = isOwn ? undefined : quietLink(`${conversationOf(data)}?reply=${data.name}#reply`, 'reply')
  const remove = renderIf(viewer && data.dest === viewer.name, () => act('delete', '/api/del_msg', data.name))
  const others = isOwn ? ownMarks(data, around) : html`${blockActs(data)}${muteActs(data, around)}${reportLink(data.name)}`
  return html`<li class="card letter" id="${data.name}">${heading(data, `${conversationOf(data)}#${data.name}`, data.subject)}
<p class="meta">${distinction(data)}${parties(data)} ${time(data.created_utc)}</p>
${textOf(data)}
<p class="acts">${reply}${readMark(received, around)}${remove}${viewer && foldAct(data)}${others}</p></li>`
}

const row = (received: Received, around: Around): Html =>
  received.kind === 't1' ? commentRow(received, around) : messageRow(received, around)

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

/** Renders a reason of reports, and how many gave it. */
const reasonRow = ([reason, times]: NonNullable<Message['user_reports']>[number]): Html =>
  html`<li>${reason ?? 'a reason that was withdrawn'}${renderIf(times > 1, () => html` <b>×${times}</b>`)}</li>`

const reportedRow = (message: Message, around: Around): Html => {
  const conversation = quietLink(`${conversationOf(message)}#${message.name}`, 'its conversation')
  const erase = quietLink(`${around.at.path}?erase=${message.name}#erase`, 'erase it…')
  return html`<li class="card letter" id="${message.name}"><h2>${message.subject}</h2>
<p class="meta">${distinction(message)}${parties(message)} ${time(message.created_utc)}</p>
<ul class="reports">${(message.user_reports ?? []).map(reasonRow)}</ul>
${renderText(message.body_html)}
<p class="acts">${conversation}${erase}</p></li>`
}

/** The page of the messages that were reported to the admins, with the form that erases one. */
export const reportedPage = pageFor('GET /message/reported', {
  title: () => 'Reported messages',
  tab: () => 'admin',
  robots: 'none',
  main: (shown) => {
    const { at, body } = shown
    const messages = body.data.children
    const named = messages.find(({ data }) => data.name === at.query.get('erase'))
    const form = renderIf(
      named,
      ({ data: { name, subject } }) =>
        html`<div id="erase">${eraseForm({ name, words: `‘${subject}’`, keep: at.path, dest: at.path }, shown)}</div>`,
    )
    const rows = html`<ol class="letters">${renderEach(messages, ({ data }) => reportedRow(data, shown))}</ol>`
    return html`${adminHead('/message/reported', 'Reported messages')}
${form}
${messages.length === 0 ? html`<p class="empty">Nobody has reported a message.</p>` : rows}
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

/** Returns the messages of a conversation, in their order. */
const listInOrder = (first: Wire<'MessageThing'>): readonly Wire<'MessageThing'>[] => [
  first,
  ...(first.data.replies === '' ? [] : first.data.replies.data.children.flatMap(listInOrder)),
]

/** The page of a conversation, with the form for a reply to its last message, or to the one that the address names. */
export const conversationPage = pageFor('GET /message/messages/{mid}', {
  title: ({ body }) => body.data.children[0]?.data.subject ?? 'Messages',
  robots: 'none',
  main: (shown) => {
    const messages = shown.body.data.children.flatMap(listInOrder)
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
