import { array, either as E } from 'fp-ts'
import type { Decide } from '../../domain/decision.ts'
import type { AccountId } from '../../domain/ids.ts'
import { hideThing, parseCategory, Shelf, type ShelfEvent, saveThing, unhideThing, unsaveThing } from '../../domain/shelf.ts'
import { savedCategories } from '../../queries/shelves.ts'
import { type AnyEndpoint, type Context, endpoint, type Need, type Param, type SignedIn } from '../endpoint.ts'
import { type Post, post, postCalled } from '../needs.ts'
import { described, fullname, fullnames, raw, refusing } from '../params.ts'
import * as shape from '../schemas/schema.ts'

const section = 'Links and comments'

type Place = { readonly account: AccountId; readonly thing: string; readonly subsite: string }

const shelve = (
  { viewer: { account }, run }: Context<unknown, SignedIn>,
  { id, subsite }: Post,
  decide: (place: Place) => Decide<Shelf, ShelfEvent>,
) => run(Shelf, `${account}.${id}`, decide({ account, thing: id, subsite }))

const savable = described(refusing(fullname('link', 'comment'), 'BAD_REQUEST'), 'fullname of a link or a comment')

const category: Param<string | null> = {
  ...described(raw(), '1 to 20 letters, digits, spaces or underscores'),
  decode: (value = '') => (value === '' ? E.right(null) : parseCategory(value)),
}

const saving = { method: 'POST', scope: 'save', login: 'user', errors: 'silent', section } as const

const save = endpoint({
  ...saving,
  path: '/api/save',
  summary: 'Save a link or a comment.',
  notes: 'Saving again moves it to the front, and to another category if one is named.',
  params: { id: savable, category },
  needs: { thing: post('id', 'BAD_REQUEST') },
  handle: (context) => shelve(context, context.thing, (place) => saveThing(place, context.params.category)),
})

const unsave = endpoint({
  ...saving,
  path: '/api/unsave',
  summary: 'Take a link or a comment out of what is saved.',
  params: { id: savable },
  needs: { thing: post('id', 'BAD_REQUEST') },
  handle: (context) => shelve(context, context.thing, unsaveThing),
})

/** An unknown link among them, and nothing is done to any. */
const hidable: Need<readonly Post[], { readonly id: readonly string[] }> = async (context) => {
  const posts: Post[] = []
  for (const id of context.params.id) {
    const found = await postCalled(context, id, 'BAD_REQUEST')
    if (E.isLeft(found)) return found
    posts.push(found.right)
  }
  return E.right(posts)
}

const hiding = {
  method: 'POST',
  scope: 'report',
  login: 'user',
  errors: 'silent',
  section,
  params: { id: described(refusing(fullnames({ kinds: ['link'], max: 50 }), 'BAD_REQUEST'), 'fullnames of 1 to 50 links') },
  needs: { links: hidable },
} as const

const shelveAll = async (
  context: Context<unknown, SignedIn>,
  links: readonly Post[],
  decide: (place: Place) => Decide<Shelf, ShelfEvent>,
) => array.sequence(E.Applicative)(await Promise.all(links.map((link) => shelve(context, link, decide))))

const hide = endpoint({
  ...hiding,
  path: '/api/hide',
  summary: 'Leave links out of the own listings.',
  notes: 'They stay where they are named: on their page, by id, in a search, and with `show=all`.',
  handle: (context) => shelveAll(context, context.links, hideThing),
})

const unhide = endpoint({
  ...hiding,
  path: '/api/unhide',
  summary: 'Show hidden links again.',
  handle: (context) => shelveAll(context, context.links, unhideThing),
})

const categories = endpoint({
  method: 'GET',
  path: '/api/saved_categories',
  scope: 'save',
  login: 'user',
  errors: 'form',
  section,
  answers: { 200: shape.record({ categories: shape.listOf(shape.record({ category: shape.text('to read') })) }) },
  summary: 'The categories that things were saved under.',
  params: {},
  handle: async ({ viewer: { account }, documents }) => {
    const named = await savedCategories(documents, account)
    return { kind: 'json', body: { categories: named.map((category) => ({ category })) } }
  },
})

export const shelfEndpoints: readonly AnyEndpoint[] = [save, unsave, hide, unhide, categories]
