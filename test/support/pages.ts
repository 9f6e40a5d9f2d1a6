import { readFile } from 'node:fs/promises'
import MarkdownIt from 'markdown-it'

/** The root of the project, with a slash at its end. */
export const root = new URL('../../', import.meta.url).pathname

export const textOf = (file: string): Promise<string> => readFile(`${root}${file}`, 'utf8')

type Heading = { readonly level: number; readonly text: string; readonly anchor: string }
type Link = { readonly text: string; readonly target: string }

export type Page = { readonly headings: readonly Heading[]; readonly links: readonly Link[] }

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')

/** Returns the headings of a page of markdown, and the links in its text. */
export const pageOf = (text: string): Page => {
  const tokens = new MarkdownIt().parse(text, {})
  const headings = tokens.flatMap(({ type, tag }, index) => {
    if (type !== 'heading_open') return []
    const words = (tokens[index + 1]?.children ?? []).map(({ content }) => content).join('')
    return [{ level: Number(tag.slice(1)), text: words, anchor: anchorOf(words) }]
  })
  const links = tokens.flatMap(({ children }) => {
    const inline = children ?? []
    return inline.flatMap((token, index) =>
      token.type === 'link_open' ? [{ text: inline[index + 1]?.content ?? '', target: String(token.attrGet('href')) }] : [],
    )
  })
  return { headings, links }
}
