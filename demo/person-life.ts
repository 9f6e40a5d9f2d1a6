import { act, elementAt, type Scene, thingsListed } from './acting.ts'
import type { Person, Token } from './client.ts'
import type { PersonLife } from './lives.ts'

/** The gift credits granted to one account for its gilding. */
const CREDITS_GRANTED = 4

const subsiteIdOf = async (person: Person, name: string): Promise<string> => {
  const about = await person.get(`/s/${name}/about`, {})
  return (about.body as { data?: { name?: string } }).data?.name ?? ''
}

/** Makes a person's own things: a multi, saved and hidden things, a muted subsite, a blocked sender. */
export const settle = async ({ community, posted, person }: Scene, index: number, life: PersonLife): Promise<void> => {
  const who = person(index)
  const { name, subsites, description, isPublic } = life.multi
  const members = subsites.flatMap((subsite) => community.subsites[subsite] ?? []).map((subsite) => ({ name: subsite.name }))
  const model = { display_name: name, description_md: description, visibility: isPublic ? 'public' : 'private', subreddits: members }
  await act('multis', who.put(`/api/multi/user/${who.name}/m/${name}`, { model: JSON.stringify(model) }))
  const things = posted.flatMap(({ link, comments }) => [link, ...comments])
  for (const { thing, category } of life.saved) {
    const id = elementAt(things, thing)
    if (id !== undefined) await act('saved things', who.post('/api/save', category === '' ? { id } : { id, category }))
  }
  const hidden = life.hidden === undefined ? undefined : elementAt(posted, life.hidden)
  if (hidden !== undefined) await act('hidden links', who.post('/api/hide', { id: hidden.link }))
  const muted = life.muted === undefined ? undefined : community.subsites[life.muted]
  const moderators = muted === undefined ? [] : [muted.founder, ...muted.invited].map(person)
  if (muted !== undefined && !moderators.includes(who))
    await act('muted subsites', who.post('/api/mute_subsite', { id: await subsiteIdOf(who, muted.name) }))
  if (!life.blocksLatestSender) return
  const inbox = thingsListed(await who.get('/message/inbox', { limit: '10' }))
  const notice = inbox.find(({ author }) => author !== who.name)
  if (notice !== undefined) await act('blocks', who.post('/api/block', { id: notice.name }))
}

/** Acts that need a token: preferences, and gilding if an admin grants the credits for it. */
export const spend = async (scene: Scene, index: number, life: PersonLife, token: Token, admin: Token | undefined): Promise<void> => {
  await act('preferences', token('PATCH', '/api/v1/me/prefs', life.preferences))
  if (admin === undefined) return
  const who = scene.person(index)
  await act('granted credits', admin('POST', `/api/v1/gold/grant/${who.name}`, { csites: String(CREDITS_GRANTED) }))
  const others = scene.posted.filter(({ author }) => scene.person(author) !== who)
  for (const place of life.gilded) {
    const thing = elementAt(others, place)
    if (thing !== undefined) await act('gilded links', token('POST', `/api/v1/gold/gild/${thing.link}`, {}))
  }
  await act('gold given', token('POST', `/api/v1/gold/give/${scene.person(index + 1).name}`, { months: '1' }))
}
