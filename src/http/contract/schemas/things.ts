import { cast } from './names.ts'
import {
  Component,
  constant,
  type Fields,
  integer,
  listOf,
  nullSchema,
  recordSchema,
  type Schema,
  type SchemaOrComponent,
  text,
  union,
} from './schema.ts'

/** `{kind, data}`, named after its data, so that generated clients have names for values of several kinds. */
export class Thing extends Component {
  readonly kind: string
  readonly data: Component

  constructor(kind: string, data: Component) {
    super(`${data.name}Thing`, () => recordSchema({ kind: constant(kind), data }))
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

export const listingShape = (child: SchemaOrComponent, extra: Fields = {}) =>
  recordSchema({
    kind: constant('Listing'),
    data: recordSchema({
      modhash: { anyOf: [text(''), nullSchema], description: 'Of the session; null with a token.' },
      dist: integer(1, 'How many children this page has.'),
      children: listOf(child),
      after: { anyOf: [nullSchema, text(cast.link)], description: 'Anchor of the next page.' },
      before: { anyOf: [nullSchema, text(cast.link)], description: 'Anchor of the previous page.' },
      ...extra,
    }),
  })
