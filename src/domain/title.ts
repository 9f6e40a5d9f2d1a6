import type { Refusal } from './refusal.ts'
import { checkText, limits } from './text.ts'

/** Runs of white space become one space, none at the ends. */
export const foldTitle = (title: string): string => title.replace(/\s+/gu, ' ').trim()

export const checkTitle = (folded: string): Refusal | undefined => checkText(folded, limits.title, 'title')

/** A title holding the word nsfw or nsfl marks its link. */
export const saysNsfw = (title: string): boolean => /\bnsf[wl]\b/i.test(title)
