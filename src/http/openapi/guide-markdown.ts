import MarkdownIt from 'markdown-it'
import { escapeHtml } from '../wire/html.ts'

type Token = ReturnType<InstanceType<typeof MarkdownIt>['parse']>[number]

/** Returns the address that a link or a picture of a document leads to; undefined if nothing is served there. */
export type Resolve = (target: string) => string | undefined

/** A heading of the second level, and those of the third below it. */
export type Contents = readonly { readonly heading: Heading; readonly entries: readonly Heading[] }[]
type Heading = { readonly id: string; readonly text: string }
export type GuideText = { readonly title: string; readonly lead: string; readonly body: string; readonly contents: Contents }
type NavigationLink = { readonly text: string; readonly target: string }
/** A heading of the index, and the links below it. */
export type Navigation = readonly { readonly heading: string; readonly links: readonly NavigationLink[] }[]

const markdown = new MarkdownIt({ html: false })
markdown.renderer.rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
markdown.renderer.rules.table_close = () => '</table></div>\n'

/** Returns a plain cell in place of an empty heading, such as the corner of a table. */
const toCellTag = (token: Token | undefined, tag: string): string =>
  token?.content === '' ? (tag.startsWith('</') ? '</td>' : '<td>') : tag
markdown.renderer.rules.th_open = (tokens, index) => toCellTag(tokens[index + 1], '<th scope="col">')
markdown.renderer.rules.th_close = (tokens, index) => toCellTag(tokens[index - 1], '</th>')

/** Renders an example that can be focused, so that the keyboard can scroll one that is wider than the page. */
const renderExample = (content: string): string => `<pre tabindex="0"><code>${escapeHtml(content)}</code></pre>\n`
markdown.renderer.rules.fence = (tokens, index) => renderExample(tokens[index]?.content ?? '')
markdown.renderer.rules.code_block = markdown.renderer.rules.fence

/** Gives the heading of an error code two anchors: the code, which `documentation_url` names, and the anchor of code hosts. */
markdown.renderer.rules.heading_open = (tokens, index, options, _, self) => {
  const id = String(tokens[index]?.attrGet('id') ?? '')
  const other = id.toLowerCase()
  return `${other === id ? '' : `<span id="${other}"></span>`}${self.renderToken(tokens, index, options)}`
}

const wordsOf = (token: Token | undefined): string => (token?.children ?? []).map(({ content }) => content).join('')

/** Returns the anchor that code hosts give a heading, so that the same links work there. */
const toHostAnchor = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

const isCode = (text: string): boolean => /^[A-Z][A-Z0-9_]+$/.test(text)

/** Returns the anchor of a heading. An error code is its own anchor. */
export const anchorOf = (text: string): string => (isCode(text) ? text : toHostAnchor(text))

const setAnchors = (tokens: readonly Token[]): void => {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const words = wordsOf(tokens[index + 1])
    token.attrSet('id', anchorOf(words))
  }
}

/** Replaces a link to a page that is not served by its text. */
const resolveLinks = (tokens: readonly Token[], resolve: Resolve): void => {
  for (const token of tokens.flatMap(({ children }) => children ?? [])) {
    const attribute = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : undefined
    if (attribute === undefined) continue
    const target = resolve(String(token.attrGet(attribute)))
    if (target === undefined) token.attrs = []
    else token.attrSet(attribute, target)
  }
}

const contentsOf = (tokens: readonly Token[]): Contents => {
  const sections: { heading: Heading; entries: Heading[] }[] = []
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const heading = { id: String(token.attrGet('id')), text: wordsOf(tokens[at + 1]) }
    if (token.tag === 'h2') sections.push({ heading, entries: [] })
    if (token.tag === 'h3') sections.at(-1)?.entries.push(heading)
  }
  return sections
}

/**
 * Renders a document of this project as HTML: `lead` is its title, `body` the rest. Texts of users are rendered by
 * src/http/present/markdown.ts.
 */
export const renderDocument = (text: string, resolve: Resolve): GuideText => {
  const tokens = markdown.parse(text, {})
  const title = wordsOf(tokens[tokens.findIndex(({ type }) => type === 'heading_open') + 1])
  setAnchors(tokens)
  resolveLinks(tokens, resolve)
  const endOfTitle = tokens.findIndex(({ type, tag }) => type === 'heading_close' && tag === 'h1') + 1
  const render = (part: Token[]) => markdown.renderer.render(part, markdown.options, {})
  return { title, lead: render(tokens.slice(0, endOfTitle)), body: render(tokens.slice(endOfTitle)), contents: contentsOf(tokens) }
}

/** Returns the links of the index below its headings of the second level. */
export const navigationOf = (index: string, resolve: Resolve): Navigation => {
  const tokens = markdown.parse(index, {})
  resolveLinks(tokens, resolve)
  const parts: { heading: string; links: NavigationLink[] }[] = []
  for (const [at, { type, tag, children }] of tokens.entries()) {
    if (type === 'heading_open' && tag === 'h2') parts.push({ heading: wordsOf(tokens[at + 1]), links: [] })
    for (const [place, token] of (children ?? []).entries())
      if (token.type === 'link_open')
        parts.at(-1)?.links.push({ text: children?.[place + 1]?.content ?? '', target: String(token.attrGet('href')) })
  }
  return parts
}
