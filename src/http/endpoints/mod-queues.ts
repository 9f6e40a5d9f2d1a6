import { either as E } from 'fp-ts'
import { refuse } from '../../domain/decision.ts'
import { numberOf, type SubsiteId } from '../../domain/ids.ts'
import { concerning, orderOf, type QueueName, queueNames, queueOf } from '../../queries/mod-queues.ts'
import { capacityIn } from '../access.ts'
import { endpoint, type Need, type Viewer } from '../endpoint.ts'
import { described, lenient, oneOf, optional } from '../params.ts'
import { pointedAt } from '../pointing.ts'
import { thingListingShape } from '../schemas/things.ts'
import { moderatedHere } from '../scope.ts'

/** Of the subsites that the path means, those where the viewer moderates with `posts`; none is 403. */
const queuedHere: Need<readonly SubsiteId[], unknown, Viewer> = async (context, name) => {
  const meant = await moderatedHere(context, name)
  if (E.isLeft(meant)) return meant
  const may = await Promise.all(meant.right.map((subsite) => capacityIn(context, subsite, 'posts')))
  const open = meant.right.filter((_, index) => may[index] !== undefined)
  return open.length === 0 ? refuse('FORBIDDEN') : E.right(open)
}

const kinds = { links: 'link', comments: 'comment' } as const

/** Where a thing stands in a queue, or would stand. */
const keyIn = (queue: QueueName, seq: number, editedAt = 0) => (queue === 'edited' ? [editedAt, seq] : [seq])

export const modQueue = endpoint({
  method: 'GET',
  path: '[/s/{sub}]/about/{location}',
  values: { location: queueNames },
  scope: 'read',
  login: 'moderator',
  errors: 'plain',
  listing: { max: 100 },
  section: 'Moderation',
  answers: { 200: thingListingShape },
  summary: 'What concerns the moderators: what was reported, removed, waits for a decision, was never looked at, or was edited.',
  notes:
    'For moderators with `posts`; of several subsites, those count where the caller is one, and without a subsite in the path all that the caller moderates. `reports`: reported since the last decision, and not removed. `spam`: removed by whomever. `modqueue`: reported, or held back by the spam settings and not decided on. `unmoderated`: links that nobody decided on. `edited`: the text was edited; the latest edit first. What its author deleted is in none of them.',
  params: {
    location: oneOf(...queueNames),
    only: described(lenient(optional(oneOf('links', 'comments')), undefined), 'one kind of thing; of no effect on `unmoderated`'),
  },
  needs: { subsites: queuedHere },
  handle: (context) => {
    const { params, subsites, documents } = context
    const { location, only } = params
    return pointedAt(context, {
      source: queueOf(documents, subsites, location, only && kinds[only]),
      order: orderOf(location),
      thingOf: ({ id }) => id,
      keyOn: async ({ id }) => keyIn(location, numberOf(id), (await concerning(documents, [id])).get(id)?.editedAt),
      visible: async (_, things) => things.filter(({ deleted }) => !deleted),
    })
  },
})
