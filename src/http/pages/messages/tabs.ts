import type { Html } from '../../wire/html.ts'
import type { Around } from '../page.ts'
import { choices } from '../parts/rows.ts'

export const MODERATOR_MAIL = 'moderator'

const boxes = {
  inbox: 'inbox',
  unread: 'unread',
  messages: 'messages',
  comments: 'replies to comments',
  selfreply: 'replies to posts',
  mentions: 'mentions',
  sent: 'sent',
}

/** Renders the parts of the mail of an account, and the mail to the moderators of its subsites. */
export const mailTabs = (current: string, { viewer }: Around): Html =>
  choices(
    'Messages',
    [
      ...Object.entries(boxes).map(([value, words]) => ({ value, words, to: `/message/${value}` })),
      ...(viewer ? [{ value: 'compose', words: 'new message', to: '/message/compose' }] : []),
      ...(viewer?.is_mod ? [{ value: MODERATOR_MAIL, words: 'mod mail', to: '/about/message/inbox' }] : []),
      ...(viewer?.is_employee ? [{ value: 'reported', words: 'reported', to: '/message/reported' }] : []),
    ],
    current,
  )
