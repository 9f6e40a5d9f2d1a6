/** With more names than this nobody is notified. */
const MAX_MENTIONS = 3

const fenced = /^ {0,3}(```|~~~)[\s\S]*?(?:^ {0,3}\1|(?![\s\S]))/gmu
const indented = /^(?: {4}|\t).*$/gmu
const span = /(`+)[^`][\s\S]*?\1/gu
const mention = /(?<![\w/.-])\/?u\/([A-Za-z0-9_-]{3,20})(?![\w-])/gu

/** The names (lower case, each once) that a text mentions as `/u/name` or `u/name` outside code; none when there are too many. */
export const mentionedNames = (markdown: string): readonly string[] => {
  const prose = markdown.replace(fenced, '').replace(indented, '').replace(span, '')
  const names = new Set(Array.from(prose.matchAll(mention), ([, name = '']) => name.toLowerCase()))
  return names.size > MAX_MENTIONS ? [] : [...names]
}
