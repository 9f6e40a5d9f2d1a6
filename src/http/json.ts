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

const replacements: Readonly<Record<Encoding, Readonly<Record<string, string>>>> = {
  entities: { '&': '&amp;', '<': '&lt;', '>': '&gt;' },
  unicode: { '&': '\\u0026', '<': '\\u003C', '>': '\\u003E' },
}

const special = /[&<>]/
const specials = /[&<>]/g

const encode = (json: string, encoding: Encoding): string =>
  special.test(json) ? json.replace(specials, (character) => replacements[encoding][character] ?? character) : json

/** JSON whose text is made at most once in each encoding: what many answers share, such as a link's fields that no viewer changes. */
export class Fragment {
  readonly #build: (encoding: Encoding) => string
  readonly #texts: Partial<Record<Encoding, string>> = {}

  constructor(build: (encoding: Encoding) => string) {
    this.#build = build
  }

  text(encoding: Encoding): string {
    this.#texts[encoding] ??= this.#build(encoding)
    return this.#texts[encoding]
  }
}

/** A plain value as a fragment. */
export const fragment = (value: unknown): Fragment => {
  const json = JSON.stringify(value)
  return new Fragment((encoding) => encode(json, encoding))
}

/** The JSON text of a value that may hold fragments anywhere in it; members that are undefined are left out. */
export const stringify = (value: unknown, encoding: Encoding): string => {
  if (value instanceof Fragment) return value.text(encoding)
  if (value === null || typeof value !== 'object' || JSON.isRawJSON(value)) return encode(JSON.stringify(value) ?? 'null', encoding)
  // Pieces are appended, not collected and joined: the whole is put together once, when it is sent.
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += (text === '' ? '' : ',') + stringify(item ?? null, encoding)
    return `[${text}]`
  }
  for (const [key, member] of Object.entries(value))
    if (member !== undefined) text += `${text === '' ? '' : ','}${encode(JSON.stringify(key), encoding)}:${stringify(member, encoding)}`
  return `{${text}}`
}
