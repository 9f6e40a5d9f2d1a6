import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { cacheBounds, setGrown } from '../../ports/cache-bounds.ts'
import { ownBytes } from '../../ports/own-bytes.ts'
import type { Encoding } from '../contract/incoming.ts'

declare global {
  // Missing in TypeScript's own library.
  interface JSON {
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

const special = /[&<>]/

/** Replaces one character after the other, which is ten times as fast as one pattern with a replacer function. */
export const encode = (json: string, encoding: Encoding): string => {
  if (!special.test(json)) return json
  return encoding === 'entities'
    ? json.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : json.replaceAll('&', '\\u0026').replaceAll('<', '\\u003C').replaceAll('>', '\\u003E')
}

type JsonPiece = string | Fragment
/** A text, or its parts in order. */
type JsonText = string | readonly JsonPiece[]
/** Takes the parts of a text in order. Returns false if no more are wanted. */
type Emit<P> = (part: P) => boolean

/** JSON text that is shared and cached per encoding, such as the fields of a link that are the same for all viewers. */
export class Fragment {
  readonly #build: (encoding: Encoding) => JsonText
  #entities: JsonText | undefined
  #unicode: JsonText | undefined
  /** Fragments in it that may be long. If they are made first, making this one takes little time. */
  readonly parts: readonly Fragment[]

  constructor(build: (encoding: Encoding) => JsonText, parts: readonly Fragment[] = []) {
    this.#build = build
    this.parts = parts
  }

  /** Makes its text, or its parts. The fragments among its parts are not made. */
  make(encoding: Encoding): JsonText {
    const known = encoding === 'entities' ? this.#entities : this.#unicode
    if (known !== undefined) return known
    const text = this.#build(encoding)
    this.#keep(encoding, text)
    return text
  }

  #keep(encoding: Encoding, text: JsonText) {
    if (encoding === 'entities') this.#entities = text
    else this.#unicode = text
  }

  text(encoding: Encoding): string {
    const parts = this.make(encoding)
    if (typeof parts === 'string') return parts
    const text = parts.reduce<string>((all, part) => all + (typeof part === 'string' ? part : part.text(encoding)), '')
    this.#keep(encoding, text)
    return text
  }

  /** Emits its parts, one after the other, without joining them, until `emit` returns false. */
  emit(encoding: Encoding, emit: Emit<string | SharedFragment>): boolean {
    const text = this.make(encoding)
    if (typeof text === 'string') return emit(text)
    for (const part of text) if (!(typeof part === 'string' ? emit(part) : part.emit(encoding, emit))) return false
    return true
  }
}

/** Makes a fragment of a plain value. It is written when its text is first asked for. */
export const fragment = (value: unknown): Fragment => {
  let unwritten: unknown = value
  let json: string | undefined
  return new Fragment((encoding) => {
    json ??= JSON.stringify(unwritten)
    unwritten = undefined
    return encode(json, encoding)
  })
}

/** Bytes of a text, and a digest of them. */
export type Piece = { readonly bytes: Buffer; readonly digest: Buffer }

/** The bytes that a shared fragment takes beside those of its pieces. */
const FRAGMENT_BYTES = 600

/** The shared fragments with bytes. The least recently used lose theirs. */
const written = new LRUCache<SharedFragment, SharedFragment>({
  maxSize: cacheBounds.sharedFragments,
  sizeCalculation: (fragment) => FRAGMENT_BYTES + fragment.bytes,
  dispose: (fragment, _, reason) => {
    if (reason === 'evict') fragment.drop()
  },
})

/**
 * A fragment that is in many bodies, such as a link as everybody sees it who did nothing with it. It keeps its bytes, so that a body is
 * joined from them, and their digest, so that the tag of a body needs not read all of it. It keeps both for as long as `written` has room
 * for them.
 */
export class SharedFragment extends Fragment {
  readonly #text: (encoding: Encoding) => string
  #pieces: Partial<Record<Encoding, Piece>> = {}
  /** The number of bytes it keeps. */
  bytes = 0

  constructor(text: (encoding: Encoding) => string) {
    super(text)
    this.#text = text
  }

  override emit(_: Encoding, emit: Emit<string | SharedFragment>): boolean {
    return emit(this)
  }

  override make(encoding: Encoding): string {
    return this.#pieces[encoding]?.bytes.toString() ?? this.#text(encoding)
  }

  piece(encoding: Encoding): Piece {
    const known = this.#pieces[encoding]
    if (known) {
      written.get(this)
      return known
    }
    const bytes = ownBytes(this.#text(encoding))
    const piece = { bytes, digest: hash('sha1', bytes, 'buffer') }
    this.#pieces[encoding] = piece
    this.bytes += bytes.length
    setGrown(written, this, this)
    return piece
  }

  /** Gives up its bytes. They are written again when they are asked for. */
  drop(): void {
    this.#pieces = {}
    this.bytes = 0
  }
}

/** Returns the members of an object without its braces. The object is made for each writing, since it takes more memory than the bytes. */
export const shareMembers = (make: () => object): SharedFragment =>
  new SharedFragment((encoding) => encode(JSON.stringify(make()).slice(1, -1), encoding))

/** Tells whether a value is an object whose members are written one by one. */
export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Fragment) && !JSON.isRawJSON(value)

/** The characters of a piece of a text. */
export const PIECE_CHARACTERS = 65_536

/** Returns the end of a piece of a string, which is never inside a surrogate pair. */
const endOfPiece = (text: string, start: number): number => {
  const end = start + PIECE_CHARACTERS
  if (end >= text.length) return text.length
  const last = text.charCodeAt(end - 1)
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end
}

export const isLongText = (value: unknown): value is string => typeof value === 'string' && value.length > PIECE_CHARACTERS

/** Makes a long string one fragment for each piece. */
export const longText = (text: string): Fragment => {
  const parts: Fragment[] = []
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start)
    const piece = fragment(text.slice(start, end))
    parts.push(new Fragment((encoding) => piece.text(encoding).slice(1, -1)))
    start = end
  }
  return new Fragment(() => ['"', ...parts, '"'], parts)
}

