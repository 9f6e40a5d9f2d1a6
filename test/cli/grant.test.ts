import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'
import { startSite } from '../support/site.ts'

const grantByCommand = async (
  stores: { readonly eventStoreUrl: string; readonly documentStoreUrl: string },
  ...args: readonly string[]
) => {
  const env = { ...process.env, EVENT_STORE_URL: stores.eventStoreUrl, DOCUMENT_STORE_URL: stores.documentStoreUrl }
  const run = promisify(execFile)(process.execPath, ['src/cli/grant.ts', ...args], { cwd: new URL('../..', import.meta.url), env })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  )
}

test('npm run grant grants credits beside a running service', async (t) => {
  const site = await startSite()
  t.teardown(site.stop)
  const ann = await site.register('Ann')
  const { config } = site.running.app
  t.deepEqual(await grantByCommand(config, 'ann', '12'), { code: 0, stdout: 'Ann has 12 csites\n', stderr: '' })
  t.is((await grantByCommand(config, 'ANN', '3')).stdout, 'Ann has 15 csites\n')
  for (let tries = 0; tries < 300 && (await ann.get('/api/v1/me')).at('gold_csites') !== 15; tries++)
    await new Promise((r) => setTimeout(r, 30))
  t.is((await ann.get('/api/v1/me')).at('gold_csites'), 15)
  t.like(await grantByCommand(config, 'nobody_1', '3'), { code: 1, stdout: '', stderr: "USER_DOESNT_EXIST: that user doesn't exist\n" })
  for (const csites of ['0', '-1', 'x', '1000001', '1e3']) t.is((await grantByCommand(config, 'ann', csites)).code, 2, csites)
  t.is((await grantByCommand(config, 'ann')).code, 2)
})
