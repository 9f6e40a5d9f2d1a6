import { type Five, five, startCast } from '../support/cast.ts'
import { dataOf, logOf, postForm, recordsNothing } from '../support/community.ts'
import { readThing, submit } from '../support/posting.ts'
import { newThread } from '../support/scenes.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

/** A new subsite with four links of bob's, and which of them are in its slots. */
const slotted = async (cast: Five) => {
  const { site, ann, bob } = cast
  const { name, link } = await newThread(cast)
  const links = [link, await submit(bob, name), await submit(bob, name), await submit(bob, name)] as const
  const stick = (id: string, num?: number) => postForm(ann, '/api/set_subsite_sticky', { id, state: true, num })
  const unstick = (id: string) => postForm(ann, '/api/set_subsite_sticky', { id, state: false })
  const inSlot = async (num: number) => {
    const location = (await site.get(`/s/${name}/sticky?num=${num}`)).headers.get('location')
    return location === null ? undefined : `t5_${location.split('/')[4]}`
  }
  const slots = async () => [await inSlot(1), await inSlot(2)]
  return { name, links, stick, unstick, slots }
}

test.serial('a link is stickied in the slot named or in the next free one', async (t) => {
  const { links, stick, slots } = await slotted(t.context)
  const [first, second] = links
  await stick(first, 2)
  t.deepEqual(await slots(), [first, undefined], 'there is no second without a first')
  await stick(second, 2)
  t.deepEqual(await slots(), [first, second])
})

test.serial('a link stickied while both slots are taken replaces the one in the slot named, or the lower one', async (t) => {
  const { ann } = t.context
  const { links, stick, slots } = await slotted(t.context)
  const [first, second, third, fourth] = links
  for (const id of [first, second, third]) await stick(id)
  t.deepEqual(await slots(), [first, third])
  await postForm(ann, '/api/set_subreddit_sticky', { id: fourth, state: true, num: 1 })
  t.deepEqual(await slots(), [fourth, third])
})

test.serial('a stickied link cannot be stickied again', async (t) => {
  const { site, ann } = t.context
  const { links, stick } = await slotted(t.context)
  await stick(links[0])
  const again = async () => {
    const { status, body } = await ann.post('/api/set_subsite_sticky', { id: links[0], state: true })
    t.is(status, 409)
    t.like(body, { reason: 'ALREADY_STICKIED', explanation: 'that link is already stickied', fields: ['id'] })
  }
  t.true(await recordsNothing(site, again))
})

test.serial('the lower of two stickied links moves up when the upper one is unstickied, which can be repeated', async (t) => {
  const { site } = t.context
  const { links, stick, unstick, slots } = await slotted(t.context)
  const [upper, lower] = links
  for (const id of [upper, lower]) await stick(id)
  await unstick(upper)
  t.deepEqual(await slots(), [lower, undefined])
  t.true(await recordsNothing(site, () => unstick(upper)))
})

test.serial('stickying, replacing and unstickying a link are log entries', async (t) => {
  const { name, links, stick, unstick } = await slotted(t.context)
  const [first, second, third, fourth] = links
  for (const id of [first, second, third]) await stick(id)
  await stick(fourth, 1)
  await unstick(fourth)
  t.deepEqual(await logOf(t.context.bob, name), [
    `ann unsticky ${fourth}`,
    `ann sticky ${fourth}`,
    `ann unsticky ${first} replaced`,
    `ann sticky ${third}`,
    `ann unsticky ${second} replaced`,
    `ann sticky ${second}`,
    `ann sticky ${first}`,
  ])
})

test.serial('the address of a stickied link redirects to it in the format asked for, and is 404 where there is none', async (t) => {
  const { site } = t.context
  const { name, links, stick } = await slotted(t.context)
  t.is((await site.get(`/s/${name}/sticky`)).status, 404)
  await stick(links[0])
  t.is((await site.get(`/s/${name}/about/sticky.json`)).headers.get('location')?.split('/').at(-1), '.json')
  t.is((await site.get('/sticky')).status, 404)
  t.is((await site.get(`/s/${name}/sticky?num=two`)).status, 404)
})

test.serial('removing a stickied link frees its slot with a log entry, deleting it without one', async (t) => {
  const { ann, bob, site } = t.context
  const { name, link: first } = await newThread(t.context)
  const second = await submit(bob, name)
  await postForm(ann, '/api/set_subsite_sticky', { id: first, state: true })
  await postForm(ann, '/api/set_subsite_sticky', { id: second, state: true })
  await postForm(ann, '/api/remove', { id: first })
  await postForm(bob, '/api/del', { id: second })
  t.is((await site.get(`/s/${name}/sticky`)).status, 404)
  t.deepEqual(await logOf(bob, name), [
    `ann unsticky ${first}`,
    `ann removelink ${first} spam`,
    `ann sticky ${second}`,
    `ann sticky ${first}`,
  ])
  for (const id of [first, second]) t.is((await ann.post('/api/set_subsite_sticky', { id, state: true })).status, 400)
})

