import { postForm } from '../community.ts'
import { say, submit } from '../posting.ts'
import type { User } from '../site.ts'
import type { Fields } from './row.ts'
import { houseOf, makeAllowed, registerSomebody, type Stage } from './stage.ts'

/** Makes what is acted on, for the account that will act. */
export type Make = (stage: Stage, self: User) => Promise<string>

/** A link of the author; and a comment of theirs. */
export const link: Make = ({ author }) => submit(author, 'tea')
export const comment: Make = async (stage, self) => say(stage.author, await link(stage, self))

/** A link of the account that will act; and a comment of it. */
export const ownLink: Make = (stage, self) => makeAllowed(stage, self, () => submit(self, 'tea'))
export const ownComment: Make = async (stage, self) => {
  const parent = await link(stage, self)
  return makeAllowed(stage, self, () => say(self, parent))
}

/** Makes a thing with which somebody of the stage, or the account that will act, has done something. */
export const makeAfter =
  (make: Make, who: 'author' | 'founder' | 'self', path: string, more: Fields = {}): Make =>
  async (stage, self) => {
    const target = await make(stage, self)
    await postForm(who === 'self' ? self : stage[who], path, { id: target, ...more })
    return target
  }

/** A name that is new. */
export const newName: Make = async (stage) => (await registerSomebody(stage)).name

const words: Fields = { subject: 'a subject', text: 'some words' }

/** Sends a message from one account to another and returns its fullname. */
export const mailFrom = async (writer: User, { name }: User, more: Fields = {}): Promise<string> => {
  await postForm(writer, '/api/compose', { to: name, ...words, ...more })
  return String((await writer.get('/message/sent')).at('data.children.0.data.name'))
}
/** A message to the account that will act, from somebody of the stage; and from a new account. */
export const mail: Make = ({ host }, self) => mailFrom(host, self)
export const mailFromSomebody: Make = async (stage, self) => mailFrom(await registerSomebody(stage), self)
/** Sends a message in the name of the account that will act. */
export const ownMail: Make = (stage, self) => makeAllowed(stage, self, () => mailFrom(self, stage.host))
const notices = new Map<User, Promise<string>>()
/** A message to them in the name of a subsite, which they do not block. */
export const notice: Make = async (stage, self) => {
  await houseOf(stage, 'study')
  const mail = notices.get(self) ?? mailFrom(stage.host, self, { from_sr: 'study' })
  notices.set(self, mail)
  const target = await mail
  await postForm(self, '/api/unblock_subsite', { id: target })
  return target
}

/** A message from somebody new to the moderators of tea; and one whose author is muted. */
export const mailToTea: Make = async (stage) => {
  const writer = await registerSomebody(stage)
  await postForm(writer, '/api/compose', { to: '#tea', ...words })
  return String((await writer.get('/message/sent')).at('data.children.0.data.name'))
}
/** Makes the answer of somebody new to mail in the name of tea, which the founder had sent. */
export const answerToTea: Make = async (stage) => {
  const whom = await registerSomebody(stage)
  const sent = await mailFrom(stage.founder, whom, { from_sr: 'tea' })
  const answer = await postForm(whom, '/api/comment', { thing_id: sent, text: 'some words', api_type: 'json' })
  return String(answer.at('json.data.things.0.data.name'))
}
export const mutedMail: Make = makeAfter(mailToTea, 'founder', '/api/mute_message_author')
