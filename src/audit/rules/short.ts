import { hash } from 'node:crypto'

const MAX_KEPT_TEXT_CHARACTERS = 64

/** Returns a text as rules keep and compare it: a long one as its hash, so that their rows stay small. */
export const toShortText = (text: string): string =>
  text.length > MAX_KEPT_TEXT_CHARACTERS ? `sha256:${hash('sha256', text, 'base64url')}` : text

/** Returns a whole value with every text in it as rules keep it. */
export const toShortTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return toShortText(value)
  if (Array.isArray(value)) return value.map(toShortTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toShortTexts(member)]))
}
