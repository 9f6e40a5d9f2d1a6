import { type Category, Feed, type Item } from 'feed'
import type { Context, Reply } from './endpoint.ts'
import { escapeHtml, html } from './html.ts'
import { splitTarget } from './incoming.ts'
import { stringify } from './json.ts'

/*
 * Feeds are made of the things that the same address answers as JSON: whatever a viewer may not see there is not in them, and a kind of
 * thing needs one line here to be in a feed.
 */

export const FEED_MEDIA = 'application/atom+xml'
const FEED_TYPE = `${FEED_MEDIA}; charset=UTF-8`

type Data = Readonly<Record<string, unknown>>
/** What a kind of thing says of itself; its text is HTML. */
type Entry = { readonly title: string; readonly link: string; readonly author: unknown; readonly text?: string; readonly subsite?: unknown }

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const words = (...some: readonly unknown[]): string => some.flatMap((one) => textIn(one) || []).join(' ')

const linkText = ({ author, subsite, permalink, url, selftext_html }: Data): string =>
  `${textIn(selftext_html)}${
    html`<p>submitted by /u/${textIn(author)} to ${textIn(subsite)} <a href="${textIn(url)}">[link]</a> <a href="${textIn(permalink)}">[comments]</a></p>`
      .text
  }`

const message = ({ id, author, subject, body_html, subsite }: Data): Entry => ({
  title: textIn(subject),
  link: `/message/messages/${textIn(id)}`,
  author,
  text: textIn(body_html),
  subsite,
})

const comment = (data: Data): Entry => ({
  title: words(`/u/${textIn(data.author)}`, 'on', data.link_title),
  link: textIn(data.permalink) || textIn(data.context),
  author: data.author,
  text: textIn(data.body_html),
  subsite: data.subsite,
})

const kinds: Readonly<Record<string, (data: Data) => Entry>> = {
  t1: comment,
  t4: (data) => ({ title: textIn(data.title), link: textIn(data.url), author: undefined, text: textIn(data.description_html) }),
  t5: (data) => ({ ...comment(data), title: textIn(data.title), text: linkText(data) }),
  t6: message,
  modaction: ({ subsite, mod, action, target_title, target_author, details, target_permalink }) => ({
    title: words(subsite, ':', mod, action, target_title || target_author, details),
    link: textIn(target_permalink) || `/s/${textIn(subsite)}/about/log`,
    author: mod,
    subsite,
  }),
}

/** Of a list of accounts: a name, an id and since when. */
const account = ({ name }: Data): Entry => ({ title: textIn(name), link: `/user/${textIn(name)}`, author: name })

/** What XML cannot hold, and the end of the section that the library puts text in. */
const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(']]>', ']]&gt;')

/** A URL as an attribute holds it. */
const address = (base: string, path: string): string => new URL(path, base).href.replace(/["<>']/g, encodeURIComponent)

const itemOf = (kind: string | undefined, data: Data, base: string): Item => {
  const { title, link, author, text, subsite } = (kind === undefined ? account : (kinds[kind] ?? account))(data)
  const isAccount = kind === undefined
  const name = textIn(author)
  const date = new Date(Number((isAccount ? data.date : data.created_utc) ?? 0) * 1000)
  const id = textIn(isAccount ? data.id : (data.name ?? data.id))
  return {
    title: xmlText(escapeHtml(title)),
    id: `tag:${new URL(base).hostname},2026:${id}`,
    link: address(base, link),
    date,
    ...(text !== undefined && text !== '' && { content: xmlText(text) }),
    ...(name !== '' &&
      name !== '[deleted]' && { author: [{ name: `/u/${xmlText(name)}`, link: address(base, `/user/${encodeURIComponent(name)}`) }] }),
    ...(textIn(subsite) !== '' && { category: [{ term: textIn(subsite), name: `/s/${textIn(subsite)}` } satisfies Category] }),
  }
}

/** The things of an answer, those in listings within it included, in their order. */
const itemsIn = (answer: unknown, base: string): readonly Item[] => {
  if (Array.isArray(answer)) return answer.flatMap((one) => itemsIn(one, base))
  if (typeof answer !== 'object' || answer === null) return []
  const { kind, data } = answer as { readonly kind?: string; readonly data?: Data }
  if (kind === 'Listing' || kind === 'UserList') return itemsIn(data?.children, base)
  if (kind === 'more') return []
  return [itemOf(kind, data ?? (answer as Data), base), ...itemsIn(data?.replies, base)]
}

/** What a listing, or a page made of listings, is as a feed; anything else stays what it is. `target`: path and query as asked for. */
export const feedReply = ({ config, site }: Context, target: string, reply: Reply): Reply => {
  if (reply.kind !== 'listing' && reply.kind !== 'json') return reply
  const answer = reply.kind === 'json' ? reply.body : { kind: 'Listing', data: { children: reply.children } }
  const base = config.publicUrl
  const items = itemsIn(JSON.parse(stringify(answer, 'unicode')), base)
  const subsite = site.kind === 'subsite' ? site.subsite : undefined
  const asked = new URL(base)
  // the base is ours, also where a client or a proxy asked with a whole address
  const { path = '/', search = '' } = splitTarget(target) ?? {}
  asked.pathname = path
  asked.search = search
  // who reads is no part of what a feed is
  for (const secret of ['user', 'feed']) asked.searchParams.delete(secret)
  const self = address(base, asked.href)
  asked.pathname = asked.pathname.replace(/\/?\.(rss|xml)$/, '') || '/'
  const feed = new Feed({
    id: self,
    title: xmlText(subsite ? subsite.settings.title || subsite.name : asked.pathname),
    link: address(base, asked.href),
    feedLinks: { atom: self },
    updated: new Date(Math.max(0, ...items.map(({ date }) => date.getTime()))),
    generator: 'Rostra',
    ...(subsite?.settings.public_description && { description: xmlText(subsite.settings.public_description) }),
  })
  if (subsite) feed.addCategory(subsite.name)
  for (const item of items) feed.addItem(item)
  return { kind: 'text', type: FEED_TYPE, body: feed.atom1(), ...(reply.fleeting && { fleeting: true }) }
}
