import { anchorOf } from './guide-markdown.ts'

/** The part of a document below one heading. */
type GuideSection = {
  readonly page: string
  readonly title: string
  readonly heading: string
  readonly id: string
  readonly text: string
  readonly words: string
}

/** A place in the guides where all words of a question stand. */
type GuideHit = Pick<GuideSection, 'page' | 'title' | 'heading' | 'id'> & { readonly snippet: string }
type GuideHits = { readonly hits: readonly GuideHit[]; readonly total: number }

const MAX_HITS = 30
const SNIPPET_CHARACTERS = 200

/** Returns a heading as its page shows it. */
const headingText = (line: string): string =>
  line
    .replace(/^#+ /, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')

/** Splits a document at its headings; a line with `#` within an example is none. */
export const splitAtHeadings = (page: string, document: string): readonly GuideSection[] => {
  const parts: { heading: string; lines: string[] }[] = []
  let isExample = false
  for (const line of document.split('\n')) {
    if (line.startsWith('```')) isExample = !isExample
    if (!isExample && /^#{1,3} /.test(line)) parts.push({ heading: headingText(line), lines: [] })
    else if (!line.startsWith('```')) parts.at(-1)?.lines.push(line)
  }
  const title = parts[0]?.heading ?? ''
  return parts.map(({ heading, lines }) => {
    const text = lines
      .join(' ')
      .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replaceAll(/[`*|]|\s-{3,}/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return { page, title, heading, id: anchorOf(heading), text, words: `${heading} ${title} ${text}`.toLowerCase() }
  })
}

const snippetOf = ({ text }: GuideSection, word: string): string => {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - SNIPPET_CHARACTERS / 4)
  const from = at === 0 ? 0 : text.indexOf(' ', at) + 1
  const piece = text.slice(from, from + SNIPPET_CHARACTERS)
  return `${from > 0 ? '… ' : ''}${piece}${from + SNIPPET_CHARACTERS < text.length ? ' …' : ''}`
}

/** Finds the parts in which all words stand: those first whose heading has them, in the order of the guides otherwise. */
export const searchParts = (parts: readonly GuideSection[], question: string): GuideHits => {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean)
  const [first] = words
  if (first === undefined) return { hits: [], total: 0 }
  const matching = parts.filter((part) => words.every((word) => part.words.includes(word)))
  const inHeading = ({ heading }: GuideSection) => words.filter((word) => heading.toLowerCase().includes(word)).length
  const hits = matching
    .toSorted((one, other) => inHeading(other) - inHeading(one))
    .slice(0, MAX_HITS)
    .map((part) => ({ page: part.page, title: part.title, heading: part.heading, id: part.id, snippet: snippetOf(part, first) }))
  return { hits, total: matching.length }
}
