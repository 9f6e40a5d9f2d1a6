import test from 'ava'
import { call, spawnProgram } from '../support/command.ts'
import { startSite } from '../support/site.ts'

test('npx rostra grant grants credits beside a running service', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const ann = await site.register('Ann')
  const { eventStoreUrl, documentStoreUrl } = site.running.app.config
  const env = { EVENT_STORE_URL: eventStoreUrl, DOCUMENT_STORE_URL: documentStoreUrl }
  const granted = (...args: readonly string[]) => call('grant', { env, args })
  t.deepEqual(await spawnProgram('grant', { env, args: ['ann', '12'] }), { code: 0, stdout: 'Ann has 12 csites\n', stderr: '' })
  t.is((await granted('ANN', '3')).stdout, 'Ann has 15 csites\n')
  for (let tries = 0; tries < 300 && (await ann.get('/api/v1/me')).at('gold_csites') !== 15; tries++)
    await new Promise((r) => setTimeout(r, 30))
  t.is((await ann.get('/api/v1/me')).at('gold_csites'), 15)
  t.like(await granted('nobody_1', '3'), { code: 1, stdout: '', stderr: "USER_DOESNT_EXIST: that user doesn't exist\n" })
  for (const csites of ['0', '-1', 'x', '1000001', '1e3']) t.is((await granted('ann', csites)).code, 2, csites)
  t.is((await granted('ann')).code, 2)
})
