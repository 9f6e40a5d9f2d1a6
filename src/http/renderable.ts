import type { Refusal } from '../domain/refusal.ts'
import { whyUnrenderable } from './present/markdown.ts'

/** Why one of some texts cannot be rendered: what is stored can also be shown. */
export const unrenderableOf = async (texts: readonly { readonly name: string; readonly text: string }[]): Promise<Refusal | undefined> => {
  for (const { name, text } of texts) {
    const why = await whyUnrenderable(text)
    if (why === 'too-slow') return { code: 'TOO_COMPLEX', field: name }
    if (why === 'busy') return { code: 'UNAVAILABLE', field: null }
  }
  return undefined
}
