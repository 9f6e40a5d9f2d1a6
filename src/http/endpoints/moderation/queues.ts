import { numberOf, type ThingId } from '../../../domain/ids.ts'
import { type QueueName, queueNames, queueOf, queueOrder, queueRecordsOf, writtenByBanned } from '../../../queries/mod-queues.ts'
import { keyBy } from '../../../queries/ordered-source.ts'
import { section } from '../../contract/endpoint.ts'
import { describeParam, oneOf, optional, replaceInvalid } from '../../contract/params.ts'
import { andThen, notSuspended } from '../../needs/facts.ts'
import { selectModerated } from '../../needs/listed-links.ts'
import { thingListingShape } from '../../present/comment.ts'
import { selectPermitted } from '../../things/access.ts'
import { listPointed } from '../../things/shown-things.ts'

/** Returns the subsites of the path that the viewer moderates with `posts`; 403 if there is none. */
const queuedHere = andThen(selectModerated, (moderated, context) => selectPermitted(context, moderated, 'posts'))

const kinds = { links: 'link', comments: 'comment' } as const

/** Returns the key of a thing in a queue, whether or not it is in it. */
const toQueueKey = (queue: QueueName, id: ThingId, editedAt = 0) => keyBy<object>(queueOrder(queue))({ id, seq: numberOf(id), editedAt })

export const modQueue = section('Moderation').get('[/s/{sub}]/about/{location}', {
  values: { location: queueNames },
  scope: 'read',
  login: 'moderator',
  errors: 'plain',
  listing: { max: 100 },
  rss: true,
  answers: { 200: thingListingShape },
  summary: 'The moderation queues: things reported, removed, waiting for a decision, never reviewed, or edited.',
  notes:
    'For moderators with `posts`: of the subsites in the path, those that you moderate; without a subsite in the path, all that you moderate. `reports`: reported since the last decision and not removed. `spam`: removed, by a moderator, an admin or the filter. `modqueue`: reported, or held back by the spam settings and not decided on. `unmoderated`: links without a decision. With the setting `exclude_banned_modqueue`, `modqueue` and `unmoderated` leave out what permanently suspended accounts posted, unless it was reported. `edited`: the text was edited; the latest edit first. Things deleted by their authors are in no queue.',
  params: {
    location: oneOf(...queueNames),
    only: describeParam(
      replaceInvalid(optional(oneOf('links', 'comments')), undefined),
      'one kind of thing; of no effect on `unmoderated`',
    ),
  },
  needs: { subsites: queuedHere, active: notSuspended },
  handle: (context) => {
    const { params, subsites, documents } = context
    const { location, only } = params
    return listPointed(context, {
      source: queueOf(documents, subsites, location, only && kinds[only]),
      order: queueOrder(location),
      thingOf: ({ id }) => id,
      keyOn: async ({ id }) => toQueueKey(location, id, (await queueRecordsOf(documents, [id])).get(id)?.editedAt),
      visible: async (_, things) => {
        const existing = things.filter(({ deleted }) => !deleted)
        if (location !== 'modqueue' && location !== 'unmoderated') return existing
        const isExcluded = await writtenByBanned(documents, existing)
        // reported things wait for a decision, also those of banned authors
        return existing.filter((thing) => (location === 'modqueue' && thing.removed === null) || !isExcluded(thing))
      },
    })
  },
})
