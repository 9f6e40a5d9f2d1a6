import test from 'ava'
import { five, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, logEntries } from '../support/community.ts'
import { found, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob, carol, root } = await startCast(five)
test.after.always(() => site.stop())

const actions = async (reader: Caller, subsite: string, query: string) =>
  (await logEntries(reader, subsite, query)).map(({ action }) => action)

test('the log can be filtered by moderators, kinds, target and times; unknown values match nothing', async (t) => {
  await found(ann, 'sieve')
  await appoint(ann, 'sieve', carol, '+posts')
  const link = await submit(bob, 'sieve', { title: 'A title', text: 'A text' })
  const comment = await say(bob, link)
  await done(carol, '/api/lock', { id: link })
  await done(ann, '/api/remove', { id: comment, spam: false })
  await done(root, '/api/unlock', { id: link })
  await done(root, '/api/approve', { id: comment })
  const all = ['approvecomment', 'unlock', 'removecomment', 'lock', 'acceptmoderatorinvite', 'invitemoderator']
  const some = (query: string) => actions(site, 'sieve', query)
  t.deepEqual(await some(''), all)
  t.deepEqual(await some('mod=&type=&target='), all, 'empty is no filter')
  t.deepEqual(await some('type=lock,unlock'), ['unlock', 'lock'])
  t.deepEqual(await some('type=lock,nonsense'), ['lock'])
  t.deepEqual(await some('type=nonsense'), [])
  t.deepEqual(await some('mod=carol, ann'), ['removecomment', 'lock', 'acceptmoderatorinvite', 'invitemoderator'])
  t.deepEqual(await some('mod=carol,nobody'), ['lock', 'acceptmoderatorinvite'])
  t.deepEqual(await some('mod=nobody'), [])
  t.deepEqual(await some('mod=a'), ['approvecomment', 'unlock'])
  t.deepEqual(await some('mod=a,carol,root'), ['approvecomment', 'unlock', 'lock', 'acceptmoderatorinvite'], 'each once')
  t.deepEqual(await some('mod=a,carol&type=lock,unlock'), ['unlock', 'lock'])
  t.deepEqual(await some(`target=${link}`), ['unlock', 'lock'])
  t.deepEqual(await some(`target=${link}&mod=carol`), ['lock'])
  t.deepEqual(await some(`target=${comment}&type=removecomment,lock`), ['removecomment'])
  t.deepEqual(await some(`target=${carol.id}`), ['invitemoderator'])
  t.deepEqual(await some('target=t5_zzzz'), [])
  t.deepEqual(await some('target=nonsense'), [])
  const many = Array.from({ length: 26 }, (_, n) => `name${n}`).join(',')
  t.like(await site.get(`/s/sieve/about/log?mod=${many}`), { status: 400 })
})

test('a time window of the log is paged without gaps, also with other filters', async (t) => {
  await found(ann, 'hours')
  const link = await submit(bob, 'hours', { title: 'A title', text: 'A text' })
  for (let n = 0; n < 3; n++) {
    await done(ann, '/api/lock', { id: link })
    await done(ann, '/api/unlock', { id: link })
  }
  const whole = await logEntries(site, 'hours')
  const now = Math.floor(Date.now() / 1000)
  const inWindow = (query: string) => logEntries(site, 'hours', query)
  t.deepEqual(await inWindow(`since=${now - 600}`), whole)
  t.deepEqual(await inWindow(`until=${now + 600}`), whole)
  t.deepEqual(await inWindow(`since=${now + 600}`), [])
  t.deepEqual(await inWindow(`until=${now - 600}`), [])
  const newest = Number(whole[0]?.created_utc)
  t.true((await inWindow(`since=${newest}&until=${newest}`)).length > 0, 'both ends belong to the window')
  t.is((await site.get('/s/hours/about/log?since=yesterday')).status, 400)
  const window = `since=${now - 600}&until=${now + 600}&type=lock,unlock&mod=ann&limit=2`
  const first = await site.get(`/s/hours/about/log?${window}`)
  const second = await site.get(`/s/hours/about/log?${window}&after=${first.at('data.after')}`)
  const third = await site.get(`/s/hours/about/log?${window}&after=${second.at('data.after')}`)
  t.deepEqual([...dataOf(first), ...dataOf(second), ...dataOf(third)], whole)
  t.deepEqual([first.at('data.before'), third.at('data.after')], [null, null])
  const back = await site.get(`/s/hours/about/log?${window}&before=${third.at('data.before')}`)
  t.deepEqual(dataOf(back), dataOf(second))
})

test('filters apply to the log of several subsites', async (t) => {
  for (const name of ['left', 'right']) {
    await found(ann, name)
    const link = await submit(bob, name, { title: 'A title', text: 'A text' })
    await done(ann, '/api/lock', { id: link })
    await done(root, '/api/remove', { id: link, spam: false })
    await done(ann, '/api/unlock', { id: link })
  }
  const some = (query: string) => actions(site, 'left+right', query)
  t.deepEqual(await some('type=lock,removelink'), ['removelink', 'lock', 'removelink', 'lock'])
  t.deepEqual(await some('mod=ann,a&type=lock,removelink'), ['removelink', 'lock', 'removelink', 'lock'])
  t.deepEqual(await some('mod=root&type=lock'), [])
  t.deepEqual(await some(`mod=ann&since=${Math.floor(Date.now() / 1000) - 600}`), ['unlock', 'lock', 'unlock', 'lock'])
})
