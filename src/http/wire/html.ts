/** Rows that are rendered when the page around them is written. */
class Rows {
  readonly render: () => Iterable<Html | undefined>

  constructor(render: () => Iterable<Html | undefined>) {
    this.render = render
  }
}

/** Markup that is safe to send as it is: a text, or texts with rows between them. */
export class Html {
  readonly content: string | readonly (string | Rows)[]

  constructor(content: Html['content']) {
    this.content = content
  }

  /** Returns the whole text, rendered in one go. */
  get text(): string {
    return typeof this.content === 'string' ? this.content : [...this.pieces()].join('')
  }

  /** Renders the text piece by piece: each row is at least one. */
  *pieces(): Generator<string, undefined> {
    if (typeof this.content === 'string') return void (yield this.content)
    for (const part of this.content)
      if (typeof part === 'string') yield part
      else for (const row of part.render()) if (row) yield* row.pieces()
  }
}

/** Returns a list of any length as markup. Other requests get their turn between its rows (`renderInSlices`). */
export const renderEach = <Item>(items: readonly Item[], row: (item: Item, index: number) => Html | undefined): Html =>
  new Html([
    new Rows(function* () {
      for (const [index, item] of items.entries()) yield row(item, index)
    }),
  ])

/** An address that a page may lead to: http, https, or a path or a fragment of this site. Any other becomes `about:blank#blocked`. */
export class Url {
  readonly text: string

  constructor(text: string) {
    this.text = /^(?:https?:\/\/|\/(?![/\\])|#|$)/i.test(text) && !/[\t\n\r]/.test(text) ? text : 'about:blank#blocked'
  }
}

export const url = (text: string): Url => new Url(text)

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => entities[character] ?? character) : text

/** A value of a template. Undefined leaves no trace. */
export type TemplateValue = Html | Url | string | number | undefined | readonly (Html | undefined)[]

/** The place of a value: between tags, in a quoted attribute, or as the address in one. */
type ValuePlace = 'text' | 'value' | 'url'

/** The state of reading a template up to a value. `tag` is the open tag so far, without the values of its attributes. */
type State = { inside: 'text' | 'tag' | 'value' | 'raw' | 'comment'; tag: string; value: string }

const takesUrl = /^(?:href|src|action|formaction)$/i
/** Matches attributes that run, style or load something, or hold several addresses: they take no values at all. */
const refusedAttribute = /^(?:on\w+|style|srcdoc|srcset|poster|data|cite|ping|background|manifest|http-equiv|xlink:href)$/i
/** Matches an address that stays within this site, whatever follows. */
const withinSite = /^(?:#|\/[\w-])/
const rawElement = /^(?:script|style|xmp|iframe|noembed|noframes|noscript|plaintext)(?=[\s/>]|$)/i

const afterTag = (tag: string): State['inside'] => (rawElement.test(tag) ? 'raw' : 'text')

/** Reads one string of a template. The state then tells the place of the value that follows it. */
const read = (state: State, text: string): void => {
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (state.inside === 'comment') {
      if (text.startsWith('-->', at)) state.inside = 'text'
    } else if (state.inside === 'raw') {
      if (text.startsWith('</', at)) Object.assign(state, { inside: 'tag', tag: '' })
    } else if (state.inside === 'value') {
      if (character === '"') state.inside = 'tag'
      else state.value += character
    } else if (state.inside === 'tag') {
      if (character === '"') Object.assign(state, { inside: 'value', value: '' })
      else if (character === "'") throw new Error(`a single-quoted attribute near ${text}`)
      else if (character === '>') state.inside = afterTag(state.tag)
      else state.tag += character
    } else if (text.startsWith('<!--', at)) state.inside = 'comment'
    else if (character === '<' && (at + 1 === text.length || /[a-z/!?]/i.test(text.charAt(at + 1))))
      Object.assign(state, { inside: 'tag', tag: '' })
  }
}

/** Returns the place of the value after a string. Throws where no value may stand. */
const placeIn = ({ inside, tag, value }: State, near: string): ValuePlace => {
  if (inside === 'text') return 'text'
  if (inside !== 'value') throw new Error(`a value inside a ${inside} after ${near}`)
  const attribute = /([^\s"'<>/=]+)=$/.exec(tag)?.[1]
  if (attribute === undefined || refusedAttribute.test(attribute) || /http-equiv/i.test(tag))
    throw new Error(`a value inside an attribute after ${near}`)
  if (!takesUrl.test(attribute)) return 'value'
  if (value === '') return 'url'
  if (withinSite.test(value)) return 'value'
  throw new Error(`a part of an address after ${near}`)
}

const placesOf = (strings: TemplateStringsArray): readonly ValuePlace[] => {
  const state: State = { inside: 'text', tag: '', value: '' }
  const places: ValuePlace[] = []
  strings.forEach((text, index) => {
    read(state, text)
    if (index === strings.length - 1) return
    places.push(placeIn(state, text.slice(-40)))
    // the value fills the attribute, so no address may follow it
    if (state.inside === 'value') state.value += ' '
  })
  if (state.inside !== 'text') throw new Error(`a template ends inside a ${state.inside}: ${strings.at(-1)}`)
  return places
}

/** The places of each template; the array of its strings is one object for each place in the code. */
const known = new WeakMap<TemplateStringsArray, readonly ValuePlace[]>()

/** Returns a value as text; undefined if it is markup. */
const writeValue = (part: TemplateValue, place: ValuePlace): string | undefined => {
  if (place === 'url') {
    if (part instanceof Url) return escapeHtml(part.text)
    throw new Error('an address must be a Url')
  }
  if (part === undefined) return ''
  if (typeof part === 'string') return escapeHtml(part)
  if (typeof part === 'number') return String(part)
  if (part instanceof Url) return escapeHtml(part.text)
  if (place !== 'text') throw new Error('markup inside an attribute')
  return undefined
}

/**
 * Builds markup from a template whose values are escaped unless they are markup themselves. Values may stand between tags and in
 * double-quoted attributes. The first use of a template finds the place of each, and throws for any other place. An attribute with an
 * address takes a `Url`.
 */
export const html = (strings: TemplateStringsArray, ...parts: readonly TemplateValue[]): Html => {
  let places = known.get(strings)
  if (!places) {
    places = placesOf(strings)
    known.set(strings, places)
  }
  let text = strings[0] ?? ''
  /** The parts before `text`, once rows stand among them. */
  let before: (string | Rows)[] | undefined
  const write = ({ content }: Html) => {
    if (typeof content === 'string') text += content
    else {
      before ??= []
      if (text !== '') before.push(text)
      before.push(...content)
      text = ''
    }
  }
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]
    const value = writeValue(part, places[index] ?? 'text')
    if (value !== undefined) text += value
    else if (part instanceof Html) write(part)
    else for (const one of part as readonly (Html | undefined)[]) if (one) write(one)
    text += strings[index + 1] ?? ''
  }
  return new Html(before === undefined ? text : [...before, text])
}

/** Returns the markup of a value, if there is one. */
export const renderIf = <T>(value: T | null | undefined | false | '', then: (value: T) => Html | undefined): Html | undefined =>
  value === null || value === undefined || value === false || value === '' ? undefined : then(value as T)
