import test from 'ava'
import type { CommentDocument } from '../../../projections/comments.ts'
import type { LinkDocument } from '../../../projections/links.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { defaultSettings } from '../../../src/domain/subsite-settings.ts'
import { DAY, HOUR, MINUTE } from '../../../src/domain/time.ts'
import { writeInTurn } from '../../../src/http/pipeline/write-response.ts'
import { commentThing } from '../../../src/http/present/comment.ts'
import { linkThing } from '../../../src/http/present/link.ts'
import { closedListing } from '../../../src/http/present/listing.ts'
import type { Fragment } from '../../../src/http/wire/json-writing.ts'
import type { ThingSurroundings } from '../../../src/queries/surroundings.ts'
import fc from '../../support/properties.ts'

const THING = {
  subsite: 't4_1',
  audience: 'everybody',
  author: 't2_1',
  created: 0,
  gilded: 0,
  approved: null,
  deleted: false,
  listed: true,
}
const RANKS = { ups: 3, downs: 1, score: 7, hot: 1, fun: 1 }

const link = (changes: object): LinkDocument =>
  ({
    ...{ ...THING, ...RANKS, id: 't5_1', seq: 1, title: 'On <water> & tea', url: null, urlKey: null, domain: '', isSelf: true },
    ...{ text: 'Soft *or* hard?', over18: false, edited: null, comments: 2, locked: false, sendReplies: true, contestMode: false },
    ...{ suggestedSort: '', slot: null, distinguished: null, flairText: '', flairCss: '', removed: null, hour: 0, day: 0, month: 0 },
    ...changes,
  }) as unknown as LinkDocument

const comment = (changes: object): CommentDocument =>
  ({
    ...{ ...THING, ...RANKS, id: 't1_1', seq: 1, link: 't5_1', parent: null, body: 'Soft & <warm>.', edited: null, length: 4 },
    ...{ distinguished: null, removed: null, isRemoved: false },
    ...changes,
  }) as unknown as CommentDocument

const subsite = (settings: object): SubsiteDocument =>
  ({ id: 't4_1', name: 'tea', settings: { ...defaultSettings, ...settings } }) as unknown as SubsiteDocument

/** Generates the first value most often, so that two views often differ in one thing only. */
const mostly = <const T>(usual: T, ...others: readonly T[]) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 6 }, { arbitrary: fc.constantFrom(...others), weight: 1 })

/** All that a presented thing may show beside its document: who looks, when, and at what around it. */
const views = fc.record({
  account: mostly(undefined, 't2_1', 't2_2'),
  moderates: mostly(false, true),
  now: mostly(3 * HOUR, MINUTE, 200 * DAY),
  name: mostly('ann', '[deleted]'),
  other: mostly('bob', '[deleted]'),
  flair: mostly(undefined, { text: 'Brewer', css: 'brown' }, { text: 'Brewer', css: '' }),
  settings: mostly(
    {},
    { over_18: true },
    { show_media: false },
    { suggested_comment_sort: 'top' },
    { comment_score_hide_mins: 60 },
    { type: 'restricted' },
  ),
  vote: mostly(undefined, { insightful: true, funny: false }, { insightful: false, funny: true }),
  shelf: mostly(undefined, { saved: true, hidden: false, category: 'to read' }, { saved: false, hidden: true, category: '' }),
  visited: mostly(false, true),
  muted: mostly(false, true),
  reports: mostly(0, 2),
  root: mostly(
    {},
    { deleted: true },
    { title: '[erased]' },
    { contestMode: true },
    { stickyComment: 't1_1' },
    { author: 't2_9' },
    { over18: true },
  ),
  detail: mostly(undefined, { display_name: 'tea & co' }),
  edits: mostly(true, false),
  categories: mostly(false, true),
  depth: mostly(undefined, 0, 1),
  flat: fc.boolean(),
  replied: mostly(false, true),
  encoding: mostly('entities' as const, 'unicode' as const),
})
type View = Parameters<Parameters<typeof views.map>[0]>[0]

