import test from 'ava'
import { five, startCast } from '../support/cast.ts'
import { appoint, logOf, postForm, recordsNothing } from '../support/community.ts'
import type { Answer, Caller } from '../support/site.ts'
import { edit, lines, openWikis, reasonOf, revisionsOf, textOf } from '../support/wiki.ts'

const cast = await startCast(five)
const newWiki = openWikis(cast.ann)
test.after.always(() => cast.site.stop())

/** The revisions of a page of five lines: that of ann, and those of bob and carol, who each edited hers in another line. */
const editedByTwo = async () => {
  const { ann, bob, carol } = cast
  const wiki = await newWiki()
  const write = async (who: Caller, content: string, previous: Readonly<Record<string, string>> = {}) => {
    await postForm(who, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content, ...previous })
    return (await revisionsOf(ann, wiki, 'leaves'))[0]?.id ?? ''
  }
  const base = await write(ann, lines('one', 'two', 'three', 'four', 'five'))
  const second = await write(bob, lines('ONE', 'two', 'three', 'four', 'five'), { previous: base })
  const third = await write(carol, lines('one', 'two', 'three', 'four', 'FIVE'), { previous: base })
  return { wiki, base, second, third, merged: lines('ONE', 'two', 'three', 'four', 'FIVE') }
}

test.serial('edits of the same revision are merged if they change other lines', async (t) => {
  const { wiki, merged } = await editedByTwo()
  t.is(await textOf(cast.bob, wiki, 'leaves'), merged)
})

test.serial('an edit of lines that others changed is a conflict, with the texts the client needs to resolve it', async (t) => {
  const { ann, bob } = cast
  const { wiki, base, third, merged } = await editedByTwo()
  const conflict = await edit(bob, wiki, 'leaves', lines('uno', 'two', 'three', 'four', 'five'), { previous: base })
  t.is(conflict.status, 409)
  t.like(conflict.body, { reason: 'EDIT_CONFLICT', message: 'Conflict', newcontent: merged, newrevision: third })
  t.regex(String(conflict.at('diffcontent')), /^&lt;table class="diff"&gt;/)
  t.regex(String(conflict.at('diffcontent')), /diff_gone.*ONE.*diff_new.*uno/s)
  t.is((await revisionsOf(ann, wiki, 'leaves')).length, 3, 'nothing was recorded')
  t.is((await edit(bob, wiki, 'leaves', lines('uno', 'two', 'three', 'four', 'FIVE'), { previous: third })).status, 200)
})

test.serial('an edit without a revision replaces what is there, one of an empty revision conflicts with it', async (t) => {
  const { bob } = cast
  const { wiki } = await editedByTwo()
  t.is((await edit(bob, wiki, 'leaves', 'all new', { previous: '' })).status, 409)
  t.is((await edit(bob, wiki, 'leaves', 'all\r\nnew')).status, 200)
  t.is(await textOf(bob, wiki, 'leaves'), 'all\nnew')
})

test.serial('a revision of another page is none to edit', async (t) => {
  const { ann, bob } = cast
  const { wiki, second } = await editedByTwo()
  await postForm(ann, `/s/${wiki}/api/wiki/edit`, { page: 'other', content: 'x' })
  t.deepEqual(reasonOf(await edit(bob, wiki, 'other', 'y', { previous: second })), [404, 'INVALID_REVISION'])
})

test.serial('each of 64 concurrent edits of a revision is merged into the page or refused', async (t) => {
  const { bob } = cast
  const wiki = await newWiki()
  const section = (n: number) => lines(`## ${n}`, '', `text ${n}`, '')
  const start = lines(...Array.from({ length: 48 }, (_, n) => section(n)))
  await postForm(bob, `/s/${wiki}/api/wiki/edit`, { page: 'many', content: start })
  const base = (await revisionsOf(bob, wiki, 'many'))[0]?.id ?? ''
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      edit(bob, wiki, 'many', start.replace(`text ${n % 48}\n`, `text ${n % 48} by ${n}\n`), { previous: base }),
    ),
  )
  t.deepEqual([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 409])
  const text = String(await textOf(bob, wiki, 'many'))
  for (const [n, { status }] of answers.entries()) t.is(text.includes(`by ${n}\n`), status === 200, `edit ${n}: ${status}`)
  t.is(answers.filter(({ status }) => status === 200).length, 48, 'one for each section')
  t.is((await revisionsOf(bob, wiki, 'many')).length, 49)
})

