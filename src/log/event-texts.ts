import type { EventDefinition } from '../domain/event.ts'
import { eventDefinitions } from '../domain/events.ts'
import type { Json } from '../domain/json.ts'
import { provableTexts } from '../domain/provable-texts.ts'
import type { RecordedEvent } from '../ports/event-store.ts'
import { sealedEvent } from './codec.ts'
import type { Keyring } from './keys.ts'
import { commitmentIn, mapSealed, type OpenedText, openText, subjectsOf } from './sealed-text.ts'

/** Returns the texts of an event by their places in its data, such as `target.excerpt`, with the salts of their commitments. */
export const textOpener =
  (keys: Pick<Keyring, 'fetch'>, definitions: ReadonlyMap<string, EventDefinition> = eventDefinitions) =>
  async (recorded: RecordedEvent): Promise<ReadonlyMap<string, OpenedText>> => {
    const { definition, data, meta } = sealedEvent(recorded, definitions)
    const keyOf = await keys.fetch(subjectsOf(definition, data, meta.by))
    const texts = new Map<string, OpenedText>()
    mapSealed({ id: recorded.id, definition, data, by: meta.by }, (text, place, subject) => {
      texts.set(place.path.join('.'), openText(keyOf.get(subject), place, text))
      return text
    })
    return texts
  }

/** Returns the accounts and things that the sealed texts of an event belong to. */
export const sealedTextsIn = (
  recorded: RecordedEvent,
  definitions: ReadonlyMap<string, EventDefinition> = eventDefinitions,
): readonly { readonly account: string; readonly thing: string }[] => {
  const { definition, data, meta } = sealedEvent(recorded, definitions)
  const owners: { readonly account: string; readonly thing: string }[] = []
  mapSealed({ id: recorded.id, definition, data, by: meta.by }, (text, { thing }, account) => {
    owners.push({ account, thing })
    return text
  })
  return owners
}

/** Tells whether one of the texts of a link or comment has a commitment, in an event that can be read. */
export const isCommitted = ({ type, data }: RecordedEvent): boolean => {
  const names = provableTexts.get(type)
  if (names === undefined) return false
  const fields = JSON.parse(data) as Json
  return names.some((name) => typeof fields[name] === 'string' && commitmentIn(fields[name]) !== undefined)
}
