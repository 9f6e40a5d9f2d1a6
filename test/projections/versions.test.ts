import test from 'ava'
import { projections } from '../../projections/all.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { eventDefinitions } from '../../src/domain/events.ts'
import type { Document } from '../../src/ports/documents.ts'
import { changedWithoutVersion, recordedHistory, recordedReadModels } from '../support/recorded-read-models.ts'

const history = await recordedHistory()
const recorded = recordedReadModels()

test('a read model that makes other documents of the same events has a new version', (t) => {
  t.deepEqual(changedWithoutVersion(projections, history, recorded), [], 'raise the version of each, then run npm run generate')
})

test('the version of every read model is recorded', (t) => {
  t.deepEqual(
    Object.entries(recorded).map(([name, { version }]) => `${name} ${version}`),
    projections.map(({ collection: { name, version } }) => `${name} ${version}`),
    'run npm run generate',
  )
})

test('every event happens in the recorded history, in its present schema', (t) => {
  const happened = new Set(history.map(({ type, meta }) => `${type} ${meta.schema}`))
  t.deepEqual(
    [...eventDefinitions].map(([type, { upcasts }]) => `${type} ${upcasts.length + 1}`).filter((event) => !happened.has(event)),
    [],
    'run npm run generate',
  )
})

/** The read models, of which one puts a further field into some of its documents. */
const withMore = (name: string, raised: number): readonly Projection[] =>
  projections.map((projection) => {
    const { collection, on } = projection
    if (collection.name !== name) return projection
    const VoteCast: Projection['on']['VoteCast'] = (event) =>
      (on.VoteCast?.(event) ?? []).map(({ id, change }) => ({
        id,
        change: (before) => {
          const after = change(before)
          return after && ({ ...after, more: true } as Document)
        },
      }))
    return { ...projection, collection: { ...collection, version: collection.version + raised }, on: { ...on, VoteCast } }
  })

test('a further field in some documents is noticed, unless the version is another', (t) => {
  t.deepEqual(changedWithoutVersion(withMore('links', 0), history, recorded), ['links'])
  t.deepEqual(changedWithoutVersion(withMore('links', -1), history, recorded), ['links'])
  t.deepEqual(changedWithoutVersion(withMore('links', 1), history, recorded), [])
})
