import { CommentPosted } from '../../src/domain/comment.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { codec, type StampedEvent } from '../../src/log/codec.ts'
import type { ProposedEvent, RecordedEvent } from '../../src/ports/event-store.ts'
import { fixedKeys } from './fixed-keys.ts'

export const id = '0b7fb7f0-1f6f-5c7a-8e1f-0f3a8b0c9d01'
export const stamp = (decided: AnyEvent, change: Partial<StampedEvent> = {}): StampedEvent => ({
  id,
  event: decided,
  at: 1_771_000_000_000,
  by: { account: 't2_mod', as: 'moderator' },
  commandId: id,
  correlationId: id,
  causationId: id,
  seen: {},
  ...change,
})
export const toRecorded = (proposed: ProposedEvent, change: Partial<RecordedEvent> = {}): RecordedEvent => ({
  ...proposed,
  stream: 'a-stream',
  revision: 7,
  position: '00000000000000000042',
  ...change,
})

export const fixed = codec(fixedKeys)

export const comment = (body: string) =>
  CommentPosted({
    comment: 't1_1',
    link: 't5_1',
    subsite: 't4_1',
    author: 't2_ann',
    linkAuthor: 't2_bob',
    parent: null,
    body,
    filtered: false,
    notified: [],
  })
