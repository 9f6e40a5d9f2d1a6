import MarkdownIt from 'markdown-it'
import sanitize from 'sanitize-html'
import { firstCharacters } from '../../domain/text-limits.ts'
import { escapeHtml } from '../wire/html.ts'
import { endAddresses, linkReferences } from './references.ts'

type Markdown = InstanceType<typeof MarkdownIt>
type Rule = Parameters<Markdown['core']['ruler']['push']>[1]

const allowedUrl = /^(?:https?:|ftp:|mailto:|\/|#|\?|[^:]*$)/i

const alignment = /^text-align:(left|center|right)$/
const alignCells: Rule = (state) => {
  for (const token of state.tokens) {
    const align = alignment.exec(String(token.attrGet('style') ?? ''))?.[1]
    if (align !== undefined) token.attrs = [['align', align]]
  }
}

const renderer = (): Markdown => {
  const markdown = new MarkdownIt({ html: false, linkify: true })
  // an image would make the browser of every viewer send a request to a server of the author's choice
  markdown.disable('image')
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false })
  const safeLink = markdown.validateLink
  markdown.validateLink = (url) => safeLink(url) && allowedUrl.test(url.trim())
  linkReferences(markdown)
  endAddresses(markdown)
  markdown.core.ruler.push('alignment', alignCells)
  return markdown
}

const markdown = renderer()
const withoutTables = renderer().disable('table')

const MAX_TABLE_CELLS = 5000

/** Short rows of a wide table are padded with empty cells: a small text could produce a huge table. */
const cellsOf = (text: string): number => {
  const lines = text.split('\n')
  const columns = lines.reduce((most, line) => (/^[\s|:-]+$/.test(line) ? Math.max(most, line.split('|').length) : most), 0)
  return columns * lines.length
}

const allowed: sanitize.IOptions = {
  allowedTags: [
    'p',
    'br',
    'hr',
    'a',
    'em',
    'strong',
    's',
    'code',
    'pre',
    'blockquote',
    'ul',
    'ol',
    'li',
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'table',
    'thead',
    'tbody',
    'tr',
    'th',
    'td',
  ],
  allowedAttributes: { a: ['href', 'title', 'rel'], ol: ['start'], th: ['align'], td: ['align'] },
  allowedSchemes: ['http', 'https', 'ftp', 'mailto'],
  transformTags: {
    a: (tagName, { href = '', ...attributes }) => ({
      tagName,
      attribs: { ...attributes, href, ...(!/^\/(?!\/)/.test(href) && { rel: 'nofollow' }) },
    }),
  },
}

/** Safe HTML of a text. Takes time in proportion to it, as far as is known: some 3 ms for 1,000 characters that are made to be slow. */
export const render = (text: string): string =>
  sanitize((cellsOf(text) > MAX_TABLE_CELLS ? withoutTables : markdown).render(text), allowed).trim()

type Heading = { readonly level: string; readonly id: string; readonly title: string }

/** Headings of a page that get an anchor and an entry in its table of contents. */
const MAX_HEADINGS = 500
const MAX_ANCHOR_CHARACTERS = 60

const anchorOf = (title: string): string =>
  `wiki_${firstCharacters(
    MAX_ANCHOR_CHARACTERS,
    title
      .toLowerCase()
      .replace(/\s+/g, '_')
      .replace(/[^\p{L}\p{N}_-]/gu, ''),
  )}`

/** Gives headings unique anchors, and lists them in `env.headings`. */
const nameHeadings: Rule = ({ tokens, env }) => {
  const used = new Map<string, number>()
  const headings: Heading[] = []
  tokens.forEach((token, index) => {
    if (token.type !== 'heading_open' || headings.length === MAX_HEADINGS) return
    const title = (tokens[index + 1]?.children ?? []).map(({ content }) => content).join('')
    const anchor = anchorOf(title)
    const count = used.get(anchor) ?? 0
    used.set(anchor, count + 1)
    const id = count === 0 ? anchor : `${anchor}.${count}`
    token.attrSet('id', id)
    headings.push({ level: token.tag, id, title })
  })
  Object.assign(env as object, { headings })
}

const ofWiki = (one: Markdown): Markdown => {
  one.core.ruler.push('headings', nameHeadings)
  return one
}

const wikiMarkdown = ofWiki(renderer())
const wikiWithoutTables = ofWiki(renderer().disable('table'))

const headingTags = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6']
const allowedInWiki: sanitize.IOptions = {
  ...allowed,
  allowedAttributes: { ...allowed.allowedAttributes, ...Object.fromEntries(headingTags.map((tag) => [tag, ['id']])) },
}

const contentsOf = (headings: readonly Heading[]): string => {
  if (headings.length === 0) return ''
  const items = headings.map(
    ({ level, id, title }) => `<li class="toc_${level}"><a href="#${escapeHtml(encodeURIComponent(id))}">${escapeHtml(title)}</a></li>`,
  )
  return `<div class="toc"><ul>${items.join('')}</ul></div>\n`
}

/** Safe HTML of a wiki page: headings have anchors, which a table of contents at the top lists. */
const renderWiki = (text: string): string => {
  const env: { readonly headings?: readonly Heading[] } = {}
  const body = sanitize((cellsOf(text) > MAX_TABLE_CELLS ? wikiWithoutTables : wikiMarkdown).render(text, env), allowedInWiki).trim()
  return `${contentsOf(env.headings ?? [])}${body}`
}

/** The kind of a text: a wiki page, or anything else that accounts post. */
export type Flavour = 'post' | 'wiki'

export const renderAs = (flavour: Flavour, text: string): string => (flavour === 'wiki' ? renderWiki(text) : render(text))
