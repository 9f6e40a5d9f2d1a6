import { limits } from '../../../domain/text-limits.ts'
import { subsiteNamed, subsitesBeginning } from '../../../queries/subsites.ts'
import { section } from '../../contract/endpoint.ts'
import { describeParam, flag, rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import * as shape from '../../contract/schemas/schema.ts'

const { post } = section('Subsites', { scope: 'read', login: 'anyone', errors: 'plain' })

const MAX_FOUND_NAMES = 10

/** Returns printable ASCII of limited length; other texts match nothing. */
const toPrefix = (query: string): string | undefined => {
  const bare = query.trim().replace(/^\/?[sr]\//i, '')
  return bare.length <= limits.nameQuery && /^[\x20-\x7e]+$/.test(bare) ? bare : undefined
}

export const searchNames = post('/api/search_site_names', {
  aliases: ['/api/search_reddit_names'],
  alsoMethods: ['GET'],
  modhash: false,
  idempotency: false, // not stored: anybody may call it, and would fill the vault with records
  answers: { 200: shape.recordSchema({ names: shape.listOf(shape.text('tea')) }) },
  summary: 'Names of public subsites that begin with a text, the most subscribed first.',
  notes: 'At most ten. With `exact`, only the subsite of that name; 404 if there is none.',
  params: {
    query: describeParam(rawText(), `up to ${limits.nameQuery} printable characters`),
    exact: flag(),
    include_over_18: flag(true),
  },
  handle: async ({ params: { query, exact, include_over_18 }, documents }) => {
    const text = toPrefix(query)
    if (exact) {
      const subsite = text === undefined ? undefined : await subsiteNamed(documents, text)
      return subsite ? { kind: 'json', body: { names: [subsite.name] } } : refuseRule('NOT_FOUND')
    }
    const beginning = text === undefined ? [] : await subsitesBeginning(documents, text)
    const names = beginning
      .filter(({ type }) => type === 'public')
      .sort((a, b) => b.subscribers - a.subscribers || b.seq - a.seq)
      .slice(0, MAX_FOUND_NAMES)
      .filter(({ over18 }) => include_over_18 || !over18)
      .map(({ name }) => name)
    return { kind: 'json', body: { names } }
  },
})
