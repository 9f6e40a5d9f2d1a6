import type { EventDefinition } from '../../../domain/event.ts'
import { eventSchema, schemaAddress, versionsOf } from '../../../domain/event-schema.ts'
import { eventDefinitions } from '../../../domain/events.ts'
import { section } from '../../contract/endpoint.ts'
import { describeParam, rawText, strictInteger } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { cast } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'

const { get } = section('History', { scope: 'any', login: 'anyone', errors: 'plain' })

/** Caching for an hour: schemas change with a new version of the service only. */
const headers = { 'Cache-Control': 'public, max-age=3600' }

const rowShape = shape.component('EventSchema', () =>
  shape.recordSchema({
    type: shape.text('VoteCast', 'What happened.'),
    version: shape.integer(1, 'The version of the schema in which such events are stored.'),
    current: { ...shape.flag, description: 'Whether events are stored in it now. All are served in the form of the current one.' },
    meaning: shape.text('A voter changed their marks on a link or comment.'),
    schema: shape.text(`${cast.service}/history/schemas/VoteCast/1`, 'Where the schema is.'),
  }),
)

const members = shape.mapOf(shape.anything)

/** A JSON Schema, whose own parts JSON Schema describes. */
const schemaShape = shape.component('EventSchemaDocument', () =>
  shape.recordSchema({
    $schema: shape.constant('https://json-schema.org/draft/2020-12/schema'),
    $id: shape.text(`${cast.service}/history/schemas/VoteCast/1`),
    title: shape.text('VoteCast'),
    description: shape.text('A voter changed their marks on a link or comment.'),
    type: shape.constant('object'),
    properties: members,
    required: shape.listOf(shape.text('data')),
    additionalProperties: shape.constant(false),
    if: members,
    else: members,
  }),
)

const rowsOf = (definition: EventDefinition, base: string) => {
  const { type, meaning } = definition
  const versions = versionsOf(definition)
  return versions.map((version) => ({
    type,
    version,
    current: version === versions.length,
    meaning,
    schema: schemaAddress(base, type, version),
  }))
}

export const historySchemas = [
  get('/history/schemas', {
    answers: { 200: shape.recordSchema({ schemas: shape.listOf(rowShape) }) },
    summary: 'The types of events that there are, each with what it means and where its JSON Schema is.',
    handle: ({ config }) => {
      const schemas = [...eventDefinitions.values()].flatMap((definition) => rowsOf(definition, config.publicUrl))
      return { kind: 'json', body: { schemas }, headers }
    },
  }),
  get('/history/schemas/{type}/{version}', {
    answers: { 200: schemaShape },
    summary: 'The JSON Schema (2020-12) of one type of event.',
    notes:
      '`description` says what each field means, `x-unit` its unit, `x-readers` who reads it: `public`, `subsite` (its moderators), `party` (the accounts that the fields with `x-party` name) or `admins`. `x-sealed` names the field with the account under whose key a text is sealed; `@by` is who acted.',
    params: {
      type: describeParam(rawText(), 'the type of event, such as `VoteCast`'),
      version: describeParam(strictInteger({ min: 1 }), 'the version of its schema'),
    },
    handle: ({ params, config }) => {
      const definition = eventDefinitions.get(params.type)
      if (!definition || !versionsOf(definition).includes(params.version)) return refuseRule('NOT_FOUND')
      return { kind: 'json', body: eventSchema(definition, params.version, config.publicUrl), headers }
    },
  }),
]
