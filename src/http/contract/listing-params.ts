// Decision 7.

import { readField, type Sources } from './incoming.ts'
import { isTrue } from './params.ts'
import type { PageRequest } from './request.ts'

export const DEFAULT_LIMIT = 25

type DocumentedParam = Readonly<Record<string, unknown>> & { readonly name: string }

/** Returns the parameters as the documentation lists them. `count` has no effect, but clients send it. */
export const listingParameters = (max: number): readonly DocumentedParam[] => [
  {
    name: 'limit',
    in: 'query',
    description: `Absent: your preference \`numsites\`; ${DEFAULT_LIMIT} without an account.`,
    schema: { type: 'integer', minimum: 1, maximum: max },
  },
  { name: 'after', in: 'query', description: 'Anchor: the page starts after it.', schema: { type: 'string' } },
  { name: 'before', in: 'query', description: 'Anchor: the page ends before it.', schema: { type: 'string' } },
  { name: 'count', in: 'query', description: 'Items already seen.', schema: { type: 'integer', minimum: 0, default: 0 } },
  { name: 'show', in: 'query', description: '`all`: nothing is filtered.', schema: { type: 'string' } },
  { name: 'sr_detail', in: 'query', schema: { type: 'boolean', default: false } },
]

const integerOr = (text: string, fallback: number): number => (/^[+-]?\d+$/.test(text) ? Number(text) : fallback)

export const noPage: PageRequest = { limit: DEFAULT_LIMIT, after: undefined, before: undefined, showAll: false, srDetail: false }

/** Parses the listing protocol's parameters, which are never refused: an invalid value is the default, a number out of range is clamped. */
export const parsePage = (sources: Sources, max: number, usual: number): PageRequest => {
  const before = readField(sources, 'before').trim() || undefined
  return {
    limit: Math.min(Math.max(integerOr(readField(sources, 'limit'), usual), 1), max),
    after: before === undefined ? readField(sources, 'after').trim() || undefined : undefined,
    before,
    showAll: readField(sources, 'show').toLowerCase() === 'all',
    srDetail: isTrue(readField(sources, 'sr_detail')),
  }
}
