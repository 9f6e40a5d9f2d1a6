import type { Refusal } from './refusal.ts'

/** The most characters of each kind of text. The limits of reports, settings, rules and wiki pages stand with their aggregates. */
export const limits = {
  title: 300,
  selfText: 40_000,
  comment: 10_000,
  message: 10_000,
  subject: 100,
  /** The reason of a change to a wiki page or a stylesheet. */
  editReason: 256,
  /** The reason of the erasure of a thing. */
  erasureReason: 300,
  /** The note on a friend, a ban, a mute or a suspension. */
  note: 300,
  banReason: 100,
  banMessage: 1_000,
  flair: 64,
  multiName: 50,
  multiDescription: 10_000,
  appName: 100,
  appDescription: 1_000,
  /** An address that mail can be sent to (RFC 5321). */
  email: 254,
  /** The beginning of a subsite's name, and a topic of subsites. */
  nameQuery: 50,
  searchQuery: 512,
  /** The number of words in a search. */
  searchWords: 64,
} as const

/** Tells whether a text has more than `max` characters (code points, as people count them). */
export const isLongerThan = (max: number, text: string): boolean => text.length > max && (text.length > 2 * max || [...text].length > max)

/** Returns the first characters of a text. It never returns half a character, which could not be encoded. */
export const firstCharacters = (max: number, text: string): string =>
  text.length <= max ? text : [...text.slice(0, 2 * max)].slice(0, max).join('')

/** Matches texts that show nothing: white space, controls, characters that fonts and line breaking ignore, and glyphs without ink. */
const invisible = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2800\u{16fe4}\u{13441}\u{13442}\u{1d159}]*$/u

/** Tells whether a text shows nothing. Visible text may contain invisible characters, which join emoji and order words. */
export const isBlank = (text: string): boolean => invisible.test(text)

const NAMED_REFERENCES = [
  ...['Tab', 'NewLine', 'nbsp', 'NonBreakingSpace', 'ensp', 'emsp', 'emsp13', 'emsp14', 'numsp', 'puncsp', 'thinsp', 'ThinSpace', 'hairsp'],
  ...['VeryThinSpace', 'MediumSpace', 'ThickSpace', 'ZeroWidthSpace', 'NegativeVeryThinSpace', 'NegativeThinSpace', 'NegativeMediumSpace'],
  ...[
    'NegativeThickSpace',
    'zwnj',
    'zwj',
    'lrm',
    'rlm',
    'shy',
    'NoBreak',
    'af',
    'ApplyFunction',
    'it',
    'InvisibleTimes',
    'ic',
    'InvisibleComma',
  ],
]
const REFERENCE = new RegExp(`&(?:#(?<decimal>\\d{1,7})|#[xX](?<hex>[\\da-fA-F]{1,6})|(?:${NAMED_REFERENCES.join('|')}));`, 'g')

const withoutInvisibleReferences = (markdown: string): string =>
  markdown.replace(REFERENCE, (reference, decimal?: string, hex?: string) => {
    if (decimal === undefined && hex === undefined) return ''
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff && isBlank(String.fromCodePoint(code)) ? '' : reference
  })

/** Tells whether Markdown shows nothing: it has only invisible characters and references to them, such as `&#8203;`. Code shows references. */
const isBlankMarkdown = (markdown: string): boolean =>
  isBlank(markdown) || (!/^(?: {4}| {0,3}\t)/m.test(markdown) && isBlank(withoutInvisibleReferences(markdown)))

/** Returns `NO_TEXT` for Markdown that shows nothing, and `TOO_LONG` naming the limit. */
export const checkMarkdown = (markdown: string, max: number, field: string): Refusal | undefined =>
  isBlankMarkdown(markdown) ? { code: 'NO_TEXT', field } : checkLength(markdown, max, field)

/** Refuses a text that shows nothing with `NO_TEXT`, and a longer one with `TOO_LONG`, which names the limit. */
export const checkText = (text: string, max: number, field: string): Refusal | undefined => {
  if (isBlank(text)) return { code: 'NO_TEXT', field }
  return checkLength(text, max, field)
}

/** Checks a text of one line whose white space is folded: refuses control characters with `BAD_STRING`, the rest like `checkText`. */
export const checkLine = (line: string, max: number, field: string): Refusal | undefined =>
  hasControl(line) ? { code: 'BAD_STRING', field } : checkText(line, max, field)

/** Tells whether a line has a control character. */
export const hasControl = (line: string): boolean => /\p{Cc}/u.test(line)

/** Tells whether a text of several lines has a control character of ASCII other than tabs and line ends. */
export const isUnprintable = (text: string): boolean => /[[\p{Cc}&&\p{ASCII}]--[\t\n\r]]/v.test(text)

/** Folds runs of white space to one space and removes those at the ends. */
export const foldLine = (text: string): string => text.replace(/\s+/gu, ' ').trim()

export const checkLength = (text: string, max: number, field: string): Refusal | undefined =>
  isLongerThan(max, text) ? { code: 'TOO_LONG', field, text: `this is too long (max: ${max})` } : undefined
