import type { RecordedEvent } from '../../ports/event-store.ts'
import { recordedText, type StoredEvent } from './event-text.ts'
import { Reader } from './protobuf.ts'

/**
 * A message of a subscription. The client makes objects of every part of it, parses the texts of the event, and this service would only write them
 * again: here the event is taken from the bytes.
 */
export type ReadMessage =
  | { readonly kind: 'event'; readonly event: RecordedEvent }
  | { readonly kind: 'checkpoint'; readonly commit: bigint }
  | { readonly kind: 'confirmation' | 'other' }

/** The last text with this number in a message. */
const textIn = (message: Reader, field: number): string => {
  let text = ''
  while (message.next()) if (message.field === field) text = message.text()
  return text
}

const eventIn = (message: Reader): StoredEvent => {
  let [id, stream, type, contentType, data, meta] = ['', '', '', '', '', '']
  let [revision, position]: [bigint, bigint | undefined] = [0n, undefined]
  while (message.next()) {
    switch (message.field) {
      case 1:
        id = textIn(message.inner(), 2)
        break
      case 2:
        stream = textIn(message.inner(), 3)
        break
      case 3:
        revision = message.number()
        break
      case 5:
        position = message.number()
        break
      case 6: {
        const property = message.inner()
        const name = property.next() ? property.text() : ''
        if (name === 'type' && property.next()) type = property.text()
        else if (name === 'content-type' && property.next()) contentType = property.text()
        break
      }
      case 7:
        meta = message.text()
        break
      case 8:
        data = message.text()
        break
    }
  }
  return { id, stream, revision, type, isJson: contentType === 'application/json', data, meta, position }
}

export const readMessage = (bytes: Buffer): ReadMessage => {
  const message = new Reader(bytes)
  while (message.next()) {
    if (message.field === 1) {
      const event = message.inner()
      while (event.next()) if (event.field === 1) return { kind: 'event', event: recordedText(eventIn(event.inner())) }
    } else if (message.field === 2) return { kind: 'confirmation' }
    else if (message.field === 3) {
      const checkpoint = message.inner()
      while (checkpoint.next()) if (checkpoint.field === 1) return { kind: 'checkpoint', commit: checkpoint.number() }
    }
  }
  return { kind: 'other' }
}
