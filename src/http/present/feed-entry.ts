import { html, url } from '../wire/html.ts'

type Data = Readonly<Record<string, unknown>>

/** A record in a feed; its text is HTML. */
export type FeedEntry = {
  readonly title: string
  readonly link: string
  readonly author: unknown
  readonly text?: string
  readonly subsite?: unknown
  /** Absent: the record's `name`, or its `id` if it has none. */
  readonly id?: unknown
  /** Seconds since 1970; absent: the record's `created_utc`. */
  readonly date?: unknown
}

/** A record of one kind, as the responses have it, as an entry of a feed. */
export type FeedPresenter = (data: Data) => FeedEntry

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const words = (...parts: readonly unknown[]): string => parts.flatMap((one) => textIn(one) || []).join(' ')

const linkText = ({ author, subsite, permalink, url: address, selftext_html }: Data): string =>
  `${textIn(selftext_html)}${
    html`<p>submitted by /u/${textIn(author)} to ${textIn(subsite)} <a href="${url(textIn(address))}">[link]</a> <a href="${url(textIn(permalink))}">[comments]</a></p>`
      .text
  }`

export const messageEntry: FeedPresenter = ({ id, author, subject, body_html, subsite }) => ({
  title: textIn(subject),
  link: `/message/messages/${textIn(id)}`,
  author,
  text: textIn(body_html),
  subsite,
})

export const commentEntry: FeedPresenter = (data) => ({
  title: words(`/u/${textIn(data.author)}`, 'on', data.link_title),
  link: textIn(data.permalink) || textIn(data.context),
  author: data.author,
  text: textIn(data.body_html),
  subsite: data.subsite,
})

export const linkEntry: FeedPresenter = (data) => ({ ...commentEntry(data), title: textIn(data.title), text: linkText(data) })

export const subsiteEntry: FeedPresenter = ({ title, url, description_html }) => ({
  title: textIn(title),
  link: textIn(url),
  author: undefined,
  text: textIn(description_html),
})

export const accountEntry: FeedPresenter = ({ name }) => ({ title: textIn(name), link: `/user/${textIn(name)}`, author: name })

/** Returns a row of a list of accounts, whose date is that of the relationship. */
export const accountRowEntry: FeedPresenter = ({ id, date, ...account }) => ({ ...accountEntry(account), id, date })

type ChangedField = { readonly field: string; readonly before: unknown; readonly after: unknown }
const changeText = ({ field, before, after }: ChangedField): string =>
  html`<li>${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}</li>`.text

const modActionText = ({ description, changes }: Data): string => {
  const changed = (changes as readonly ChangedField[]).map(changeText).join('')
  return `${description ? html`<p>${textIn(description)}</p>`.text : ''}${changed && `<ul>${changed}</ul>`}`
}

export const modActionEntry: FeedPresenter = ({
  subsite,
  mod,
  action,
  target_title,
  target_author,
  details,
  target_permalink,
  ...more
}) => ({
  title: words(subsite, ':', mod, action, target_title || target_author, details),
  text: modActionText(more),
  link: textIn(target_permalink) || `/s/${textIn(subsite)}/about/log`,
  author: mod,
  subsite,
})

export const FEED_MEDIA_TYPE = 'application/atom+xml'
