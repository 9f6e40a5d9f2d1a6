import type MarkdownIt from 'markdown-it'

type Markdown = InstanceType<typeof MarkdownIt>
type Rule = Parameters<Markdown['inline']['ruler']['push']>[1]
type State = Parameters<Rule>[0]

/*
 * References: `/u/name` and `/s/name` as separate words, which become links. Each is read as a whole before emphasis, so that the underscores
 * of a name are not markup. The accounts that a comment mentions are those that its rendered text links to: there is no second grammar.
 */

/** Matches characters that join a name to the word before it, or belong to an address. */
const joined = String.raw`[\p{Script=Latin}\p{M}\p{N}/.\\?&#%@=+\-]`
/** A character of a name; an underscore may be escaped. */
const character = String.raw`(?:[A-Za-z0-9]|\\?[_\-])`
const afterName = String.raw`(?!\\?[_\-]|[\p{Script=Latin}\p{M}\p{N}])`
const segment = String.raw`(?:[\p{L}\p{M}\p{N}~%+]|\\?[_\-]|\.(?=[\p{L}\p{N}]))`
const path = `(?:/${segment}+)*/?`
const query = String.raw`(?:\?[\w.~%\-]+=[\w.~%=&+:\-]*)?(?:#[\w.~%\-]+)?`

const reference = new RegExp(
  String.raw`(?<!${joined})(?:(?<user>/?u/(?<name>${character}+)${afterName})|(?<subsite>/?s/(?<names>(?:[A-Za-z0-9]|\\?_)+(?:\+[A-Za-z0-9]\w{2,20})*)(?![\p{Script=Latin}\p{M}\p{N}_])))(?<tail>${path}${query})`,
  'uy',
)

/** Matches the places where a rule other than that for plain text may begin: at a character of markup, or at a reference. */
const markup = new RegExp(String.raw`[\n!#$%&*+\-:<=>@[\\\]^_${'`'}{}~]|(?<!${joined})/?[us]/`, 'gu')

const UNDERSCORE = 0x5f

/** Tells whether the underscore that was read last opens emphasis, which a reference may then begin. */
const opensEmphasis = ({ pending, delimiters }: State): boolean => {
  const last = delimiters.at(-1)
  return pending === '' && last?.marker === UNDERSCORE && last.open
}

/** The most marks of emphasis before a reference that are searched for one that the reference ends. */
const MAX_MARKS = 64

/** Returns the number of underscores that have opened emphasis and not closed it. */
const openUnderscores = ({ delimiters }: State): number =>
  delimiters
    .slice(-MAX_MARKS)
    .filter(({ marker }) => marker === UNDERSCORE)
    .reduce((open, { open: opens, close: closes }) => (closes && open > 0 ? open - 1 : opens ? open + 1 : open), 0)

/** Returns a text without the characters of a set at its end. */
const withoutEnd = (text: string, characters: string): string => {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}

/** Returns a reference without the underscores at its end that close emphasis opened before it. */
const withoutClosing = (state: State, text: string): string => {
  const closing = text.length - withoutEnd(text, '_').length
  if (closing === 0 || text.endsWith(String.raw`\_`)) return text
  return text.slice(0, text.length - Math.min(closing, openUnderscores(state)))
}

const removeBackslashes = (text: string): string => text.replaceAll('\\', '')

const isUsername = (name: string): boolean => /^[\w-]{3,20}$/.test(name)
/** Tells whether a text begins with the name of a subsite, to which others may be joined with `+`. */
const isSubsiteName = (names: string): boolean => /^[A-Za-z0-9]\w{2,20}(?:\+|$)/.test(names)

const linkReference: Rule = (state, silent) => {
  if (silent || state.linkLevel > 0) return false
  const before = state.src[state.pos - 1]
  if (before === '_' && !opensEmphasis(state)) return false
  reference.lastIndex = state.pos
  const { groups = {}, 0: whole = '' } = reference.exec(state.src) ?? {}
  const { user, subsite = '', tail = '' } = groups
  // s/old/new/ is a substitution, not a page of a subsite
  if (whole === '' || (subsite.startsWith('s') && tail.startsWith('/'))) return false
  const named = user ?? subsite
  const written = tail === '' ? withoutClosing(state, named) : withoutEnd(whole, '_~.:')
  const text = removeBackslashes(written)
  const [, name = ''] = /^\/?[us]\/([^/?#]*)/.exec(text) ?? []
  if (user === undefined ? isSubsiteName(name) : isUsername(name)) {
    state.push('link_open', 'a', 1).attrSet('href', text.startsWith('/') ? text : `/${text}`)
    state.push('text', '', 0).content = text
    state.push('link_close', 'a', -1)
  } else state.pending += text // no account or subsite has such a name
  state.pos += written.length
  return true
}

/** Adds the text up to where another rule may begin. */
const plainText: Rule = (state, silent) => {
  markup.lastIndex = state.pos
  const end = Math.min(markup.exec(state.src)?.index ?? state.posMax, state.posMax)
  if (end === state.pos) return false
  if (!silent) state.pending += state.src.slice(state.pos, end)
  state.pos = end
  return true
}

/** Makes references links. */
export const linkReferences = ({ inline: { ruler } }: Markdown): void => {
  ruler.at('text', plainText)
  ruler.after('text', 'reference', linkReference)
}

/** Characters that may follow an address in a sentence, or be markup around it (GFM, extended autolinks). */
const TRAILING = `?!.,:*_~'"`
const MAX_ENTITY_CHARACTERS = 32

/** Returns the length of an address in a text: without what follows it in a sentence, and without an entity such as `&gt;`. */
const addressLength = (text: string, start: number, length: number): number => {
  const address = withoutEnd(text.slice(start, start + length), TRAILING)
  if (text[start + address.length] !== ';') return address.length
  const entity = /&[A-Za-z0-9]+$/.exec(address.slice(-MAX_ENTITY_CHARACTERS))?.[0] ?? ''
  return withoutEnd(address.slice(0, address.length - entity.length), TRAILING).length
}

/** Ends bare addresses as GFM does. */
export const endAddresses = ({ linkify }: Markdown): void => {
  for (const scheme of ['http:', 'https:', 'ftp:'])
    linkify.add(scheme, {
      validate: (text, at, self) => {
        const validator = self.re.get_http_validator()
        validator.lastIndex = at
        const [address = ''] = validator.exec(text) ?? []
        return addressLength(text, at, address.length)
      },
    })
}

/** A link to a path of this site in HTML that the renderer made. */
const linkHere = /<a (?:title="[^"]*" )?href="(\/(?!\/)[^"]*)"/g

/** Returns the name of the account whose page, or a page below it, a browser opens from a link; undefined for any other link. */
const accountAt = (href: string): string | undefined => {
  try {
    const [, first, name = ''] = new URL(href, 'http://site').pathname.split('/', 3).map(decodeURIComponent)
    return first === 'u' && isUsername(name) ? name : undefined
  } catch {
    return undefined // no URL, or its path is no text in UTF-8
  }
}

/** Returns the names (lower case, each once) of the accounts that a rendered text links to. */
export const accountsLinkedIn = (html: string): readonly string[] => [
  ...new Set(Array.from(html.matchAll(linkHere), ([, href = '']) => accountAt(href)?.toLowerCase() ?? []).flat()),
]
