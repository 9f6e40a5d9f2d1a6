import test from 'ava'
import { startCast } from '../support/cast.ts'
import { postForm, waitUntilNumbered, waitUntilSettled } from '../support/community.ts'
import { nameOf, ofListings, rows } from '../support/interface-table.ts'
import { isWithoutEffect } from '../support/parameter-variations.ts'
import { foundSubsite, id36, say, settle, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import type { Answer, Caller } from '../support/site.ts'

// The parameters that the specification gives to all listings, tried on each of them.

const { site, ann, bob, carol } = await startCast(['ann', 'bob', 'carol'])
/** Some of everything that is listed; one of the links is hidden by bob, and so is one of the comments. */
const scene = async () => {
  const tea = await foundSubsite(ann, 'tea')
  await foundSubsite(ann, 'teatime', { title: 'Time for tea' })
  await settle(ann, tea, { wikimode: 'anyone' })
  const page = `${site.url}/s/tea/wiki/index`
  for (const content of ['old', 'newer', 'newest']) await postForm(ann, '/s/tea/api/wiki/edit', { page: 'index', content })
  const links: string[] = []
  for (const url of ['https://leaves.example/', page, page, page, 'https://leaves.example/', 'https://leaves.example/'])
    links.push(await submit(bob, 'tea', { title: 'leaves', url, resubmit: 'true' }))
  const [link = '', , third = '', hidden = ''] = links
  await postForm(carol, '/api/hide', { id: hidden })
  for (const text of ['one', 'two']) await say(ann, await say(bob, third, text), text)
  const reported = await say(bob, third, 'reported')
  for (const id of [link, third, reported]) await postForm(carol, '/api/report', { thing_id: id, reason: 'why' })
  for (const name of ['bob', 'carol', 'ann']) {
    await postForm(ann, '/s/tea/api/flair', { name, text: 'a flair' })
    if (name !== 'ann') await postForm(ann, '/s/tea/api/friend', { type: 'contributor', name })
  }
  for (const name of ['tea', 'teatime']) await postForm(carol, '/api/subscribe', { action: 'sub', sr: name })
  for (const subject of ['first', 'second', 'third']) await postForm(ann, '/api/compose', { to: 'carol', subject, text: 'hello' })
  await waitUntilSettled(site)
  await waitUntilNumbered(bob, 'tea')
  return { link }
}
const at = await scene()
test.after.always(() => site.stop())

type Place = readonly [reader: Caller, path: string]

/** For each listing, an address that lists at least two things. */
const listings: Readonly<Record<string, readonly Place[]>> = {
  'GET /prefs/{where}': [[carol, '/prefs/friends']],
  'GET [/s/{sub}]/api/flairlist': [[ann, '/s/tea/api/flairlist']],
  'GET /duplicates/{article}': [[bob, `/duplicates/${id36(at.link)}`]],
  'GET [/s/{sub}]/hot': [[carol, '/s/tea/hot']],
  'GET [/s/{sub}]/new': [[carol, '/new']],
  'GET [/s/{sub}]/{sort}': [[carol, '/s/all/top']],
  'GET [/s/{sub}]/search': [[bob, '/search?q=leaves']],
  'GET /message/{where}': [[carol, '/message/inbox']],
  'GET [/s/{sub}]/about/log': [[bob, '/s/tea/about/log']],
  'GET [/s/{sub}]/about/{location}': [[ann, '/s/tea/about/reports']],
  'GET [/s/{sub}]/about/{where}': [[ann, '/s/tea/about/contributors']],
  'GET /subs/mine/{where}': [[carol, '/subs/mine/subscriber']],
  'GET /subs/{where}': [[bob, '/subs/new']],
  'GET /subsites/search': [[bob, '/subsites/search?q=tea']],
  'GET /user/{username}/{where}': [
    [carol, '/user/bob/submitted'],
    [carol, '/user/bob/comments'],
  ],
  'GET [/s/{sub}]/wiki/discussions/{page}': [[bob, '/s/tea/wiki/discussions/index']],
  'GET [/s/{sub}]/wiki/revisions': [[bob, '/s/tea/wiki/revisions']],
  'GET [/s/{sub}]/wiki/revisions/{page}': [[bob, '/s/tea/wiki/revisions/index']],
}

const asked = async ([reader, path]: Place, query: string): Promise<Answer> =>
  reader.get(query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`)

/** An anchor of a page; a pair of listings has those of the second, the list of flair has other names for them. */
const anchorOf = (answer: Answer, side: 'after' | 'before'): unknown =>
  answer.at(`data.${side}`) ?? answer.at(`1.data.${side}`) ?? answer.at(side === 'after' ? 'next' : 'prev')

/** A query with each parameter; without the parameter the page would have other things on it. */
const queriesFor = async (place: Place): Promise<Readonly<Record<string, string>>> => {
  const after = String(anchorOf(await asked(place, 'limit=1'), 'after'))
  const before = String(anchorOf(await asked(place, `limit=1&after=${after}`), 'before'))
  return {
    limit: 'limit=1',
    after: `after=${after}`,
    before: `before=${before}`,
    show: 'show=all',
    sr_detail: 'sr_detail=true',
    count: 'count=1',
  }
}

for (const row of rows.filter(({ listing }) => listing)) {
  const name = nameOf(row)
  // a stand-in for MongoDB may be unable to search
  const listed = servers !== undefined && name.endsWith('/search') ? test.skip : test
  listed(`${name}: each parameter of the listing protocol changes the page, unless it is known to have no effect`, async (t) => {
    const places = listings[name] ?? []
    t.true(places.length > 0, 'it has no example')
    const changing = new Set<string>()
    for (const place of places) {
      const plain = await asked(place, '')
      t.is(plain.status, 200, plain.text)
      for (const [param, query] of Object.entries(await queriesFor(place)))
        if ((await asked(place, query)).text !== plain.text) changing.add(param)
    }
    t.deepEqual(
      ofListings.filter((param) => !changing.has(param)),
      ofListings.filter((param) => isWithoutEffect(name, param)),
    )
  })
}
