import type { Refusal } from './refusal.ts'
import { checkLine, limits } from './text-limits.ts'

export const checkTitle = (folded: string): Refusal | undefined => checkLine(folded, limits.title, 'title')

/** Tells whether a title contains the word nsfw or nsfl, which marks its link. */
export const saysNsfw = (title: string): boolean => /\bnsf[wl]\b/i.test(title)
