import test from 'ava'
import { linkPermalink } from '../../src/http/present/permalink.ts'
import { startCast } from '../support/cast.ts'
import { foundSubsite } from '../support/posting.ts'
import { edit, openWikis } from '../support/wiki.ts'

const { site, ann } = await startCast(['ann'])
const newWiki = openWikis(ann)
test.after.always(() => site.stop())

/** A letter of two UTF-16 units. */
const LETTER = '𝕏'
/** Texts that, cut after so many units, would end in half a letter, whatever stands before them. */
const around = (characters: number): readonly string[] => [0, 1].map((more) => 'x'.repeat(characters - 5 + more) + LETTER.repeat(40))

/** JSON escapes halves of letters only. */
const isWhole = (value: unknown): boolean => !/\\ud[89a-f]/.test(JSON.stringify(value))

test.serial('a wiki page with a long heading of letters of two units is shown, with whole letters in its anchor', async (t) => {
  const wiki = await newWiki()
  for (const [n, heading] of around(60).entries()) {
    t.is((await edit(ann, wiki, `page${n}`, `# ${heading}\n\ntext`)).status, 200)
    const page = await ann.get(`/s/${wiki}/wiki/page${n}?raw_json=1`)
    t.is(page.status, 200)
    const anchor = [...heading].slice(0, 60).join('').toLowerCase()
    t.true(String(page.at('data.content_html')).includes(`href="#${encodeURIComponent(`wiki_${anchor}`)}"`))
  }
})

test.serial('refusals and results that quote a part of a parameter end in whole letters', async (t) => {
  await foundSubsite(ann, 'cut')
  for (const name of around(50)) {
    const refused = await ann.get(`/api/v1/me/prefs?fields=${encodeURIComponent(name)}`)
    t.is(refused.status, 400)
    t.true(isWhole(refused.body), refused.text)
  }
  for (const name of around(100)) {
    const answered = await ann.post('/s/cut/api/flaircsv', { flair_csv: `${name},text,css` })
    t.is(answered.status, 200)
    t.true(isWhole(answered.body), answered.text)
  }
})

test('the permalink of a long title ends in a whole letter', (t) => {
  for (const title of around(50)) t.notThrows(() => encodeURIComponent(linkPermalink('tea', 't3_a', title)), title)
})