const aroundOf = (view: View, root: LinkDocument): ThingSurroundings => ({
  viewer: { account: view.account, admin: false },
  now: view.now,
  base: 'https://tea.example',
  subsites: new Map([['t4_1', subsite(view.settings)]]),
  links: new Map([[root.id, root]]),
  names: (id) => (id === 't2_1' ? view.name : view.other),
  voteOn: () => view.vote as ReturnType<ThingSurroundings['voteOn']>,
  shelfOf: () => view.shelf as ReturnType<ThingSurroundings['shelfOf']>,
  muted: new Set(view.muted ? ['t4_1'] : []),
  visited: new Set(view.visited ? ['t5_1'] : []),
  reportsOn: () => {
    const reported = view.reports === 0 ? [] : [{ account: 't2_3', reason: 'milk & <sugar>' }]
    return { reports: view.reports, byUsers: reported, byModerators: reported } as ReturnType<ThingSurroundings['reportsOn']>
  },
  moderates: () => view.moderates,
  flairOf: () => view.flair as ReturnType<ThingSurroundings['flairOf']>,
})

const bodyOf = (things: readonly (Fragment | undefined)[], { encoding }: View) =>
  writeInTurn({ kind: 'listing', children: things, after: null, before: null }, { encoding, callback: undefined, modhash: '' }, true)

type Kept = { readonly link: LinkDocument; readonly comment: CommentDocument; readonly roots: ReadonlyMap<object, LinkDocument> }

/** A page of both things, from these documents; with copies of them nothing that was kept can be of use. */
const present = (view: View, { link: shown, comment: said, roots }: Kept) => {
  const around = aroundOf(view, roots.get(view.root) ?? link(view.root))
  const { detail, edits, categories, depth, flat, replied } = view
  const below = replied ? closedListing([commentThing(said, around)], null) : undefined
  return bodyOf(
    [
      linkThing(shown, around, { edits, categories, ...(detail && { detail }) }),
      commentThing(said, around, {
        ...(depth !== undefined && { depth }),
        ...{ flat, edits, categories },
        ...(below && { replies: below }),
      }),
    ],
    view,
  )
}

const documents = fc.record({
  link: mostly(
    {},
    { removed: { by: 't2_7', auto: false } },
    { deleted: true },
    { edited: 5_000 },
    { isSelf: false, url: 'https://a.example/?a&b' },
  ),
  comment: mostly({}, { removed: { by: null }, isRemoved: true }, { deleted: true }, { edited: 5_000, distinguished: 'moderator' }),
})

test('a thing is shown from what is kept of it exactly as if nothing were kept, whoever saw it before and whatever changed since', async (t) => {
  await fc.assert(
    fc.asyncProperty(documents, fc.array(views, { minLength: 2, maxLength: 12 }), async (changed, seen) => {
      const roots = new Map(seen.map(({ root }) => [root as object, link(root)]))
      const kept: Kept = { link: link(changed.link), comment: comment(changed.comment), roots }
      for (const view of seen) {
        const [shown, afresh] = [await present(view, kept), await present(view, structuredCloneOf(kept))]
        t.is(String(shown.body), String(afresh.body))
        t.is(shown.digest, afresh.digest)
      }
    }),
    { numRuns: 100 },
  )
})

const structuredCloneOf = ({ link: shown, comment: said, roots }: Kept): Kept => ({
  link: structuredClone(shown),
  comment: structuredClone(said),
  roots: new Map([...roots].map(([key, root]) => [key, structuredClone(root)])),
})

test('no text of a page contains a character of HTML, whoever is told it', async (t) => {
  await fc.assert(
    fc.asyncProperty(documents, views, async (changed, view) => {
      const kept = { link: link(changed.link), comment: comment(changed.comment), roots: new Map() }
      t.notRegex(String((await present(view, kept)).body), /[<>]|&(?!(amp|lt|gt);)/)
    }),
    { numRuns: 200 },
  )
})

test('two pages have one digest exactly if they are equal', async (t) => {
  const digests = new Map<string, string>()
  await fc.assert(
    fc.asyncProperty(documents, views, async (changed, view) => {
      const { body, digest = '' } = await present(view, { link: link(changed.link), comment: comment(changed.comment), roots: new Map() })
      const known = digests.get(digest)
      t.true(digest !== '' && (known === undefined || known === String(body)))
      digests.set(digest, String(body))
    }),
    { numRuns: 200 },
  )
  t.true(digests.size > 50)
})
