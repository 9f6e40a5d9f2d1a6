import { Account, registerAccount } from '../../src/domain/account.ts'
import { foundModeration, Moderators } from '../../src/domain/moderators.ts'
import { createSubsite, Subsite } from '../../src/domain/subsite.ts'
import { defaultSettings } from '../../src/domain/subsite-settings.ts'
import { carryOut } from '../../src/reactions/process.ts'
import { type WriteSide, writeSide } from './commanding.ts'
import { openRestricting } from './restricting.ts'
import { submit } from './submitted-link.ts'

export const between = { subsite: 't4_1', account: 't2_bob' }
/** Ann's authority, who founded the subsite. */
export const byAnn = { actor: 't2_ann', admin: false }
export const moderatorOf = (side: WriteSide) => side.by('t2_ann', 'moderator')

/** Makes a subsite of ann's, with two links of hers, and bob. */
export const site = async (t: Parameters<typeof writeSide>[0], projector?: URL) => {
  const side = await writeSide(t, projector)
  const { run, by } = side
  await run(Account, 't2_ann', registerAccount('t2_ann', 'Ann'), by('t2_ann'))
  await run(Account, 't2_bob', registerAccount('t2_bob', 'Bob'), by('t2_bob'))
  await run(Subsite, 't4_1', createSubsite({ subsite: 't4_1', name: 'Tea', creator: 't2_ann', settings: defaultSettings }), by('t2_ann'))
  await run(Moderators, 't4_1', foundModeration({ subsite: 't4_1', account: 't2_ann' }), by('t2_ann'))
  for (const link of ['t5_1', 't5_2']) await submit(side, link)
  const participants = new Set(['t2_bob'])
  const ports = { ...side, open: side.log.open, hadParticipated: async (account: string) => participants.has(account) }
  return { ...side, participants, follow: carryOut(ports) }
}
export type Site = Awaited<ReturnType<typeof site>>

export const readAllOpened = async ({ events, log }: Site) => log.open(await events.readAll('0'.repeat(20), 1_000))
export const messages = async (side: Site) => (await readAllOpened(side)).flatMap((event) => (event.type === 'MessageSent' ? [event] : []))

/** Performs the reactions to the whole log, as a process does that starts anew. */
export const react = async (side: Site) => side.follow(await side.events.readAll('0'.repeat(20), 1_000))

export const ban = (side: Site, days: number | null, message = '') =>
  openRestricting(side).ban(between, moderatorOf(side), { days, message })
