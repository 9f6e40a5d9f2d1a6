import { constant, type Fields, integer, listOf, nothing, type Part, record, text } from './schema.ts'

export const thingShape = (kind: string, data: Part) => record({ kind: constant(kind), data })

export const listingShape = (child: Part, extra: Fields = {}) =>
  record({
    kind: constant('Listing'),
    data: record({
      modhash: { anyOf: [text(''), nothing], description: 'Of the session; null with a token.' },
      dist: integer(1, 'How many children this page has.'),
      children: listOf(child),
      after: { anyOf: [nothing, text('t5_9k')], description: 'Anchor of the next page.' },
      before: { anyOf: [nothing, text('t5_9k')], description: 'Anchor of the previous page.' },
      ...extra,
    }),
  })
