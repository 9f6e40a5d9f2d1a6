import test, { type ExecutionContext } from 'ava'
import { linkSorts } from '../../src/domain/link-sorts.ts'
import { startCast } from '../support/cast.ts'
import { FULL } from '../support/full.ts'
import { foundSubsite, names, submit } from '../support/posting.ts'
import fc from '../support/properties.ts'
import { isSample, servers } from '../support/shape.ts'
import type { Answer, User } from '../support/site.ts'
import { deeds, type ListingAct, send, type World, walkedListings } from '../support/walked-listings.ts'

const { site, ...cast } = await startCast(['ann', 'author_1', 'author_2', 'voter_1', 'voter_2', 'voter_3', 'walker', 'root'])
/** Ann moderates every subsite here. */
const { ann, walker, root } = cast
const authors: readonly User[] = [cast.author_1, cast.author_2]
const voters: readonly User[] = [cast.voter_1, cast.voter_2, cast.voter_3]
test.after.always(() => site.stop())

const listings = walkedListings({ ann, walker, root, voters })

const deed: fc.Arbitrary<ListingAct> = fc.record({
  kind: fc.constantFrom<ListingAct['kind']>('vote', 'vote', ...deeds),
  which: fc.nat(11),
  who: fc.nat(2),
})

const plan = fc.record({
  limit: fc.integer({ min: 1, max: 4 }),
  /** Votes before the walk, so that ranks differ and tie. */
  before: fc.array(fc.record({ which: fc.nat(9), who: fc.nat(2), funny: fc.boolean() }), { maxLength: 8 }),
  between: fc.array(fc.array(deed, { maxLength: 3 }), { minLength: 4, maxLength: 10 }),
})

let subsites = 0
/** Pages that one walk reads at most: the listings of accounts grow with every walk here. */
const MAX_PAGES = 25
const add = (author: User, name: string, n: number) =>
  submit(author, name, { url: `https://${name}.example/`, title: n % 2 === 0 ? 'walked' : 'odd walked' })

const prepared = async (): Promise<World> => {
  subsites += 1
  const name = `walk_${subsites}`
  await foundSubsite(ann, name)
  const passer = await site.register(`passer_${subsites}`)
  const links: { readonly id: string; readonly author: User }[] = []
  for (let n = 0; n < 10; n += 1) {
    const author = n === 3 || n === 8 ? passer : (authors[n % 2] ?? ann)
    links.push({ id: await add(author, name, n), author })
  }
  return { name, links, passer }
}

/** The names of a page, of entries of the mod log their ids. */
const met = (answer: Answer, at = ''): readonly string[] => {
  const children = answer.at(`${at}data.children`)
  if (!Array.isArray(children)) throw new Error(`no listing: ${answer.status} ${answer.text}`)
  return children.map(({ data }: { readonly data: { readonly name?: string; readonly id: string } }) => data.name ?? data.id)
}

