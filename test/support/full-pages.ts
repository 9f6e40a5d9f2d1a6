import { startCast } from './cast.ts'
import { appoint, postForm } from './community.ts'
import { compose, firstMail } from './mail.ts'
import type { PageScene } from './page-rows.ts'
import { picture, uploadTo } from './pictures.ts'
import { foundSubsite, say, settle, submit } from './posting.ts'
import { edit } from './wiki.ts'

/** The longest name that an account may have. */
const LONG_NAME = 'wwwwwwwwwwmmmmmmmmmm'
const LONG_TITLE = 'W'.repeat(300)
const longWord = 'x'.repeat(400)
const text = `Two words and ${longWord}

| ${'column | '.repeat(20)}
| ${'--- | '.repeat(20)}
| ${'value | '.repeat(20)}

    ${'code '.repeat(80)}

> [${longWord}](https://a.example/${longWord}) \`${longWord}\`

# ${longWord}
`

/**
 * A site on which every page of the rows has something to show, all of it as long and as wide as it may be: `long` moderates `tea` with
 * ann, and is called by the longest name. `root` is an admin.
 */
export const startFullPages = async (options: Parameters<typeof startCast>[1] = {}) => {
  const cast = await startCast(['ann', 'bob', 'root', LONG_NAME], { captcha: false, ...options })
  const { site, ann, bob, root, [LONG_NAME]: long } = cast
  const tea = await foundSubsite(ann, 'tea', { title: 'Tea' })
  await settle(ann, tea, {
    title: 'Letters, type and print',
    wikimode: 'anyone',
    public_description: 'All about leaves',
    description: text,
    submit_text: text.slice(0, 1000),
  })
  for (const [use, width, height] of [
    ['banner', 640, 192],
    ['icon', 256, 256],
    ['header', 1200, 40],
    ['img', 900, 40],
  ] as const)
    await uploadTo(ann, 'tea', { upload_type: use, name: 'x'.repeat(100) }, await picture({ width, height }))
  await postForm(ann, '/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: '.md { width: 99999px; letter-spacing: 1px }' })
  await appoint(ann, 'tea', long, '+all')
  for (const rule of ['Be kind', 'y'.repeat(50)])
    await postForm(ann, '/api/add_subsite_rule', { r: 'tea', short_name: rule, description: `As ${longWord}`, kind: 'all' })
  for (const page of ['index', 'brewing/green']) await edit(bob, 'tea', page, text, { reason: 'z'.repeat(200) })
  await edit(bob, 'tea', 'index', `${text}\n\nnew`)
  const link = await submit(ann, 'tea', { title: 'A pot of green', text })
  const wide = await submit(long, 'tea', { title: LONG_TITLE, url: `https://${'a-long-name.'.repeat(5)}example/${longWord}` })
  const seen = await submit(bob, 'tea', { title: 'Leaves', url: 'https://a.example/leaves' })
  for (const [flair_type, words] of [
    ['USER_FLAIR', 'h'.repeat(64)],
    ['LINK_FLAIR', 'i'.repeat(64)],
  ] as const)
    await postForm(ann, '/s/tea/api/flairtemplate', { flair_type, text: words, css_class: 'k'.repeat(100), text_editable: true })
  await postForm(ann, '/api/flair', { r: 'tea', link: wide, text: 'f'.repeat(64), css_class: 'x' })
  await postForm(ann, '/api/flair', { r: 'tea', name: LONG_NAME, text: 'g'.repeat(64), css_class: 'x' })
  const comment = await say(bob, link, 'good water')
  let parent = comment
  for (const [n, by] of [long, ann, long, bob, ann, long].entries()) parent = await say(by, parent, n === 2 ? text : `About ${longWord}`)
  for (const thing of [wide, seen, comment, parent]) await postForm(ann, '/api/report', { thing_id: thing, reason: 'r'.repeat(100) })
  await postForm(bob, '/api/report', { thing_id: wide, reason: 'q'.repeat(100) })
  await postForm(long, '/api/lock', { id: seen })
  await postForm(long, '/api/distinguish', { id: parent, how: 'yes' })
  await postForm(long, '/api/set_subsite_sticky', { id: link, state: true })
  await postForm(long, '/api/friend', { r: 'tea', type: 'banned', name: 'bob', note: longWord.slice(0, 300), duration: 3 })
  await postForm(long, '/api/unfriend', { r: 'tea', type: 'banned', name: 'bob' })
  await postForm(long, '/api/remove', { id: await submit(bob, 'tea', { title: `Spam ${longWord.slice(0, 200)}` }), spam: true })
  await compose(ann, 'bob', 'Leaves', 'Which water?')
  for (const [from, to] of [
    [ann, LONG_NAME],
    [bob, 'ann'],
    [long, '/s/tea'],
  ] as const)
    await compose(from, to, 's'.repeat(100), text)
  const message = String((await firstMail(ann, 'messages'))?.data.id)
  const scene: PageScene = { link: link.slice(3), comment: comment.slice(3), message }
  await postForm(ann, '/api/report', { thing_id: `t6_${message}`, reason: 'r'.repeat(100) })
  return { site, ann, bob, root, long, scene }
}
