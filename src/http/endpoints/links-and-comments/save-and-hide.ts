import * as array from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Decide } from '../../../domain/decision.ts'
import type { AccountId } from '../../../domain/ids.ts'
import { hideThing, parseCategory, Shelf, type ShelfEvent, saveThing, unhideThing, unsaveThing } from '../../../domain/shelf.ts'
import { type AnyEndpoint, type Context, type Need, type Param, section } from '../../contract/endpoint.ts'
import { fullname, fullnames } from '../../contract/name-params.ts'
import { describeParam, rawText, replaceRefusal } from '../../contract/params.ts'
import type { Refusal } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { postCalled, postNamed } from '../../needs/facts.ts'
import { column, kindsWith } from '../../things/kinds/all.ts'
import type { Post } from '../../things/kinds/kind.ts'
import { shownCategories } from '../../things/user-listings.ts'

const { get, post } = section('Links and comments', { scope: 'save', login: 'user', errors: 'silent' })

type ShelfPlace = { readonly account: AccountId; readonly thing: string; readonly subsite: string }

type Decision = (place: ShelfPlace) => Decide<Shelf, ShelfEvent>

const shelve = ({ viewer: { account }, run }: Context<unknown, SignedIn>, { id, subsite }: Post, decide: Decision) =>
  run(Shelf, `${account}.${id}`, decide({ account, thing: id, subsite }))

const savable = describeParam(replaceRefusal(fullname(...kindsWith('post')), 'BAD_REQUEST'), 'fullname of a link or a comment')

const category: Param<string | null> = {
  ...describeParam(rawText(), '1 to 20 letters, digits, spaces or underscores'),
  decode: (value = '') => (value === '' ? E.right(null) : parseCategory(value)),
}

/** Returns the link or comment of a fullname, if the viewer may see it or put it on the shelf while they could. */
const takenFromShelf = async (context: Context<unknown, SignedIn>, id: string): Promise<E.Either<Refusal, Post>> => {
  const post = await postCalled(context, id, 'BAD_REQUEST', 'id')
  if (E.isRight(post) || post.left.code !== 'FORBIDDEN') return post
  const shelf = await context.load(Shelf, `${context.viewer.account}.${id}`)
  const shelved = shelf?.saved || shelf?.hidden ? await column(id, 'post')?.(context, id) : undefined
  return shelved ? E.right(shelved) : post
}

const onShelf: Need<Post, { readonly id: string }> = (context) => takenFromShelf(context, context.params.id)

const save = post('/api/save', {
  whileSuspended: true,
  summary: 'Save a link or a comment.',
  notes: 'Saving a saved thing again moves it to the front, and to the category if one is named.',
  params: { id: savable, category },
  needs: { thing: postNamed('id', 'BAD_REQUEST') },
  handle: (context) => shelve(context, context.thing, (place) => saveThing(place, context.params.category)),
})

const unsave = post('/api/unsave', {
  whileSuspended: true,
  summary: 'Remove a link or a comment from your saved things.',
  notes: 'Also one in a subsite that you may no longer view.',
  params: { id: savable },
  needs: { thing: onShelf },
  handle: (context) => shelve(context, context.thing, unsaveThing),
})

type FindPost = (context: Context<unknown, SignedIn>, id: string) => Promise<E.Either<Refusal, Post>>

/** Returns all named things. With an unknown one among them, nothing is changed. */
const allCalled =
  (called: FindPost): Need<readonly Post[], { readonly id: readonly string[] }> =>
  async (context) => {
    const posts: Post[] = []
    for (const id of context.params.id) {
      const found = await called(context, id)
      if (E.isLeft(found)) return found
      posts.push(found.right)
    }
    return E.right(posts)
  }

const shelveAll = async (context: Context<unknown, SignedIn> & { readonly things: readonly Post[] }, decide: Decision) =>
  array.sequence(E.Applicative)(await Promise.all(context.things.map((thing) => shelve(context, thing, decide))))

const ofHiding = { scope: 'report', whileSuspended: true } as const

const hide = post('/api/hide', {
  ...ofHiding,
  summary: 'Hide links from your listings.',
  notes: 'Hidden links are still shown on their own pages, by id, in a search, and with `show=all`.',
  params: { id: describeParam(replaceRefusal(fullnames({ kinds: ['link'], max: 50 }), 'BAD_REQUEST'), 'fullnames of 1 to 50 links') },
  needs: { things: allCalled((context, id) => postCalled(context, id, 'BAD_REQUEST', 'id')) },
  handle: (context) => shelveAll(context, hideThing),
})

const unhide = post('/api/unhide', {
  ...ofHiding,
  summary: 'Show hidden links again, and comments that your report hid.',
  notes: 'Also those in a subsite that you may no longer view.',
  params: {
    id: describeParam(
      replaceRefusal(fullnames({ kinds: kindsWith('post'), max: 50 }), 'BAD_REQUEST'),
      'fullnames of 1 to 50 links or comments',
    ),
  },
  needs: { things: allCalled(takenFromShelf) },
  handle: (context) => shelveAll(context, unhideThing),
})

const categories = get('/api/saved_categories', {
  errors: 'form',
  json: false,
  answers: { 200: shape.recordSchema({ categories: shape.listOf(shape.recordSchema({ category: shape.text('to read') })) }) },
  summary: 'The categories of your saved things.',
  notes: 'Without those of which you may view nothing any more.',
  handle: async (context) => {
    const named = await shownCategories(context, context.viewer.account)
    return { kind: 'json', body: { categories: named.map((category) => ({ category })) } }
  },
})

export const shelfEndpoints: readonly AnyEndpoint[] = [save, unsave, hide, unhide, categories]
