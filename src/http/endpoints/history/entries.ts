import { type HistoryReads, type NumberedAct, sizeIn } from '../../../history/history-reads.ts'
import { SITE } from '../../../history/records.ts'
import { StoreFault } from '../../../ports/faults.ts'
import { type Context, section, type Uses } from '../../contract/endpoint.ts'
import { describeParam, rawText, strictInteger, withDefault } from '../../contract/params.ts'
import { JsonLines } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { adminOnly } from '../../needs/facts.ts'
import { actFields, presentActs, textShape, textsIn } from './proofs.ts'
import { requireHistory, subsiteOfName } from './trees.ts'

const { get } = section('History', { scope: 'read', login: 'anyone', errors: 'plain' })

const MAX_ENTRIES = 500
const ENTRIES_PER_READ = 50

/** Reads acts from an entry on, up to the first one whose event cannot be read. */
const actsFrom = async (
  trees: HistoryReads,
  owner: string,
  k: number,
  limit: number,
): Promise<{ readonly acts: readonly NumberedAct[]; readonly unreadable: number | undefined }> => {
  try {
    const acts = await trees.acts(owner, k, limit)
    const gap = acts.findIndex((act, at) => act.k !== k + at)
    const consecutive = gap < 0 ? acts : acts.slice(0, gap)
    return { acts: consecutive, unreadable: consecutive.length < limit ? k + consecutive.length : undefined }
  } catch (fault) {
    // a store that is away may be back soon
    if (fault instanceof StoreFault && fault.kind === 'unavailable') throw fault
    if (limit === 1) return { acts: [], unreadable: k }
    const half = Math.floor(limit / 2)
    const first = await actsFrom(trees, owner, k, half)
    if (first.unreadable !== undefined) return first
    const rest = await actsFrom(trees, owner, k + half, limit - half)
    return { acts: [...first.acts, ...rest.acts], unreadable: rest.unreadable }
  }
}

async function* linesOf(context: Context & Uses<'history'>, trees: HistoryReads, owner: string, from: number): AsyncGenerator<string> {
  const checkpoint = await trees.checkpoint(owner)
  const size = checkpoint === undefined ? 0 : sizeIn(checkpoint)
  yield `${JSON.stringify({ kind: 'head', checkpoint: checkpoint ?? null, log: (await trees.checkpoint(undefined)) ?? null })}\n`
  const end = Math.min(size, from + MAX_ENTRIES)
  for (let k = from; k < end; k += ENTRIES_PER_READ) {
    const { acts, unreadable } = await actsFrom(trees, owner, k, Math.min(ENTRIES_PER_READ, end - k))
    for (const [at, line] of (await presentActs(context, acts)).entries()) {
      const texts = await textsIn({ trees }, acts[at] as NumberedAct, { entry: line.entry, fields: line.event.fields })
      yield `${JSON.stringify({ kind: 'entry', ...line, texts })}\n`
    }
    if (unreadable === undefined) continue
    yield `${JSON.stringify({ kind: 'unreadable', k: unreadable })}\n`
    return
  }
  yield `${JSON.stringify({ kind: 'end', next: end < size ? end : null })}\n`
}

const lines = new JsonLines(
  shape.component('HistoryLine', () =>
    shape.union(
      shape.recordSchema({
        kind: shape.constant('head'),
        checkpoint: shape.orNull(shape.text('note')),
        log: shape.orNull(shape.text('note')),
      }),
      shape.recordSchema({ kind: shape.constant('entry'), ...actFields, texts: shape.listOf(textShape) }),
      shape.recordSchema({
        kind: shape.constant('unreadable'),
        k: shape.integer(306, 'The entry whose event cannot be read: the log ends there.'),
      }),
      shape.recordSchema({ kind: shape.constant('end'), next: shape.orNull(shape.integer(500)) }),
    ),
  ),
)

const from = describeParam(withDefault(strictInteger({ min: 0, max: Number.MAX_SAFE_INTEGER }), 0), 'the `k` of the first entry')

const writeActs = (context: Context & Uses<'history'>, trees: HistoryReads, owner: string, k: number) => ({
  kind: 'parts' as const,
  type: 'application/x-ndjson; charset=UTF-8',
  parts: linesOf(context, trees, owner, k),
  headers: { 'Cache-Control': 'no-store' },
})

export const historyEntries = [
  get('/history/site/entries', {
    login: 'user',
    answers: { 200: lines },
    summary: 'The log of the site whole and in order, oldest entry first, as it is in the tree; for admins.',
    notes:
      'As for a subsite; `entry` is null, and `record` has what the leaf of the event is made of. How many entries there are everybody reads at `/api/v1/site/log_counts`.',
    params: { from },
    uses: ['history'],
    needs: { trees: requireHistory, admin: adminOnly() },
    handle: (context) => writeActs(context, context.trees, SITE, context.params.from),
  }),
  get('/history/s/{subsite}/entries', {
    answers: { 200: lines },
    summary: 'The moderation log of a subsite whole and in order, oldest entry first, as it is in the tree.',
    notes: `Lines of JSON: \`head\` with the signed heads of the subsite and of the whole log, at most ${MAX_ENTRIES} entries of those that the head covers, and \`end\`, whose \`next\` is the \`from\` of the next page, or null; in place of \`end\`, \`unreadable\` names an entry whose event the service cannot read. \`texts\` are those that the entry shows you, as in a proof.`,
    params: {
      subsite: describeParam(rawText(), 'the name of a subsite'),
      from,
    },
    uses: ['history'],
    needs: { trees: requireHistory, of: subsiteOfName },
    handle: (context) => writeActs(context, context.trees, context.of.id, context.params.from),
  }),
]
