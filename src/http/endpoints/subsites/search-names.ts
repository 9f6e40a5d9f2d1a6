import { subsiteNamed, subsitesBeginning } from '../../../queries/subsites.ts'
import { section } from '../../contract/endpoint.ts'
import { described, flag, raw } from '../../contract/params.ts'
import { refuse } from '../../contract/refusals.ts'
import * as shape from '../../contract/schemas/schema.ts'

const { post } = section('Subsites', { scope: 'read', login: 'anyone', errors: 'plain' })

const MAX_FOUND_NAMES = 10

/** Printable ASCII of limited length; other texts match nothing. */
const searched = (query: string): string | undefined => {
  const bare = query.trim().replace(/^\/?[sr]\//i, '')
  return /^[\x20-\x7e]{1,50}$/.test(bare) ? bare : undefined
}

export const searchNames = post('/api/search_site_names', {
  aliases: ['/api/search_reddit_names'],
  alsoMethods: ['GET'],
  modhash: false,
  idempotency: false, // anybody may call it, and would fill the vault with records
  answers: { 200: shape.record({ names: shape.listOf(shape.text('tea')) }) },
  summary: 'Names of public subsites that begin with a text, the most subscribed first.',
  notes: 'At most ten. With `exact`, only the subsite of that name; 404 if there is none.',
  params: {
    query: described(raw(), 'up to 50 printable characters'),
    exact: flag(),
    include_over_18: flag(true),
  },
  handle: async ({ params: { query, exact, include_over_18 }, documents }) => {
    const text = searched(query)
    if (exact) {
      const subsite = text === undefined ? undefined : await subsiteNamed(documents, text)
      return subsite ? { kind: 'json', body: { names: [subsite.name] } } : refuse('NOT_FOUND')
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