const walksKeep = async (
  t: ExecutionContext,
  listing: string,
  { limit, before, between }: typeof plan extends fc.Arbitrary<infer P> ? P : never,
) => {
  const walked = listings[listing]
  if (!walked) throw new Error(listing)
  const world = await prepared()
  const { name, links, passer } = world
  for (const { which, who, funny } of before) await voters[who]?.post('/api/vote', { id: links[which]?.id, dir: funny ? -1 : 1 })
  await walked.prepare?.(world)
  const reader = walked.reader === 'ann' ? ann : walker
  const path = walked.path(world)
  const page = (query: string) => reader.get(`${path}${path.includes('?') ? '&' : '?'}${query}`)
  // the remains of earlier walks on pages of accounts, too
  const expected = met(await page('limit=100'), walked.at)
  /** Links that may have moved or left while the walk went on. */
  const unsteady = new Set<string>()

  const act = async ({ kind, which, who }: ListingAct, anchor: string) => {
    const voter = voters[who] ?? ann
    // every other deed is done to the anchor itself
    const link = which % 2 === 0 ? (links.find(({ id }) => id === anchor) ?? links[which % links.length]) : links[which % links.length]
    if (!link) return
    const moved = kind === 'erase' ? links.filter(({ author }) => author === passer) : [link]
    if (walked.moves.includes(kind)) for (const one of moved) unsteady.add(one.id)
    const { id } = link
    const acts: Readonly<Record<ListingAct['kind'], () => Promise<unknown>>> = {
      vote: () => voter.post('/api/vote', { id, dir: which % 3 === 0 ? -1 : 1 }),
      unvote: async () => {
        for (const dir of [11, -11]) await voter.post('/api/vote', { id, dir })
      },
      submit: () => add(authors[0] ?? ann, name, which),
      remove: () => ann.post('/api/remove', { id }),
      approve: () => ann.post('/api/approve', { id }),
      delete: () => link.author.post('/api/del', { id }),
      read: () => voter.get(`/s/${name}/new?limit=${limit}&after=${anchor}`),
      comment: () => voter.post('/api/comment', { thing_id: id, text: 'x' }),
      report: () => voter.post('/api/report', { id, reason: 'x' }),
      save: () => walker.post('/api/save', { id }),
      // elsewhere the walker would no longer see it
      hide: async () => (walked.moves.includes('hide') ? walker.post('/api/hide', { id }) : undefined),
      gild: () => root.post(`/api/v1/gold/gild/${id}`),
      write: () => send(voter),
      erase: () => root.post('/api/erase_user', { name: passer.name }),
    }
    await acts[kind]()
  }

  const seen: string[] = []
  let after: unknown = ''
  for (let turned = 0; after !== null && turned < MAX_PAGES; turned += 1) {
    const answer = await page(`limit=${limit}&after=${after}`)
    seen.push(...met(answer, walked.at))
    after = answer.at(`${walked.at ?? ''}data.after`)
    for (const one of between[turned] ?? []) await act(one, String(after))
  }

  const steady = expected.filter((id) => !unsteady.has(id))
  const kept = seen.filter((id) => steady.includes(id))
  t.deepEqual(kept, after === null ? steady : steady.slice(0, kept.length), `${listing} by ${limit}`)
  // in a listing that is ordered by time alone, new items appear before the first page
  const isExact = walked.moves.length <= 2 && expected.length < 100
  if (isExact)
    t.deepEqual(
      seen.filter((id) => !expected.includes(id)),
      [],
      `${listing}: what came later shifts no page`,
    )
}

test.serial('paging lists every item that does not move exactly once, despite concurrent writes', async (t) => {
  // on servers, where a walk takes ten seconds, a third of the listings or, in a sample, a ninth; each of them pages by the same code
  for (const listing of Object.keys(listings).filter((_, n) => FULL || !servers || n % (isSample ? 9 : 3) === 0))
    await fc.assert(
      fc.asyncProperty(plan, (planned) => walksKeep(t, listing, planned)),
      { numRuns: FULL ? 10 : 1 },
    )
})

test.serial('paging forwards and backwards lists the same links in the same order', async (t) => {
  const { name, links } = await prepared()
  for (const [n, { id }] of links.entries()) if (n % 3 === 0) await voters[n % 2]?.post('/api/vote', { id, dir: n % 2 ? 1 : -1 })
  for (const sort of linkSorts)
    for (const limit of [1, 3, 4]) {
      const there: string[] = []
      for (let after: unknown = ''; after !== null; ) {
        const page = await walker.get(`/s/${name}/${sort}?limit=${limit}&after=${after}`)
        there.push(...names(page))
        after = page.at('data.after')
      }
      t.is(there.length, links.length)
      const back: string[] = []
      for (let before: unknown = there.at(-1); before !== null; ) {
        const page = await walker.get(`/s/${name}/${sort}?limit=${limit}&before=${before}`)
        back.unshift(...names(page))
        before = page.at('data.before')
      }
      t.deepEqual([...back, there.at(-1)], there, `${sort} by ${limit}`)
    }
})

test.serial('a page continues from the position that its anchor had when served, although votes moved the anchor', async (t) => {
  const { name, links } = await prepared()
  const path = `/s/${name}/top`
  const first = await walker.get(`${path}?limit=5`)
  const anchor = String(first.at('data.after'))
  for (const voter of voters) await voter.post('/api/vote', { id: anchor, dir: 1 })
  t.is(names((await voters[0]?.get(`${path}?limit=1`)) ?? first)[0], anchor, 'it leads now, for others')
  const second = await walker.get(`${path}?limit=10&after=${anchor}`)
  t.deepEqual([...names(first), ...names(second)].toSorted(), links.map(({ id }) => id).toSorted())
})