/** A page with three revisions by bob, carol, who moderates the wiki, and bob; the oldest first. */
const threeRevisions = async () => {
  const { ann, bob, carol } = cast
  const wiki = await newWiki()
  await appoint(ann, wiki, carol, '+wiki')
  for (const [n, who] of [bob, carol, bob].entries())
    await postForm(who, `/s/${wiki}/api/wiki/edit`, { page: 'leaves', content: lines('first', `text ${n}`, 'last'), reason: `reason ${n}` })
  const [third = '', second = '', first = ''] = (await revisionsOf(bob, wiki, 'leaves')).map(({ id }) => id)
  const hide = (who: Caller, revision: string, page = 'leaves') => who.post(`/s/${wiki}/api/wiki/hide?page=${page}&revision=${revision}`)
  const revert = (who: Caller, revision: string) => who.post(`/s/${wiki}/api/wiki/revert?page=leaves&revision=${revision}`)
  return { wiki, path: `/s/${wiki}/wiki/leaves`, first, second, third, hide, revert }
}

test.serial('a revision can be read and compared with another', async (t) => {
  const { site } = cast
  const { path, first, second } = await threeRevisions()
  t.like((await site.get(`${path}?v=${first}`)).at('data'), { content_md: lines('first', 'text 0', 'last') })
  t.is((await site.get(`${path}?v=${second}`)).at('data.revision_by.data.name'), 'carol')
  const compared = await site.get(`${path}?v=${first}&v2=${second}&raw_json=1`)
  t.is(compared.at('data.content_md'), lines('first', 'text 1', 'last'))
  t.is(compared.at('data.revision_by.data.name'), 'bob')
  t.regex(String(compared.at('data.diff')), /diff_same.*first.*diff_gone.*text 0.*diff_new.*text 1.*diff_same.*last/)
  t.deepEqual(reasonOf(await site.get(`${path}?v=nonsense`)), [404, 'INVALID_REVISION'])
  t.deepEqual(reasonOf(await site.get(`${path}?v=${first}&v2=nonsense`)), [404, 'INVALID_REVISION'])
})

test.serial('only a moderator of the wiki can hide a revision, which must be one of the page', async (t) => {
  const { bob, carol } = cast
  const { first, hide } = await threeRevisions()
  t.deepEqual(reasonOf(await hide(bob, first)), [403, 'MOD_REQUIRED'])
  t.deepEqual(reasonOf(await hide(carol, '')), [400, 'INVALID_REVISION'])
  t.deepEqual(reasonOf(await hide(carol, 'nonsense')), [404, 'INVALID_REVISION'])
  t.deepEqual(reasonOf(await hide(carol, first, 'none')), [404, 'PAGE_NOT_FOUND'])
})

test.serial('a hidden revision can be neither seen nor edited by who does not moderate the wiki', async (t) => {
  const { site, bob, carol } = cast
  const { wiki, path, first, second, third, hide } = await threeRevisions()
  await hide(carol, first)
  for (const who of [site, bob]) {
    t.deepEqual(reasonOf(await who.get(`${path}?v=${first}`)), [403, 'HIDDEN_REVISION'])
    t.deepEqual(reasonOf(await who.get(`${path}?v=${second}&v2=${first}`)), [403, 'HIDDEN_REVISION'])
    t.deepEqual(
      (await revisionsOf(who, wiki, 'leaves')).map(({ id }) => id),
      [third, second],
    )
    t.false((await who.get(`/s/${wiki}/wiki/revisions`)).text.includes(first))
  }
  t.deepEqual(reasonOf(await edit(bob, wiki, 'leaves', 'x', { previous: first })), [403, 'HIDDEN_REVISION'])
})

test.serial('a moderator of the wiki sees a hidden revision, marked in the list of those of the page', async (t) => {
  const { carol } = cast
  const { wiki, path, first, second, third, hide } = await threeRevisions()
  await hide(carol, first)
  t.deepEqual(
    (await revisionsOf(carol, wiki, 'leaves')).map(({ id, revision_hidden }) => [id, revision_hidden]),
    [
      [third, false],
      [second, false],
      [first, true],
    ],
  )
  t.true((await carol.get(`/s/${wiki}/wiki/revisions`)).text.includes(first))
  t.is((await carol.get(`${path}?v=${first}`)).status, 200)
})

test.serial('hiding a hidden revision shows it again', async (t) => {
  const { site, carol } = cast
  const { path, first, hide } = await threeRevisions()
  t.deepEqual((await hide(carol, first)).body, { status: true })
  t.is((await site.get(`${path}?v=${first}`)).status, 403)
  t.deepEqual((await hide(carol, first)).body, { status: false })
  t.is((await site.get(`${path}?v=${first}`)).status, 200)
})

