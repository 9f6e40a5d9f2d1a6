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
  if (Array.isArray(value)) return `[${value.map((item) => stringify(item ?? null, encoding)).join(',')}]`
  if (value === null || typeof value !== 'object' || JSON.isRawJSON(value)) return encode(JSON.stringify(value) ?? 'null', encoding)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members.map(([key, member]) => `${encode(JSON.stringify(key), encoding)}:${stringify(member, encoding)}`).join(',')}}`
}
