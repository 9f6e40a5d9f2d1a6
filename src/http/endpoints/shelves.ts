import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import type { Command } from '../../commands/command.ts'
import { Comment } from '../../domain/comment.ts'
import { type Decide, refuse } from '../../domain/decision.ts'
import { type AccountId, kindOf } from '../../domain/ids.ts'
import { Link } from '../../domain/link.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { hideThing, parseCategory, Shelf, type ShelfEvent, saveThing, unhideThing, unsaveThing } from '../../domain/shelf.ts'
import { savedCategories } from '../../queries/shelves.ts'
import { mayView, placeOf } from '../access.ts'
import { type AnyEndpoint, endpoint, type Outcome, type Request, type Viewer } from '../endpoint.ts'
import { described, fullname, fullnames, raw, refusing } from '../params.ts'

const section = 'Links and comments'

type Place = { readonly account: AccountId; readonly thing: string; readonly subsite: string }

/** Where a link or comment is, if there is one and the viewer may see it: unknown is 400, in a closed subsite 403. */
const placeOfThing = async (app: App, viewer: Viewer, thing: string, command: Command): Promise<Either<Refusal, Place>> => {
  if (viewer.account === undefined) return refuse('USER_REQUIRED')
  const state = kindOf(thing) === 'link' ? await app.load(Link, thing, command) : await app.load(Comment, thing, command)
  if (!state) return refuse('BAD_REQUEST')
  const place = await placeOf(app, state.subsite, command)
  if (!place || !(await mayView(app, viewer, place, command))) return refuse('FORBIDDEN')
  return E.right({ account: viewer.account, thing, subsite: state.subsite })
}

const shelve = (app: App, place: Place, decide: Decide<Shelf, ShelfEvent>, command: Command) =>
  app.run(Shelf, `${place.account}.${place.thing}`, decide, command)

const savable = described(refusing(fullname('link', 'comment'), 'BAD_REQUEST'), 'fullname of a link or a comment')

export const save = endpoint({
  method: 'POST',
  path: '/api/save',
  scope: 'save',
  login: 'user',
  errors: 'silent',
  section,
  summary: 'Save a link or a comment.',
  notes: 'Saving again moves it to the front, and to another category if one is named.',
  params: { id: savable, category: described(raw(), '1 to 20 letters, digits, spaces or underscores') },
  handle: async ({ params: { id, category }, viewer, command }, app) => {
    const parsed = category === '' ? E.right(null) : parseCategory(category)
    if (E.isLeft(parsed)) return parsed
    const place = await placeOfThing(app, viewer, id, command)
    if (E.isLeft(place)) return place
    return E.map(() => undefined)(await shelve(app, place.right, saveThing(place.right, parsed.right), command))
  },
})

export const unsave = endpoint({
  method: 'POST',
  path: '/api/unsave',
  scope: 'save',
  login: 'user',
  errors: 'silent',
  section,
  summary: 'Take a link or a comment out of what is saved.',
  params: { id: savable },
  handle: async ({ params: { id }, viewer, command }, app) => {
    const place = await placeOfThing(app, viewer, id, command)
    if (E.isLeft(place)) return place
    return E.map(() => undefined)(await shelve(app, place.right, unsaveThing(place.right), command))
  },
})

const hideable = described(refusing(fullnames({ kinds: ['link'], max: 50 }), 'BAD_REQUEST'), 'fullnames of 1 to 50 links')

/** An unknown link among them, and nothing is done to any. */
const shelveAll =
  (decide: (place: Place) => Decide<Shelf, ShelfEvent>) =>
  async ({ params, viewer, command }: Request<{ readonly id: readonly string[] }>, app: App): Promise<Outcome> => {
    const places: Place[] = []
    for (const link of params.id) {
      const place = await placeOfThing(app, viewer, link, command)
      if (E.isLeft(place)) return place
      places.push(place.right)
    }
    for (const recorded of await Promise.all(places.map((place) => shelve(app, place, decide(place), command))))
      if (E.isLeft(recorded)) return recorded
    return E.right(undefined)
  }

export const hide = endpoint({
  method: 'POST',
  path: '/api/hide',
  scope: 'report',
  login: 'user',
  errors: 'silent',
  section,
  summary: 'Leave links out of the own listings.',
  notes: 'They stay where they are named: on their page, by id, in a search, and with `show=all`.',
  params: { id: hideable },
  handle: shelveAll(hideThing),
})

export const unhide = endpoint({
  method: 'POST',
  path: '/api/unhide',
  scope: 'report',
  login: 'user',
  errors: 'silent',
  section,
  summary: 'Show hidden links again.',
  params: { id: hideable },
  handle: shelveAll(unhideThing),
})

export const categories = endpoint({
  method: 'GET',
  path: '/api/saved_categories',
  scope: 'save',
  login: 'user',
  errors: 'form',
  section,
  summary: 'The categories that things were saved under.',
  params: {},
  handle: async ({ viewer: { account } }, { documents }) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    const named = await savedCategories(documents, account)
    return E.right({ kind: 'json', body: { categories: named.map((category) => ({ category })) } })
  },
})

export const shelfEndpoints: readonly AnyEndpoint[] = [save, unsave, hide, unhide, categories]
