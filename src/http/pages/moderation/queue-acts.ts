import type { Wire } from '../page.ts'

/** An act that the queues offer on each thing. */
type QueueAct = {
  readonly words: string
  /** Its endpoint, up to the parameters that name the thing. */
  readonly path: string
  readonly key: string
  readonly class: string
  /** The words of the button that does it to all chosen things; absent: it is done to one at a time. */
  readonly toChosen?: string
}

export const queueActs = {
  approve: { words: 'Approve', path: '/api/approve?', key: 'a', class: 'button good', toChosen: 'Approve the chosen' },
  remove: { words: 'Remove', path: '/api/remove?spam=false&', key: 'r', class: 'button stern', toChosen: 'Remove the chosen' },
  spam: { words: 'Spam', path: '/api/remove?spam=true&', key: 's', class: 'button stern', toChosen: 'Mark the chosen as spam' },
  lock: { words: 'Lock', path: '/api/lock?', key: 'l', class: 'button' },
  ignore: { words: 'Ignore reports', path: '/api/ignore_reports?', key: 'i', class: 'button' },
} as const satisfies Readonly<Record<string, QueueAct>>

/** Returns the act that a form of a queue names, if it is offered for several things at once. */
export const actToChosen = (name: string): QueueAct | undefined => {
  const act: QueueAct | undefined = Object.hasOwn(queueActs, name) ? queueActs[name as keyof typeof queueActs] : undefined
  return act?.toChosen === undefined ? undefined : act
}

/** The words on a card after the name of a moderator who acted on its thing meanwhile. */
export const doneMeanwhile: Readonly<Partial<Record<Wire<'ModAction'>['action'], string>>> = {
  approvelink: 'approved this',
  approvecomment: 'approved this',
  removelink: 'removed this',
  removecomment: 'removed this',
  lock: 'locked this',
  unlock: 'unlocked this',
  ignorereports: 'ignored further reports of this',
  unignorereports: 'heeds reports of this again',
  marknsfw: 'changed the mark ‘over 18’ of this',
  distinguish: 'changed the moderator’s mark of this',
  sticky: 'pinned this',
  unsticky: 'unpinned this',
  editflair: 'set the flair of this',
}
