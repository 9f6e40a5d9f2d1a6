import { setTimeout as sleep } from 'node:timers/promises'
import { dataOf } from './community.ts'
import type { Act, Written } from './moderation-oracle.ts'
import { names, refusalOf } from './posting.ts'
import type { Answer, Caller, User } from './site.ts'
import type { Doer } from './staff-oracle.ts'

/** The subsite in which the acts of a history are performed, and their targets in the order of the oracle; letters by their fullnames. */
export type Scene = {
  readonly subsite: string
  readonly fullname: string
  readonly cast: Readonly<Record<Doer, User>>
  readonly things: readonly Written[]
  readonly comments: readonly string[]
  readonly letters: string[]
}

const sendMessage = async ({ subsite, cast, letters }: Scene, caller: Caller, one: Extract<Act, { act: 'write' }>): Promise<Answer> => {
  const subject = `letter ${letters.length}`
  const to = one.to === 'moderators' ? `/s/${subsite}` : cast[one.to].name
  const answer = await caller.post('/api/compose', {
    to,
    subject,
    text: 'some words',
    from_sr: one.inName ? subsite : '',
    api_type: 'json',
  })
  const letter =
    refusalOf(answer) === '' ? dataOf(await caller.get('/message/sent?limit=10')).find((one) => one.subject === subject) : undefined
  if (letter) letters.push(String(letter.name))
  return answer
}

/** Sends the request that performs an act; returns its response, if there is one. The service decides whether it is refused. */
export const send = async (scene: Scene, actor: Doer, one: Act): Promise<Answer | undefined> => {
  const { subsite, fullname, cast, things, comments, letters } = scene
  const caller = cast[actor]
  const here = (path: string, form: Parameters<Caller['post']>[1]) =>
    caller.post(`/s/${subsite}/api/${path}`, { ...form, api_type: 'json' })
  const name = 'whom' in one ? cast[one.whom].name : ''
  const id =
    'on' in one ? (things[one.on % things.length]?.name ?? '') : 'letter' in one ? (letters[one.letter % letters.length] ?? 't6_0') : ''
  switch (one.act) {
    case 'permit':
    case 'permit_invite':
      return here('setpermissions', {
        type: one.act === 'permit' ? 'moderator' : 'moderator_invite',
        name,
        permissions: one.permissions,
      })
    case 'invite':
      return here('friend', { type: 'moderator_invite', name, permissions: one.permissions })
    case 'uninvite':
    case 'dismiss':
      return here('unfriend', { type: one.act === 'dismiss' ? 'moderator' : 'moderator_invite', name })
    case 'accept': {
      const answer = await here('accept_moderator_invite', {})
      await sleep(2) // nobody is as senior as the next one
      return answer
    }
    case 'leavemoderator':
    case 'leavecontributor':
      return caller.post(`/api/${one.act}`, { id: fullname })
    case 'relate':
      return here('friend', { type: one.type, name, note: one.note, duration: one.days ?? undefined })
    case 'unrelate':
      return here('unfriend', { type: one.type, name })
    case 'remove':
      return caller.post('/api/remove', { id, spam: one.spam })
    case 'report':
      return caller.post('/api/report', { thing_id: id, reason: 'rude' })
    case 'edit':
      return caller.post('/api/editusertext', { thing_id: id, text: `${Math.random()}` })
    case 'sticky':
      return caller.post('/api/set_subsite_sticky', { id, state: one.state })
    case 'contest':
      return caller.post('/api/set_contest_mode', { id, state: one.state })
    case 'distinguish':
      return caller.post('/api/distinguish', { id, how: one.state ? 'yes' : 'no', sticky: one.sticky, api_type: 'json' })
    case 'write':
      return sendMessage(scene, caller, one)
    case 'answer': {
      const answer = await caller.post('/api/comment', { thing_id: id, text: 'an answer' })
      const letter = refusalOf(answer) === '' ? answer.at('json.data.things.0.data.name') : undefined
      if (typeof letter === 'string') letters.push(letter)
      return answer
    }
    case 'mute_author':
    case 'unmute_author':
      return caller.post(`/api/${one.act === 'mute_author' ? 'mute' : 'unmute'}_message_author`, { id })
    case 'discard':
      return caller.post('/api/del_msg', { id })
    case 'complain':
      return caller.post('/api/report', { thing_id: id, reason: 'rude' })
    case 'hide':
    case 'show':
      return caller.post(`/api/${one.act === 'hide' ? 'remove' : 'approve'}`, { id })
    case 'mark':
    case 'block': {
      const known = [...comments, ...letters]
      const path = one.act === 'block' ? 'block' : one.unread ? 'unread_message' : 'read_message'
      return caller.post(`/api/${path}`, { id: known[one.entry % known.length] })
    }
    case 'unblock':
      return caller.post('/api/unfriend', { type: 'enemy', container: caller.id, name })
    case 'read_all':
      return caller.post('/api/read_all_messages')
    case 'read_shared': {
      const mail = await caller.get(`/s/${subsite}/about/message/unread?limit=25`)
      return mail.status !== 200 ? mail : caller.post('/api/read_message', { id: names(mail).join(',') })
    }
    default:
      return caller.post(`/api/${one.act}`, { id })
  }
}
