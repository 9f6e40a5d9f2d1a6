import { act, commentIdOf, elementAt, type Scene, thingsListed } from './acting.ts'
import type { Answer, Person } from './client.ts'
import type { SubsitePlan } from './community.ts'
import type { SubsiteLife } from './lives.ts'

/** The number of things of a queue, and of messages, that moderators handle in one run. */
const MAX_DECIDED = 12
const MAX_ANSWERED = 5

const referenceTo = (written: Answer | undefined): Readonly<Record<string, string>> =>
  written?.position === undefined ? {} : { min_position: written.position }

const decide = async (by: Person, id: string, decision: SubsiteLife['decisions'][number] | undefined) => {
  if (decision === 'approve') await act('approvals', by.post('/api/approve', { id }))
  if (decision === 'ignore reports') await act('ignored reports', by.post('/api/ignore_reports', { id }))
  if (decision === 'remove' || decision === 'remove as spam')
    await act('removals', by.post('/api/remove', { id, spam: String(decision === 'remove as spam') }))
}

/** People report things of the subsite; its moderators decide on what they find in their queues. */
const workQueues = async ({ person, posted, community }: Scene, plan: SubsitePlan, life: SubsiteLife) => {
  const here = posted.filter(({ subsite }) => community.subsites[subsite] === plan)
  const things = here.flatMap(({ link, comments }) => [link, ...comments])
  let latest: Answer | undefined
  for (const { reporter, thing, reason } of life.reports) {
    const id = elementAt(things, thing)
    if (id !== undefined) latest = (await act('reports', person(reporter).post('/api/report', { thing_id: id, reason }))) ?? latest
  }
  const moderator = person(plan.invited[0] ?? plan.founder)
  const query = { limit: String(MAX_DECIDED), ...referenceTo(latest) }
  const reported = thingsListed(await act('queues read', moderator.get(`/s/${plan.name}/about/reports`, query)))
  for (const [index, { name }] of reported.entries()) await decide(moderator, name, life.decisions[index % life.decisions.length])
}

/** People write to the moderators, who answer what is unread of it; each sender thanks them. Notices of the service stay unanswered. */
const exchangeModmail = async ({ person }: Scene, plan: SubsitePlan, life: SubsiteLife) => {
  let latest: Answer | undefined
  for (const { from, subject, text } of life.letters) {
    const letter = { to: `/s/${plan.name}`, subject, text }
    latest = (await act('messages to moderators', person(from).post('/api/compose', letter))) ?? latest
  }
  const founder = person(plan.founder)
  const query = { limit: String(MAX_ANSWERED), ...referenceTo(latest) }
  const unread = thingsListed(await act('modmail read', founder.get(`/s/${plan.name}/about/message/unread`, query)))
  for (const [index, { name, author }] of unread.entries()) {
    const letter = life.letters.find(({ from }) => person(from).name === author)
    if (letter === undefined || person(letter.from) === founder) continue
    const text = life.answers[index % life.answers.length] ?? ''
    const answer = commentIdOf(await act('replies of moderators', founder.post('/api/comment', { thing_id: name, text })))
    const thanks = { thing_id: answer ?? name, text: letter.reply }
    await act('replies to moderators', person(letter.from).post('/api/comment', thanks))
    await act('messages marked as read', founder.post('/api/read_message', { id: name }))
  }
}

export const moderate = async (scene: Scene, plan: SubsitePlan, life: SubsiteLife): Promise<void> => {
  await workQueues(scene, plan, life)
  await exchangeModmail(scene, plan, life)
}
