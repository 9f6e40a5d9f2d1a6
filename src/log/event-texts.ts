import type { EventDefinition } from '../domain/event.ts'
import { eventDefinitions } from '../domain/events.ts'
import type { RecordedEvent } from '../ports/event-store.ts'
import { sealedEvent } from './codec.ts'
import type { Keyring } from './keys.ts'
import { mapSealed, type OpenedText, openText, subjectsOf } from './sealed-text.ts'

/** The texts of an event by their places in its data, such as `target.excerpt`, with what their commitments were made with. */
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

/** The accounts and things that the sealed texts of an event belong to. */
export const sealedTextsIn = (
  recorded: RecordedEvent,
  definitions: ReadonlyMap<string, EventDefinition> = eventDefinitions,
): readonly { readonly account: string; readonly thing: string }[] => {
  const { definition, data, meta } = sealedEvent(recorded, definitions)
  const found: { readonly account: string; readonly thing: string }[] = []
  mapSealed({ id: recorded.id, definition, data, by: meta.by }, (text, { thing }, account) => {
    found.push({ account, thing })
    return text
  })
  return found
}