/** Emits the JSON text of a value and the fragments anywhere in it, in order. Undefined members are left out. */
const emitParts = (value: unknown, encoding: Encoding, emit: Emit<JsonPiece>): boolean => {
  if (value instanceof Fragment) return emit(value)
  if (Array.isArray(value)) {
    let opening = '['
    for (const item of value) {
      if (!emit(opening) || !emitParts(item ?? null, encoding, emit)) return false
      opening = ','
    }
    return emit(opening === '[' ? '[]' : ']')
  }
  if (isLongText(value)) return emit(longText(value))
  if (!isPlain(value)) return emit(encode(JSON.stringify(value) ?? 'null', encoding))
  let opening = '{'
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue
    if (!emit(`${opening}${encode(JSON.stringify(key), encoding)}:`) || !emitParts(member, encoding, emit)) return false
    opening = ','
  }
  return emit(opening === '{' ? '{}' : '}')
}

/** Returns the parts of the JSON text of a value: the fragments in it, and the texts between them. */
export const toJsonPieces = (value: unknown, encoding: Encoding): readonly JsonPiece[] => {
  const parts: JsonPiece[] = []
  emitParts(value, encoding, (part) => parts.push(part) > 0)
  return parts
}

/** Emits the texts of a value and the shared fragments in it, in order, until `emit` returns false. */
export const emitTexts = (value: unknown, encoding: Encoding, emit: Emit<string | SharedFragment>): boolean =>
  emitParts(value, encoding, (part) => (typeof part === 'string' ? emit(part) : part.emit(encoding, emit)))

/** Returns the data of a thing without its kind: of `{"kind":"t1","data":{…}}`, `{…}`. */
export const dataOf = (thing: object): unknown =>
  thing instanceof Fragment
    ? new Fragment((encoding) => {
        const text = thing.text(encoding)
        return text.slice(text.indexOf('"data":') + 7, -1)
      })
    : Reflect.get(thing, 'data')

/** Returns the JSON text of a value. Its parts are appended, not collected and joined: the whole is put together once, when it is sent. */
export const stringify = (value: unknown, encoding: Encoding): string => {
  let text = ''
  emitParts(value, encoding, (part) => {
    text += typeof part === 'string' ? part : part.text(encoding)
    return true
  })
  return text
}

/** Returns a value as clients read it who ask for no entities. It is parsed from text with entities, since fragments keep the bytes of that. */
export const toPlain = (value: unknown): unknown => {
  const json = stringify(value, 'entities')
  return JSON.parse(json.includes('&') ? json.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&') : json)
}
