import { join } from 'node:path'
import test from 'ava'
import { serveWitness } from '../../src/cli/witness.ts'
import { witnessKeyIn } from '../../src/history/cosignature.ts'
import { createWitness, openWitness } from '../../src/history/witness.ts'
import { browserAs } from '../support/browser-requests.ts'
import { startTea } from '../support/cast.ts'
import { eventually } from '../support/community.ts'
import { submit } from '../support/posting.ts'
import { temporaryDirectory } from '../support/temporary.ts'

test('admins see which of the configured witnesses have cosigned the last head, and up to where', async (t) => {
  const file = join(temporaryDirectory(t), 'witness.json')
  await createWitness(file, 'bob.example/witness')
  const witness = await openWitness(file, Date.now)
  if (!witness) throw new Error('there is no witness')
  const { address, close } = await serveWitness(witness, { host: '127.0.0.1', port: 0 }, (fault) => t.fail(String(fault)))
  t.teardown(close)
  const [url = '', text = ''] = address.split('#')
  const key = witnessKeyIn(text)
  if (!key) throw new Error(address)
  const away = { name: 'away.example/witness', key: key.key, url: 'http://127.0.0.1:9/' }
  const { site, ann, root } = await startTea(['root'], {
    historyWitnesses: [{ ...key, url }, away],
    historyHeadSeconds: 1,
    logLevel: 'silent',
  })
  t.teardown(() => site.stop())
  const status = async () => (await root.get('/api/v1/site/status')).at('witnesses')
  t.deepEqual(await status(), [
    { name: 'bob.example/witness', cosigned_utc: null, events: null },
    { name: 'away.example/witness', cosigned_utc: null, events: null },
  ])
  const keys = (await site.get('/history')).at('verifier_keys') as readonly string[]
  await witness.add(keys[0] ?? '')
  t.true(
    await eventually(async () => {
      await submit(ann, 'tea')
      return ((await status()) as readonly { readonly events: number | null }[])[0]?.events !== null
    }),
  )
  const [seen, unseen] = (await status()) as readonly { readonly cosigned_utc: number | null; readonly events: number | null }[]
  t.true(Math.abs((seen?.cosigned_utc ?? 0) - Date.now() / 1000) < 60)
  t.true((seen?.events ?? 0) > 0)
  t.deepEqual(unseen, { name: 'away.example/witness', cosigned_utc: null, events: null } as typeof unseen)
  const page = (await (await browserAs(site, root)).get('/admin')).text
  t.regex(page, /bob\.example\/witness: saw \d+ events/)
  t.regex(page, /away\.example\/witness: has not cosigned/)
})
