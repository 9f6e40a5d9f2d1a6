import { cast } from './names.ts'
import { Component, constant, type Fields, integer, listOf, nothing, type Part, record, type Schema, text, union } from './schema.ts'

/** `{kind, data}`, named after its data, so that generated clients have names for values of several kinds. */
export class Thing extends Component {
  readonly kind: string
  readonly data: Component

  constructor(kind: string, data: Component) {
    super(`${data.name}Thing`, () => record({ kind: constant(kind), data }))
    this.kind = kind
    this.data = data
  }
}

export const thingShape = (kind: string, data: Component): Thing => new Thing(kind, data)

/** Returns the schema of a thing of one of these kinds, by which generated clients tell them apart. */
export const eitherThing = (...things: readonly Thing[]): Schema => ({
  ...union(...things),
  discriminator: {
    propertyName: 'kind',
    mapping: Object.fromEntries(things.map(({ kind, name }) => [kind, `#/components/schemas/${name}`])),
  },
})

export const listingShape = (child: Part, extra: Fields = {}) =>
  record({
    kind: constant('Listing'),
    data: record({
      modhash: { anyOf: [text(''), nothing], description: 'Of the session; null with a token.' },
      dist: integer(1, 'How many children this page has.'),
      children: listOf(child),
      after: { anyOf: [nothing, text(cast.link)], description: 'Anchor of the next page.' },
      before: { anyOf: [nothing, text(cast.link)], description: 'Anchor of the previous page.' },
      ...extra,
    }),
  })
