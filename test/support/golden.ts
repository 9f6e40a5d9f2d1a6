import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { AnyEvent } from '../../src/domain/event.ts'
import { type EventName, type EventNamed, eventDefinitions, type Logged } from '../../src/domain/events.ts'
import { codec, type StampedEvent } from '../../src/log/codec.ts'
import type { ProposedEvent } from '../../src/ports/event-store.ts'
import { everyEvent } from './every-event/every-event.ts'
import { fixedKeys } from './fixed-keys.ts'
import { publicFieldsFile, publicFieldsText } from './public-fields.ts'
import { recordReadModels } from './recorded-read-models.ts'

/** An event as it was stored by some version, and as it must be read for ever. */
export type Golden = { readonly stored: ProposedEvent; readonly opened: Pick<Logged, 'type' | 'data' | 'at' | 'by' | 'meta'> }

const directory = new URL('../golden/', import.meta.url)
const fileOf = (type: string, schema: number) => new URL(`${type}.v${schema}.json`, directory)

const goldenIn = (file: URL): Golden | undefined => (existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Golden) : undefined)

export const readGolden = (type: string, schema: number): Golden | undefined => goldenIn(fileOf(type, schema))

/** Events as earlier versions sealed their texts: under one key of the account, under that of a thing without a commitment, or with one. */
export const formerGolden: readonly (Golden & { readonly seal: string })[] = ['account', 'thing', 'commitment'].flatMap((seal) => {
  const files = new URL(`former-seals/${seal}/`, directory)
  return readdirSync(files).flatMap((file) => {
    const golden = goldenIn(new URL(file, files))
    return golden ? [{ ...golden, seal }] : []
  })
})

/** Returns the input that is sealed to store the event of a golden file. */
export const stampedFrom = ({ stored: { id }, opened: { type, data, at, by, meta } }: Golden): StampedEvent => {
  const { schema: _, ...causes } = meta
  return { id, event: { type, data } as AnyEvent, at, by, ...causes }
}

/** Returns the data in the golden file of an event, in its present schema. */
export const goldenData = <Name extends EventName>(type: Name): EventNamed<Name>['data'] => {
  const golden = readGolden(type, (eventDefinitions.get(type)?.upcasts.length ?? 0) + 1)
  if (!golden) throw new Error(`there is no golden file of ${type}: run npm run generate`)
  return golden.opened.data as EventNamed<Name>['data']
}

/** Returns the event of that type with the most fields in the history in which every event happens. */
const exampleOf = (type: string): AnyEvent => {
  const examples = everyEvent.filter((event) => event.type === type).map(({ data }) => data)
  const [data] = examples.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)
  if (!data) throw new Error(`test/support/every-event has no ${type}`)
  return { type, data }
}

const id = '6f0e8a53-0c5d-5b7e-9d2f-3f6a1c9b4e10'

const stampedExample = (type: string): StampedEvent => ({
  id,
  event: exampleOf(type),
  at: 1_771_000_000_000,
  by: { account: 't2_1c', as: 'moderator' },
  commandId: '11111111-2222-4333-8444-555555555555',
  correlationId: '11111111-2222-4333-8444-555555555555',
  causationId: '99999999-8888-5777-8666-555555555555',
  seen: { 'link-t5_9k': 4, 'relation-t4_1.t2_1b': 'none' },
})

/** An existing file is never touched, because such events are in logs. */
const writeMissing = async () => {
  const { seal, open } = codec(fixedKeys)
  mkdirSync(directory, { recursive: true })
  for (const [type, { upcasts }] of eventDefinitions) {
    const file = fileOf(type, upcasts.length + 1)
    if (existsSync(file)) continue
    const [stored] = await seal([stampedExample(type)])
    if (!stored) throw new Error(`${type} could not be sealed`)
    const [event] = await open([{ ...stored, stream: 'golden', revision: 0, position: '0'.repeat(20) }])
    if (!event) throw new Error(`${type} could not be opened`)
    const { data, at, by, meta } = event
    writeFileSync(file, `${JSON.stringify({ stored, opened: { type, data, at, by, meta } }, null, 2)}\n`)
  }
}

/**
 * Writes the golden files that are missing; an existing one is never touched. Records which fields of events are public, what read models
 * make of every event, and forgeries of a log with what verifiers must say of them.
 */
export const generateGolden = async (): Promise<readonly string[]> => {
  await writeMissing()
  writeFileSync(publicFieldsFile, publicFieldsText())
  await recordReadModels()
  // reads what was recorded
  ;(await import('./history-vectors.ts')).writeHistoryVectors()
  return ['test/golden/', 'test/fixtures/']
}
