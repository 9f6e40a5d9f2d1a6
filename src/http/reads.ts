import { comments } from '../../projections/comments.ts'
import type { App } from '../app.ts'
import { recording, recordingVault } from '../queries/recording.ts'
import type { Load } from '../runtime/run.ts'
import type { Keeping } from './exchange.ts'

/**
 * What responses are read through. Single events and files are not among it, since neither changes once it is stored; whether the author
 * of an event is erased is read from the account.
 */
export type Reads = Pick<App, 'documents' | 'vault' | 'clock' | 'load' | 'loadRecent' | 'commentIndexes' | 'readStream'>

/**
 * What one response is read through, from its site to its last item: if it may be cached, each read is recorded before it happens, since
 * a cache may answer it.
 */
export const openReads = ({ documents, vault, clock, load, loadRecent, commentIndexes, readStream }: Reads) => {
  const unrecorded: Reads = { documents, vault, clock, load, loadRecent, commentIndexes, readStream }

  const recorded = (keeping: Keeping): Reads => {
    const noteMore = () => {
      keeping.readsMore = true
    }
    const noting =
      (from: Load): Load =>
      (aggregate, id, command) => {
        keeping.noteAggregate(aggregate.category)
        return from(aggregate, id, command)
      }
    return {
      documents: recording(documents, keeping.note),
      vault: recordingVault(vault, noteMore),
      clock: () => {
        keeping.readsClock = true
        return clock()
      },
      load: noting(load),
      loadRecent: noting(loadRecent),
      commentIndexes: (link) => {
        keeping.note(comments.name)
        return commentIndexes(link)
      },
      readStream: (stream) => {
        noteMore()
        return readStream(stream)
      },
    }
  }

  return (keeping: Keeping | undefined): Reads => (keeping ? recorded(keeping) : unrecorded)
}
