const MAX_CHARACTERS = 120

const FENCE = /^\s*(?:```|~~~)/
/** Matches lines that stay as they are: headings, tables, quotations, HTML, rules, and definitions of links. */
const UNWRAPPED = /^\s*(?:#|\||>|<|---|\[[^\]]+\]: |$)/
const ITEM = /^(\s*)((?:[-*+]|\d+\.)\s+)/
/** Matches the words of a paragraph. A code span and a link are never broken. */
const WORD = /(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`[]|\[|`)+/g

/** Matches a word that would begin a list, a heading or a quotation if a line began with it. */
const MARKUP = /^(?:[-*+#>|]|\d+[.)])$/

/** Returns the words of a text. A word that must not begin a line is one with the word before it. */
const wordsOf = (text: string): readonly string[] => {
  const words: string[] = []
  for (const word of text.match(WORD) ?? []) {
    if (words.length > 0 && MARKUP.test(word)) words.push(`${words.pop()} ${word}`)
    else words.push(word)
  }
  return words
}

const fill = (text: string, first: string, rest: string): readonly string[] => {
  const lines: string[] = []
  let line = first
  for (const word of wordsOf(text)) {
    const isEmpty = line === first || line === rest
    if (!isEmpty && line.length + 1 + word.length > MAX_CHARACTERS) {
      lines.push(line)
      line = rest + word
    } else line += isEmpty ? word : ` ${word}`
  }
  return [...lines, line]
}

/** Returns the lines of a paragraph or of an item of a list, filled anew if one of them is too long. */
const fillBlock = (block: readonly string[]): readonly string[] => {
  if (block.every((line) => line.length <= MAX_CHARACTERS)) return block
  const [head = '', ...others] = block
  const [mark = '', indent = '', bullet = ''] = ITEM.exec(head) ?? [/^\s*/.exec(head)?.[0], /^\s*/.exec(head)?.[0]]
  const text = [head.slice(mark.length), ...others.map((line) => line.trim())].join(' ')
  return fill(text, mark, indent + ' '.repeat(bullet.length))
}

/** Wraps the prose of a Markdown document at 120 characters. Paragraphs whose lines are short enough stay as they are. */
export const wrapProse = (page: string): string => {
  const lines: string[] = []
  let block: string[] = []
  let isCode = false
  const flush = () => {
    lines.push(...fillBlock(block))
    block = []
  }
  for (const line of page.split('\n')) {
    const isFence = FENCE.test(line)
    if (isCode || isFence || UNWRAPPED.test(line)) {
      flush()
      lines.push(line)
      if (isFence) isCode = !isCode
    } else {
      if (ITEM.test(line)) flush()
      block.push(line)
    }
  }
  flush()
  return lines.join('\n')
}
