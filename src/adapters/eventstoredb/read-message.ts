import type { RecordedEvent } from '../../ports/event-store.ts'
import { recordedText, type StoredEvent } from './event-text.ts'
import { fieldsOf, NO_BYTES, textField } from './protobuf.ts'

/**
 * A message of a subscription. The client makes objects of every part of it, parses the texts of the event, and this service would only write them
 * again: here the event is taken from the bytes.
 */
export type ReadMessage =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'checkpoint'; readonly commit: bigint }
  | { readonly kind: 'confirmation' | 'other' }

const eventIn = (bytes: Buffer): StoredEvent => {
  const event = { id: '', stream: '', revision: 0n, position: undefined as bigint | undefined, data: NO_BYTES, meta: NO_BYTES }
  const about = new Map<string, string>()
  fieldsOf(bytes, (field, number, value) => {
    if (field === 1) event.id = textField(value, 2)
    else if (field === 2) event.stream = textField(value, 3)
    else if (field === 3) event.revision = number
    else if (field === 5) event.position = number
    else if (field === 6) about.set(textField(value, 1), textField(value, 2))
    else if (field === 7) event.meta = value
    else if (field === 8) event.data = value
  })
  return { ...event, type: about.get('type') ?? '', isJson: about.get('content-type') === 'application/json' }
}

export const readMessage = (bytes: Buffer): ReadMessage => {
  let message: ReadMessage = { kind: 'other' }
  fieldsOf(bytes, (field, _, value) => {
    if (field === 1)
      fieldsOf(value, (inner, __, recorded) => {
        if (inner === 1) message = { kind: 'event', event: recordedText(eventIn(recorded)) }
      })
    else if (field === 2) message = { kind: 'confirmation' }
    else if (field === 3) {
      let commit = 0n
      fieldsOf(value, (inner, number) => {
        if (inner === 1) commit = number
      })
      message = { kind: 'checkpoint', commit }
    }
  })
  return message
}
