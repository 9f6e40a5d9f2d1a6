import { appoint, dataOf, postForm } from './community.ts'
import { foundSubsite, refusalOf, say, settle, submit } from './posting.ts'
import type { Answer, User } from './site.ts'

const took = (answer: Answer): Answer => {
  if (answer.status >= 300 || refusalOf(answer).includes(' ')) throw new Error(`refused: ${answer.status} ${answer.text}`)
  return answer
}

export type Everything = { readonly link: string; readonly post: string; readonly comment: string; readonly reply: string }

/**
 * `author` writes a word in every place where a text is kept under the key of its author: in subsites of the founder's whose names begin
 * with `place`, in one of which it moderates and in the other not. `rude` is who is banned. The word is of capital letters.
 */
export const writeEverywhere = async (
  word: string,
  author: User,
  founder: User,
  rude: User,
  [place, elsewhere]: readonly [string, string],
): Promise<Everything> => {
  const subsite = await foundSubsite(founder, place)
  await foundSubsite(founder, elsewhere)
  await settle(founder, subsite, { wikimode: 'anyone' })
  await appoint(founder, place, author, '+all')
  const link = await submit(author, place, { title: `${word} on leaves`, url: `https://example.com/${word}/leaf` })
  const post = await submit(author, place, { title: `${word} on water`, text: `${word} says soft` })
  const deletedPost = await submit(author, place, { title: `${word} on cups`, text: `${word} says blue` })
  const comment = await say(founder, post, 'the founder says hard water')
  const reply = await say(author, comment, `${word} disagrees`)
  await postForm(author, '/api/del', { id: deletedPost })
  await postForm(author, '/api/editusertext', { thing_id: post, text: `${word} says softer`, api_type: 'json' })
  await postForm(author, '/api/compose', { to: founder.name, subject: `${word} asks`, text: `${word} would like tea`, api_type: 'json' })
  await postForm(author, '/api/compose', {
    to: `/s/${elsewhere}`,
    subject: `${word} asks all`,
    text: `${word} would like more`,
    api_type: 'json',
  })
  took(await author.request('PUT', `/api/v1/me/friends/${founder.name}`, { json: { note: `${word} likes this one` } }))
  const model = JSON.stringify({ display_name: `${word} multi`, description_md: `${word} on multis`, subreddits: [{ name: place }] })
  const headers = { 'Idempotency-Key': `multi of ${author.name}`.replaceAll(' ', '-') }
  took(await author.request('POST', `/api/multi/user/${author.name}/m/shelf`, { form: { model, expand_srs: 'false' }, headers }))
  took(await author.post('/api/save', { id: comment, category: `${word.toLowerCase()} pots` }))
  for (const id of [link, reply]) await postForm(founder, '/api/remove', { id, spam: false })
  await postForm(founder, '/api/vote', { id: post, dir: 1 })

  // reports: as a moderator, as anybody, in the same words as another, and of a message
  await postForm(author, '/api/report', { thing_id: comment, reason: `${word} minds`, api_type: 'json' })
  const other = await submit(founder, elsewhere, { title: 'of the founder' })
  const shared = await submit(founder, elsewhere, { title: 'of the founder too' })
  await postForm(author, '/api/report', { thing_id: other, reason: `${word} minds this`, api_type: 'json' })
  await postForm(author, '/api/report', { thing_id: shared, reason: 'off topic', api_type: 'json' })
  await postForm(rude, '/api/report', { thing_id: shared, reason: 'off topic', api_type: 'json' })
  await postForm(founder, '/api/compose', { to: author.name, subject: 'hello', text: 'a letter', api_type: 'json' })
  const letter = String(dataOf(await author.get('/message/inbox')).find(({ subject }) => subject === 'hello')?.name)
  await postForm(author, '/api/report', { thing_id: letter, reason: `${word} minds letters`, api_type: 'json' })

  // texts of a moderator
  await say(rude, post, 'something rude')
  const relate = (type: string, name: string, more: object) =>
    postForm(author, `/s/${place}/api/friend`, { type, name, api_type: 'json', ...more })
  await relate('wikibanned', rude.name, { note: `${word} finds it no page` })
  await relate('muted', rude.name, { note: `${word} has heard enough` })
  await relate('banned', rude.name, { note: `${word} finds it rude`, duration: 3 })
  await relate('banned', rude.name, { note: `${word} finds it very rude`, ban_message: `${word} asks for peace` })
  await postForm(founder, `/s/${place}/api/flair`, { name: author.name, text: `${word} the brewer`, css_class: 'plain', api_type: 'json' })
  await postForm(author, `/s/${place}/api/flair`, { link: post, text: `${word} brewed`, css_class: 'plain', api_type: 'json' })
  const edit = (page: string, content: string) =>
    author.post(`/s/${place}/api/wiki/edit`, { page, content, reason: `${word} edits ${page.slice(0, 10)}` })
  took(await edit('leaves', `${word} knows of leaves`))
  took(await edit('config/sidebar', 'a sidebar that is the subsite’s'))
  const save = { op: 'save', stylesheet_contents: 'a { color: red }', reason: `${word} likes red`, api_type: 'json' }
  await postForm(author, `/s/${place}/api/subsite_stylesheet`, save)
  await postForm(author, `/s/${place}/api/subsite_stylesheet`, { ...save, stylesheet_contents: 'a { color: tan }', reason: '' })
  return { link, post, comment, reply }
}