test.serial('a page of which the newest revision is hidden still shows its text', async (t) => {
  const { site, carol } = cast
  const { wiki, third, hide } = await threeRevisions()
  await hide(carol, third)
  t.is(await textOf(site, wiki, 'leaves'), lines('first', 'text 2', 'last'))
})

test.serial('a moderator can revert a page to a revision, unless the page has its text already', async (t) => {
  const { site, carol } = cast
  const { wiki, first, revert } = await threeRevisions()
  t.deepEqual((await revert(carol, first)).body, {})
  t.is(await textOf(site, wiki, 'leaves'), lines('first', 'text 0', 'last'))
  t.regex(String((await revisionsOf(site, wiki, 'leaves'))[0]?.reason), /^reverted back \d+ (second|minute)s?$/)
  t.true(await recordsNothing(site, () => revert(carol, first)), 'the text is there already')
})

test.serial('only a moderator of the wiki can revert a page, and only to a revision that is named', async (t) => {
  const { bob, carol } = cast
  const { first, revert } = await threeRevisions()
  t.deepEqual(reasonOf(await revert(bob, first)), [403, 'MOD_REQUIRED'])
  t.deepEqual(reasonOf(await revert(carol, '')), [400, 'INVALID_REVISION'])
})

test.serial('edits, hidden revisions and reverts by moderators are log entries, edits by others are none', async (t) => {
  const { site, carol } = cast
  const { wiki, first, third, hide, revert } = await threeRevisions()
  for (const revision of [first, first, third]) await hide(carol, revision)
  await revert(carol, first)
  const [reverted, ...log] = (await logOf(site, wiki)).filter((line) => line.startsWith('carol wikirevise'))
  t.regex(String(reverted), /^carol wikirevise - revert Page leaves, reverted back \d/)
  t.deepEqual(log, [
    `carol wikirevise - hide Page leaves, revision ${third}`,
    `carol wikirevise - unhide Page leaves, revision ${first}`,
    `carol wikirevise - hide Page leaves, revision ${first}`,
    'carol wikirevise - Page leaves edited reason 1',
  ])
  t.false(
    (await logOf(site, wiki)).some((line) => line.startsWith('bob')),
    'what users write is no act of moderation',
  )
})

type Shown = readonly { id: string; page: string; author: { data: { name: string } }; timestamp: number }[]

/** A wiki of two pages that bob edited in turn, and the revisions of both that are found under a query. */
const twoPages = async () => {
  const { site, bob } = cast
  const wiki = await newWiki()
  for (let n = 0; n < 5; n += 1) await postForm(bob, `/s/${wiki}/api/wiki/edit`, { page: n % 2 ? 'odd' : 'even', content: `text ${n}` })
  const find = (query: string) => site.get(`/s/${wiki}/wiki/revisions?${query}`)
  const shownIn = (answer: Answer) => answer.at('data.children') as Shown
  return { wiki, find, shownIn }
}

test.serial('revisions of all pages are listed newest first, each with its page, author and time', async (t) => {
  const { find, shownIn } = await twoPages()
  const all = await find('limit=5')
  t.is(all.at('kind'), 'Listing')
  const shown = shownIn(all)
  t.deepEqual(
    shown.map(({ page }) => page),
    ['even', 'odd', 'even', 'odd', 'even'],
  )
  t.deepEqual([shown[0]?.author.data.name, typeof shown[0]?.timestamp], ['bob', 'number'])
})

test.serial('revisions are listed in pages, in both directions', async (t) => {
  const { find, shownIn } = await twoPages()
  const idsOf = (answer: Answer) => shownIn(answer).map(({ id }) => id)
  const all = idsOf(await find('limit=5'))
  const first = await find('limit=2')
  t.is(first.at('data.after'), `WikiRevision_${all[1]}`)
  const next = await find(`limit=2&after=${first.at('data.after')}`)
  t.deepEqual(idsOf(next), all.slice(2, 4))
  t.deepEqual(idsOf(await find(`limit=2&before=${next.at('data.before')}`)), all.slice(0, 2))
})

test.serial('the revisions of one page are its own only, and a page that is not there has none', async (t) => {
  const { site } = cast
  const { wiki } = await twoPages()
  t.is((await revisionsOf(site, wiki, 'odd')).length, 2)
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/revisions/none`)), [404, 'PAGE_NOT_FOUND'])
})
