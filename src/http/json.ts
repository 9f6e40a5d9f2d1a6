declare global {
  // Not yet in TypeScript's own library.
  interface JSON {
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
  }
}

/**
 * How `&`, `<` and `>` stand in a JSON body: as HTML entities (the interface's default), or, with `raw_json=1`, as `\u0026`,
 * `\u003C`, `\u003E`, which decode to themselves.
 */
export type Encoding = 'entities' | 'unicode'

const special = /[&<>]/

/** One character after the other: ten times as fast as one pattern with a function for what it finds. */
const encode = (json: string, encoding: Encoding): string => {
  if (!special.test(json)) return json
  return encoding === 'entities'
    ? json.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : json.replaceAll('&', '\\u0026').replaceAll('<', '\\u003C').replaceAll('>', '\\u003E')
}

type Part = string | Fragment
/** A text, or what it consists of, in order. */
type Made = string | readonly Part[]

/** JSON whose text is made at most once in each encoding: what many responses share, such as a link's fields that no viewer changes. */
export class Fragment {
  readonly #build: (encoding: Encoding) => Made
  readonly #made: Partial<Record<Encoding, Made>> = {}
  /** Fragments in it that may be long; made first, they leave it little to do. */
  readonly parts: readonly Fragment[]

  constructor(build: (encoding: Encoding) => Made, parts: readonly Fragment[] = []) {
    this.#build = build
    this.parts = parts
  }

  /** Build it, without the fragments in it where it is made of those. */
  make(encoding: Encoding): Made {
    this.#made[encoding] ??= this.#build(encoding)
    return this.#made[encoding]
  }

  text(encoding: Encoding): string {
    const made = this.make(encoding)
    if (typeof made === 'string') return made
    const text = made.reduce<string>((all, part) => all + (typeof part === 'string' ? part : part.text(encoding)), '')
    this.#made[encoding] = text
    return text
  }

  /** Its texts, one after the other, without putting them together. */
  emit(encoding: Encoding, emit: (text: string) => void): void {
    const made = this.make(encoding)
    for (const part of typeof made === 'string' ? [made] : made) {
      if (typeof part === 'string') emit(part)
      else part.emit(encoding, emit)
    }
  }
}

/** A plain value as a fragment. It is written when its text is first asked for. */
export const fragment = (value: unknown): Fragment => {
  let unwritten: unknown = value
  let json: string | undefined
  return new Fragment((encoding) => {
    json ??= JSON.stringify(unwritten)
    unwritten = undefined
    return encode(json, encoding)
  })
}

/** An object that has members of its own to write. */
export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Fragment) && !JSON.isRawJSON(value)

/** Emits the JSON text of a value and the fragments anywhere in it, in order; members that are undefined are left out. */
const emitParts = (value: unknown, encoding: Encoding, emit: (part: Part) => void): void => {
  let isFirst = true
  const next = (opening: string): string => {
    const before = isFirst ? opening : ','
    isFirst = false
    return before
  }
  if (value instanceof Fragment) emit(value)
  else if (Array.isArray(value)) {
    for (const item of value) {
      emit(next('['))
      emitParts(item ?? null, encoding, emit)
    }
    emit(isFirst ? '[]' : ']')
  } else if (isPlain(value)) {
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue
      emit(`${next('{')}${encode(JSON.stringify(key), encoding)}:`)
      emitParts(member, encoding, emit)
    }
    emit(isFirst ? '{}' : '}')
  } else emit(encode(JSON.stringify(value) ?? 'null', encoding))
}

/** What the JSON text of a value consists of: the fragments in it, and the texts between them. */
export const partsOf = (value: unknown, encoding: Encoding): readonly Part[] => {
  const parts: Part[] = []
  emitParts(value, encoding, (part) => parts.push(part))
  return parts
}

/** Characters of a text to which no more is added. */
const CHUNK = 65_536

/** The JSON text of a value as texts in a row, each of some 65,000 characters unless a single part is longer. */
export const textsOf = (value: unknown, encoding: Encoding): readonly string[] => {
  const texts: string[] = []
  let text = ''
  const add = (part: string) => {
    text += part
    if (text.length < CHUNK) return
    texts.push(text)
    text = ''
  }
  emitParts(value, encoding, (part) => (typeof part === 'string' ? add(part) : part.emit(encoding, add)))
  texts.push(text)
  return texts
}

/** The JSON text of a value. Its parts are appended, not collected and joined: the whole is put together once, when it is sent. */
export const stringify = (value: unknown, encoding: Encoding): string => {
  let text = ''
  emitParts(value, encoding, (part) => {
    text += typeof part === 'string' ? part : part.text(encoding)
  })
  return text
}
