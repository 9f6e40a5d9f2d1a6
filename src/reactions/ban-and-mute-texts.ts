import { MUTE_HOURS } from '../domain/restrictions.ts'

export type Text = { readonly subject: string; readonly body: string }

const inDays = (days: number) => `${days} ${days === 1 ? 'day' : 'days'}`

const quoteNote = (note: string) => note.replace(/^/gm, '> ')

/** Returns the body: what happened, what is still possible, what the moderators add, whom to ask, and a warning. */
const bodyOf = (event: string, subsite: string, note: string): string =>
  [
    event,
    `You may still view and subscribe to ${subsite}, but you cannot post or comment there.`,
    ...(note === '' ? [] : [`Note from the moderators:\n\n${quoteNote(note)}`]),
    `If you have a question about your ban, reply to this message: the moderators of ${subsite} will see it.`,
    'Taking part there with another account while you are banned may cost you all of your accounts.',
  ].join('\n\n')

/** Returns the message for an account that was not banned before. `subsite` is written `/s/name`; null `days` mean a permanent ban. */
export const banMessage = (subsite: string, days: number | null, note: string): Text =>
  days === null
    ? {
        subject: `you've been banned from participating in ${subsite}`,
        body: bodyOf(`You have been banned from participating in ${subsite}.`, subsite, note),
      }
    : {
        subject: `you've been temporarily banned from participating in ${subsite}`,
        body: bodyOf(`You have been banned from participating in ${subsite} for ${inDays(days)}.`, subsite, note),
      }

/** Returns the message for an account whose ban now ends at another time. */
export const changedBanMessage = (subsite: string, days: number | null, note: string): Text => ({
  subject: `your ban from ${subsite} has changed`,
  body: bodyOf(
    days === null ? `Your ban from ${subsite} is now permanent.` : `Your ban from ${subsite} now ends in ${inDays(days)}.`,
    subsite,
    note,
  ),
})

/** Returns the message for an account that was muted. */
export const muteMessage = (subsite: string): Text => ({
  subject: `you've been muted in ${subsite}`,
  body: [
    `You have been muted in ${subsite}. You cannot write to its moderators for ${MUTE_HOURS} hours.`,
    `You may still take part in ${subsite} as before.`,
  ].join('\n\n'),
})
