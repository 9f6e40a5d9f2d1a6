import { answerEach } from '../../workers/worker-entry.ts'
import { mergeLines, tableOf } from './line-merge.ts'

/** A request to merge two changes of a text, or to compare two texts. */
export type MergeJob =
  | { readonly kind: 'merge'; readonly base: string; readonly theirs: string; readonly mine: string }
  | { readonly kind: 'compare'; readonly before: string; readonly after: string }

// A process that merges and compares texts, one at a time.
answerEach((job: MergeJob) => (job.kind === 'merge' ? mergeLines(job) : tableOf(job)))
