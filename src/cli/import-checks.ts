// Decision 100.

import { problemOfId } from '../audit/rules/log.ts'
import { problemOfStream } from '../audit/rules/streams.ts'
import { isClientOf } from '../auth/clients.ts'
import { isGrantOf } from '../auth/tokens.ts'
import { isCredentials } from '../commands/credentials.ts'
import { AccountId } from '../domain/ids.ts'
import { isIntact, openWithoutKeys, UnreadableEvent } from '../log/codec.ts'
import { isKeyRecord } from '../log/keys.ts'
import { LOG_START } from '../ports/event-store.ts'
import { Misuse } from './data-file.ts'
import type { Content, ExportedEvent, ExportedRecord } from './export-format.ts'

// Refuses the contents of a whole file that the audit would report in the log, or that the service could not read.

const problemOfHash = ({ event }: ExportedEvent): string | undefined => {
  try {
    return isIntact(event) ? undefined : 'it differs from what was hashed when it was written'
  } catch {
    return 'its hash cannot be checked'
  }
}

const problemOfMeaning = async ({ stream, revision, event }: ExportedEvent): Promise<string | undefined> => {
  try {
    // keys come after the events, and a text that reads as erased has the same type
    const [logged] = await openWithoutKeys([{ ...event, stream, revision, position: LOG_START }])
    return logged && (problemOfStream(logged) ?? problemOfId(logged))
  } catch (error) {
    if (error instanceof UnreadableEvent) return error.why
    throw error
  }
}

const ofAccount = ({ id, owner }: ExportedRecord): boolean => AccountId.is(id) && owner === id

const isRecord: Readonly<Record<string, (record: ExportedRecord) => boolean>> = {
  key: (record) => ofAccount(record) && isKeyRecord(record.value),
  credentials: (record) => ofAccount(record) && isCredentials(record.value),
  client: ({ owner, value }) => isClientOf(owner, value),
  refresh: ({ owner, value }) => isGrantOf(owner, value),
}

const problemOfRecord = (record: ExportedRecord): string | undefined => {
  if (!Object.hasOwn(isRecord, record.kind)) return `${record.kind.slice(0, 100)} is not a record of an export`
  return isRecord[record.kind]?.(record) ? undefined : `the record of ${record.kind} ${record.id.slice(0, 100)} is damaged`
}

/** Yields the contents of an export, each checked. Throws for the first wrong one, and names its line. */
export async function* checkContents(contents: AsyncIterable<Content>): AsyncGenerator<Content, void> {
  for await (const content of contents) {
    if ('entry' in content) {
      const { entry } = content
      const problem = problemOfHash(entry) ?? (await problemOfMeaning(entry))
      if (problem !== undefined)
        throw new Misuse(`line ${entry.line}: ${entry.event.type} at revision ${entry.revision} of ${entry.stream}: ${problem}`)
    } else if ('record' in content) {
      const problem = problemOfRecord(content.record)
      if (problem !== undefined) throw new Misuse(`line ${content.line}: ${problem}`)
    }
    yield content
  }
}
