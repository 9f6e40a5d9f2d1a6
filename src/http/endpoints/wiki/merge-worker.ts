import { parentPort } from 'node:worker_threads'
import { merged, tableOf } from './line-merge.ts'

/** A request to merge two changes of a text, or to compare two texts. */
export type MergeJob =
  | { readonly kind: 'merge'; readonly base: string; readonly theirs: string; readonly mine: string }
  | { readonly kind: 'compare'; readonly before: string; readonly after: string }

// A worker thread that merges and compares texts, one at a time.
parentPort?.on('message', (job: MergeJob) => parentPort?.postMessage(job.kind === 'merge' ? merged(job) : tableOf(job)))
parentPort?.postMessage('ready')