test.serial('the log entry of an unsticky describes the link as it was then', async (t) => {
  const { ann, bob } = t.context
  const { name, link } = await newThread(t.context)
  const other = await submit(bob, name)
  const sticky = (id: string, state = true) => postForm(ann, '/api/set_subsite_sticky', { id, state, num: 1 })
  const edit = (text: string) => postForm(bob, '/api/editusertext', { thing_id: link, text })
  await sticky(link)
  await edit('replaced')
  await sticky(other)
  await sticky(link)
  await edit('asked')
  await sticky(link, false)
  await sticky(link)
  await edit('removed')
  await postForm(ann, '/api/remove', { id: link })
  const log = dataOf(await ann.get(`/s/${name}/about/log?type=unsticky`)).filter(({ target_fullname }) => target_fullname === link)
  t.deepEqual(
    log.map(({ target_body }) => target_body),
    ['removed', 'asked', 'replaced'],
  )
})

test.serial('only a link can be stickied', async (t) => {
  const { site, ann } = t.context
  const { comment } = await newThread(t.context)
  t.true(
    await recordsNothing(site, async () => t.is((await ann.post('/api/set_subsite_sticky', { id: comment, state: true })).status, 400)),
  )
  t.is((await ann.post('/api/set_subsite_sticky', { id: 't5_zzzz', state: true })).status, 403)
})

/** Moderators concurrently sticky, remove and approve links of a new subsite, one of which is removed and approved 32 times. */
const stickyContest = async (cast: Five) => {
  const { ann, bob, root, site } = cast
  const { name, link } = await newThread(cast)
  const others = await Promise.all(Array.from({ length: 7 }, (_, n) => submit(bob, name, { title: `post ${n}` })))
  const rivals = [link, ...others]
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) => {
      const caller = n % 2 === 0 ? ann : root
      const target = rivals[n % rivals.length] ?? link
      if (n % 4 === 0) return caller.post('/api/set_subsite_sticky', { id: target, state: true })
      if (n % 4 === 1) return caller.post('/api/set_subsite_sticky', { id: target, state: n % 8 === 1, num: 1 })
      return caller.post(n % 4 === 2 ? '/api/remove' : '/api/approve', { id: link })
    }),
  )
  return { name, link, rivals, answers, log: (await logOf(site, name)).toReversed() }
}

let contested: ReturnType<typeof stickyContest> | undefined
/** The one contest of this file. */
const theContest = (cast: Five) => {
  contested ??= stickyContest(cast)
  return contested
}

test.serial('of concurrent removals and approvals of a link that others sticky each is a log entry, and the last one holds', async (t) => {
  const { name, link, answers, log } = await theContest(t.context)
  t.true(
    answers.every(({ status }) => status < 500),
    JSON.stringify(answers.map(({ status }) => status)),
  )
  const verdicts = log.filter((entry) => /(remove|approve)link/.test(entry))
  t.is(verdicts.length, 32)
  let removed = false
  for (const entry of verdicts) {
    if (/ approvelink /.test(entry)) {
      t.is(entry.split(' ')[3], removed ? 'unspam' : 'confirm_ham')
      removed = false
    } else {
      t.is(entry.split(' ')[3], removed ? 'confirm_spam' : 'spam')
      removed = true
    }
  }
  t.is(
    dataOf(await t.context.site.get(`/s/${name}/new`)).some((data) => data.name === link),
    !removed,
  )
})

test.serial('of concurrent stickies no more than two hold at a time, and those that the log leaves are shown', async (t) => {
  const { rivals, log } = await theContest(t.context)
  const stickied = new Set<string>()
  for (const entry of log.map((line) => line.split(' '))) {
    const [, action, target = ''] = entry
    if (action === 'sticky') stickied.add(target)
    if (action === 'unsticky') t.true(stickied.delete(target), `${target} was stickied before it was unstickied`)
    t.true(stickied.size <= 2)
  }
  const shown = (await Promise.all(rivals.map(async (id) => [id, (await readThing(t.context.ann, id)).stickied] as const))).filter(
    ([, is]) => is,
  )
  t.deepEqual(shown.map(([id]) => id).toSorted(), [...stickied].toSorted())
})
