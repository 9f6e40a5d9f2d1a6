import test from 'ava'
import { listQueued } from '../../src/reactions/queue.ts'
import { startCast } from '../support/cast.ts'
import { eventually, logOf, postForm } from '../support/community.ts'
import { foundSubsite, submit } from '../support/posting.ts'

const queued = /^rostra_reactions_queued (\d+)$/m

test('a failing reaction is counted in the metrics and retried, and delays no request', async (t) => {
  const { site, ann, bob } = await startCast(['ann', 'bob'], { logLevel: 'fatal' })
  t.teardown(() => site.stop())
  const tea = await foundSubsite(ann, 'tea')
  await foundSubsite(bob, 'mate')
  const [cup, gourd] = [await submit(ann, 'tea'), await submit(bob, 'mate')]
  for (const [who, id] of [
    [ann, cup],
    [bob, gourd],
  ] as const)
    await postForm(who, '/api/set_subsite_sticky', { id, state: true })
  const { events, vault } = site.running.stores
  const spilt = { id: '00000000-0000-5000-8000-0000000000ff', type: 'TeaSpilt', data: '{}', meta: '{}' }
  await events.append(`stickies-${tea}`, 0, [spilt])

  await postForm(ann, '/api/remove', { id: cup })
  await postForm(bob, '/api/remove', { id: gourd })
  t.is((await logOf(bob, 'mate'))[0], `bob unsticky ${gourd}`)
  const count = async () => Number(queued.exec((await site.get('/metrics')).text)?.[1])
  t.true(await eventually(async () => (await count()) === 1))
  const [waiting] = await listQueued(vault)
  t.like(waiting, { type: 'LinkRemoved', stream: `link-${cup}` })
  t.regex(waiting?.error ?? '', /cannot read TeaSpilt at revision 1 of stickies-/)
  t.true(await eventually(async () => ((await listQueued(vault))[0]?.tries ?? 0) > 1))
})
