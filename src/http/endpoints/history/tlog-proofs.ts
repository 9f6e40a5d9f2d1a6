import { boundRecord, entryRecord } from '../../../history/records.ts'
import { section } from '../../contract/endpoint.ts'
import { describeParam, rawText, withSchema } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { plainText } from '../../contract/schemas/answers.ts'
import { base64, entryParam, requireAct } from './proofs.ts'
import { requireHistory } from './trees.ts'

const { get } = section('History', { scope: 'read', login: 'anyone', errors: 'plain' })

const TREES = ['log', 'subsite']

const tree = describeParam(
  withSchema(rawText(), { type: 'string', enum: TREES }),
  '`log`, the tree over the whole log, or `subsite`, that over the moderation log',
)

export const historyTlogProofs = get('/history/proof/{entry}/{tree}', {
  answers: { 200: plainText },
  summary: 'Proof that an entry is in one of the two trees, as a C2SP tlog-proof.',
  notes:
    '`extra` has the record that the leaf is made of, so that programs of others need nothing else to check it. That of `log` holds commitments; `/history/proof/{entry}` opens those that you may read. 404 until a head covers the entry.',
  params: { entry: entryParam, tree },
  uses: ['history'],
  needs: { trees: requireHistory, act: requireAct },
  handle: async ({ trees, act, params }) => {
    if (!TREES.includes(params.tree)) return refuseRule('NOT_FOUND')
    const isOfLog = params.tree === 'log'
    const inclusion = await trees.inclusion(isOfLog ? undefined : act.owner, isOfLog ? act.n : act.k)
    if (inclusion === undefined) return refuseRule('NOT_FOUND')
    const { k, n, leaf } = act
    const bound = isOfLog ? await trees.boundBy(act) : undefined
    const recordInLog = bound ? boundRecord(leaf, bound) : act.record()
    const { checkpoint, index, path } = inclusion
    const extra = base64(Buffer.from(isOfLog ? recordInLog : entryRecord({ k, n, event: leaf })))
    const lines = ['c2sp.org/tlog-proof@v1', `extra ${extra}`, `index ${index}`, ...path.map(base64), '', checkpoint]
    return {
      kind: 'text',
      type: 'text/plain; charset=utf-8',
      body: lines.join('\n'),
      headers: { 'Cache-Control': 'no-store' },
      fleeting: true,
    }
  },
})
