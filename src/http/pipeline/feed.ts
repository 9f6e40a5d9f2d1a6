// Decision 61.

import { type Category, Feed, type Item } from 'feed'
import { mayBeUsername } from '../../domain/names.ts'
import type { Context } from '../contract/endpoint.ts'
import type { Reply } from '../contract/handler-response.ts'
import { splitTarget } from '../contract/incoming.ts'
import { FEED_MEDIA_TYPE, textIn } from '../present/feed-entry.ts'
import { feedPresenterOf } from '../things/kinds/all.ts'
import { escapeHtml } from '../wire/html.ts'
import { toPlain } from '../wire/json-writing.ts'
import { inSlices } from '../wire/time-slices.ts'

/*
 * Makes a feed from the JSON of the same address. So it contains nothing that the viewer may not see, and a new kind of thing needs one
 * entry in the table of kinds. That JSON is parsed, since links and comments exist only as text, of which many responses share parts.
 */
const SERVICE = 'Rostra'
const FEED_TYPE = `${FEED_MEDIA_TYPE}; charset=UTF-8`

type Data = Readonly<Record<string, unknown>>

/** Returns a text without the characters that XML forbids. */
const xmlText = (text: string): string => text.toWellFormed().replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')

/** Returns a text of a feed itself. The library takes `&amp;` in it for an escaped ampersand, so each ampersand is escaped. */
const headText = (text: string): string => xmlText(text).replaceAll('&', '&amp;')

/** Returns HTML of an entry, with the mark escaped that would end the CDATA section around it. */
const entryHtml = (html: string): string => xmlText(html).replaceAll(']]>', ']]&gt;')

/** Returns an absolute URL, escaped for an attribute. */
const address = (base: string, path: string): string => new URL(path, base).href.replace(/["<>']/g, encodeURIComponent)

const itemOf = (kind: string | undefined, data: Data, base: string): Item => {
  const entry = feedPresenterOf(kind)(data)
  const { title, link, author, text, subsite } = entry
  const name = textIn(author)
  const date = new Date(Number(entry.date ?? data.created_utc ?? 0) * 1000)
  const id = textIn(entry.id ?? data.name ?? data.id)
  return {
    title: entryHtml(escapeHtml(title)),
    // an IPv6 address stands in brackets, which are not allowed here
    id: `tag:${new URL(base).hostname.replace(/[[\]]/g, '')},2026:${id}`,
    link: address(base, link),
    date,
    ...(text !== undefined && text !== '' && { content: entryHtml(text) }),
    ...(mayBeUsername(name) && {
      author: [{ name: `/u/${name}`, link: address(base, `/user/${name}`) }],
    }),
    ...(textIn(subsite) !== '' && { category: [{ term: textIn(subsite), name: `/s/${textIn(subsite)}` } satisfies Category] }),
  }
}

/** Returns the things of a response in order, including those in nested listings. */
const itemsIn = (answer: unknown, base: string, thread: string): readonly Item[] => {
  if (Array.isArray(answer)) return answer.flatMap((one) => itemsIn(one, base, thread))
  if (typeof answer !== 'object' || answer === null) return []
  const { kind, data } = answer as { readonly kind?: string; readonly data?: Data }
  if (kind === 'Listing' || kind === 'UserList') return itemsIn(data?.children, base, thread)
  if (kind === 'more') return []
  return [itemOf(kind, { link_title: thread, ...(data ?? (answer as Data)) }, base), ...itemsIn(data?.replies, base, thread)]
}

/** Yields the things of a reply, one by one. Anything but a listing is one thing. */
const thingsOf = (reply: Extract<Reply, { readonly kind: 'listing' | 'json' }>): readonly unknown[] =>
  reply.kind === 'json' ? [reply.body] : [...(reply.lead ?? []), ...reply.children]

/** Returns the title of the link whose thread a reply is. Its comments do not repeat it. */
const threadOf = (reply: Reply): string =>
  reply.kind === 'listing' && reply.lead?.[0] !== undefined ? textIn((toPlain(reply.lead[0]) as { readonly data?: Data }).data?.title) : ''

const END = '</feed>'

/** Rewrites the first time in a text as readers of this interface know it. The library writes it with fractions of seconds and `Z`. */
const rewriteTime = (xml: string): string => xml.replace(/(<updated>[^<.]*)\.\d+Z(<\/updated>)/, '$1+00:00$2')

/** Adds the parts that the library does not write: the type of the feed's own address, and the label of the category. */
const headOf = (feed: Feed, subsite: string | undefined): string =>
  rewriteTime(feed.atom1())
    .replace('<link rel="self" ', `<link rel="self" type="${FEED_MEDIA_TYPE}" `)
    .replace(`<category term="${subsite}"`, `<category term="${subsite}" label="/s/${subsite}"`)

/**
 * Returns an entry as XML. The library makes whole feeds only, which take long with long entries. So a feed of this entry alone is made,
 * and the entry cut out.
 */
const entryOf = (item: Item): string => {
  const alone = new Feed({ id: '', title: '' })
  alone.addItem(item)
  const xml = alone.atom1()
  return `    ${rewriteTime(xml.slice(xml.indexOf('<entry>'), xml.lastIndexOf(END)))}`
}

/** Converts a listing, or a page of listings, to a feed. Any other body is unchanged. `target` is the path and query of the request. */
export const feedReply = async ({ config, site }: Context, target: string, reply: Reply): Promise<Reply> => {
  if (reply.kind !== 'listing' && reply.kind !== 'json') return reply
  const base = config.publicUrl
  const items: Item[] = []
  const thread = threadOf(reply)
  await inSlices(thingsOf(reply), (thing) => items.push(...itemsIn(toPlain(thing), base, thread)))
  const entries: string[] = []
  await inSlices(items, (item) => entries.push(entryOf(item)))
  const subsite = site.kind === 'subsite' ? site.subsite : undefined
  const requested = new URL(base)
  // use our base, even if a client or a proxy sent an absolute address
  const { path = '/', search = '' } = splitTarget(target) ?? {}
  requested.pathname = path
  requested.search = search
  // the credentials of a private feed must not be in the feed
  for (const secret of ['user', 'feed']) requested.searchParams.delete(secret)
  const self = address(base, requested.href)
  requested.pathname = requested.pathname.replace(/\/?\.(rss|xml)$/, '') || '/'
  const feed = new Feed({
    id: headText(self),
    title: headText(subsite ? subsite.settings.title || subsite.name : requested.pathname),
    // the author of entries without one of their own, and of a feed without entries (RFC 4287 §4.1.1)
    author: subsite ? { name: `/s/${subsite.name}`, link: address(base, `/s/${subsite.name}`) } : { name: SERVICE, link: base },
    link: address(base, requested.href),
    feedLinks: { atom: self },
    updated: new Date(Math.max(0, ...items.map(({ date }) => date.getTime()))),
    generator: SERVICE,
    ...(subsite?.settings.public_description && { description: headText(subsite.settings.public_description) }),
  })
  if (subsite) feed.addCategory(subsite.name)
  // addresses in texts are relative to the site
  const head = headOf(feed, subsite?.name).replace('<feed ', `<feed xml:base="${address(base, '/')}" `)
  const body = `${head.slice(0, head.lastIndexOf(END))}${entries.join('')}${END}`
  return { kind: 'text', type: FEED_TYPE, body, ...(reply.fleeting && { fleeting: true }) }
}
