import test from 'ava'
import fc from 'fast-check'
import { found, names, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import { startSite, type TestSite, type User } from '../support/site.ts'

let site: TestSite
let ann: User // moderates every subsite here
let authors: readonly User[]
let voters: readonly User[]
let walker: User

test.before(async () => {
  site = await startSite()
  ann = await site.register('ann')
  authors = [await site.register('author_1'), await site.register('author_2')]
  voters = [await site.register('voter_1'), await site.register('voter_2'), await site.register('voter_3')]
  walker = await site.register('walker')
})
test.after.always(() => site.stop())

/** What others do between two pages; `which` picks a link by number. */
type Deed = {
  readonly kind: 'vote' | 'unvote' | 'submit' | 'remove' | 'approve' | 'delete' | 'read'
  readonly which: number
  readonly who: number
}

const deed: fc.Arbitrary<Deed> = fc.record({
  kind: fc.constantFrom('vote', 'vote', 'vote', 'unvote', 'submit', 'remove', 'approve', 'delete', 'read'),
  which: fc.nat(11),
  who: fc.nat(2),
})

const plan = fc.record({
  sort: fc.constantFrom('new', 'hot', 'top', 'insightful', 'fun'),
  limit: fc.integer({ min: 1, max: 4 }),
  /** Votes before the walk, so that ranks differ and tie. */
  before: fc.array(fc.record({ which: fc.nat(9), who: fc.nat(2), funny: fc.boolean() }), { maxLength: 12 }),
  between: fc.array(fc.array(deed, { maxLength: 3 }), { minLength: 4, maxLength: 12 }),
})

let subsites = 0

/** Ten links in a new subsite; who wrote which. */
const prepared = async () => {
  subsites += 1
  const name = `walk_${subsites}`
  await found(ann, name)
  const links: { readonly id: string; readonly author: User }[] = []
  for (let n = 0; n < 10; n += 1) {
    const author = authors[n % 2] ?? ann
    links.push({ id: await submit(author, name), author })
  }
  return { name, links }
}

const touched = (kind: Deed['kind']) => kind !== 'submit' && kind !== 'read'

const walksKeep = async (
  t: { readonly is: (a: unknown, b: unknown, why?: string) => void },
  { sort, limit, before, between }: typeof plan extends fc.Arbitrary<infer P> ? P : never,
) => {
  const { name, links } = await prepared()
  const path = `/s/${name}/${sort}`
  for (const { which, who, funny } of before) await voters[who]?.post('/api/vote', { id: links[which]?.id, dir: funny ? -1 : 1 })
  /** Links whose rank changed, or that left or came back, while the walk went on. */
  const unsteady = new Set<string>()
  const unlisted = new Set<string>()
  const act = async ({ kind, which, who }: Deed, anchor: string) => {
    const voter = voters[who] ?? ann
    // every other deed is done to the anchor itself
    const link = which % 2 === 0 ? (links.find(({ id }) => id === anchor) ?? links[which % links.length]) : links[which % links.length]
    if (!link) return
    if (touched(kind)) unsteady.add(link.id)
    if (kind === 'remove' || kind === 'delete') unlisted.add(link.id)
    if (kind === 'vote') await voter.post('/api/vote', { id: link.id, dir: which % 3 === 0 ? -1 : 1 })
    if (kind === 'unvote') for (const dir of [11, -11]) await voter.post('/api/vote', { id: link.id, dir })
    if (kind === 'submit') await submit(authors[0] ?? ann, name)
    if (kind === 'remove' || kind === 'approve') await ann.post(`/api/${kind}`, { id: link.id })
    if (kind === 'delete') await link.author.post('/api/del', { id: link.id })
    if (kind === 'read') await voter.get(`${path}?limit=${limit}&after=${anchor}`)
  }

  const met: string[] = []
  let after: unknown = ''
  for (let page = 0; after !== null; page += 1) {
    const answer = await walker.get(`${path}?limit=${limit}&after=${after}`)
    met.push(...names(answer))
    after = answer.at('data.after')
    for (const one of between[page] ?? []) await act(one, String(after))
  }

  const old = new Set(links.map(({ id }) => id))
  const steady = sort === 'new' ? links.filter(({ id }) => !unlisted.has(id)) : links.filter(({ id }) => !unsteady.has(id))
  for (const { id } of steady) t.is(met.filter((one) => one === id).length, 1, `${sort}: ${id} once`)
  const seen = met.filter((id) => (sort === 'new' ? old.has(id) : old.has(id) && !unsteady.has(id)))
  t.is(new Set(seen).size, seen.length, `${sort}: nothing twice`)
  if (sort === 'new')
    t.is(
      met.some((id) => !old.has(id)),
      false,
      'what came later shifts no page',
    )
}

test('walks meet each link once, whatever others do meanwhile', async (t) => {
  await fc.assert(
    fc.asyncProperty(plan, (planned) => walksKeep(t, planned)),
    { numRuns: servers ? 10 : 25 },
  )
})

test('a walk there and back meets the same links in the same order', async (t) => {
  const { name, links } = await prepared()
  for (const [n, { id }] of links.entries()) if (n % 3 === 0) await voters[n % 2]?.post('/api/vote', { id, dir: n % 2 ? 1 : -1 })
  for (const sort of ['new', 'hot', 'top', 'insightful', 'fun'])
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

test('an anchor that was voted on goes on where it was served, also when it is served elsewhere meanwhile', async (t) => {
  const { name, links } = await prepared()
  const path = `/s/${name}/top`
  const first = await walker.get(`${path}?limit=5`)
  const anchor = String(first.at('data.after'))
  for (const voter of voters) await voter.post('/api/vote', { id: anchor, dir: 1 })
  t.is(names((await voters[0]?.get(`${path}?limit=1`)) ?? first)[0], anchor, 'it leads now, for others')
  const second = await walker.get(`${path}?limit=10&after=${anchor}`)
  t.deepEqual([...names(first), ...names(second)].toSorted(), links.map(({ id }) => id).toSorted())
})
