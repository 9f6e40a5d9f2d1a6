import type { LinkDocument } from '../../projections/links.ts'
import { hostNamed, isHostWithin } from '../domain/canonical-url.ts'

/** A condition of a search that no text of a link tells, such as its number of comments: it is examined on each link found. */
export type LinkCondition = (link: LinkDocument, subsite: { readonly over18: boolean }) => boolean

/** Returns the value of a yes-or-no field; undefined if it is neither. */
export const flagOf = (text: string): boolean | undefined => {
  if (/^(yes|true|1)$/i.test(text)) return true
  return /^(no|false|0)$/i.test(text) ? false : undefined
}

/** Returns the ends of `7`, `3..7`, `3..` or `..7`, both included; undefined for anything else. */
export const rangeOf = (text: string): readonly [from: number, to: number] | undefined => {
  const [, one, from, to] = /^(?:(\d{1,15})|(\d{0,15})\.\.(\d{0,15}))$/.exec(text) ?? []
  if (one !== undefined) return [Number(one), Number(one)]
  return from === undefined || to === undefined ? undefined : [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)]
}

const numbers: Readonly<Record<string, (link: LinkDocument) => number>> = {
  timestamp: ({ created }) => Math.floor(created / 1000),
  ups: ({ ups }) => ups,
  downs: ({ downs }) => downs,
  comments: ({ comments }) => comments,
}

/**
 * Returns the condition that `field:text` sets, or that `-field:text` sets if `negated`; undefined for a field that is a text. Nothing
 * meets a condition with an invalid value, negated or not.
 */
export const toCondition = (field: string | undefined, text: string, negated: boolean): LinkCondition | undefined => {
  if (field === 'nsfw') {
    const value = flagOf(text)
    return (link, subsite) => value !== undefined && ((link.over18 || subsite.over18) === value) !== negated
  }
  if (field === 'fullname') return ({ id }) => (id === text.toLowerCase()) !== negated
  const number = field === undefined ? undefined : numbers[field]
  if (number === undefined) return undefined
  const range = rangeOf(text)
  return (link) => range !== undefined && (number(link) >= range[0] && number(link) <= range[1]) !== negated
}

/** Requires that a link is to a host or to one below it. */
export const requireHost = (text: string): LinkCondition => {
  const host = hostNamed(text)
  return ({ domain }) => host !== '' && isHostWithin(domain, host)
}
