import { accountsOf, anyUser, holders, moderators, users } from './roles.ts'
import { id, type Rows } from './row.ts'
import { mail, mailFromSomebody, mailToTea, makeAfter, mutedMail, notice } from './things.ts'

const words = { subject: 'a subject', text: 'some words' }

/** Private messages, and the mail of moderators. */
export const messageRows: Rows = {
  'POST /api/compose': [
    { by: users, records: 'MessageSent', form: () => ({ to: 'stranger', ...words }) },
    {
      what: 'to the moderators',
      by: users.filter((role) => role !== 'muted'),
      records: 'MessageSent',
      form: () => ({ to: '#tea', ...words }),
    },
    {
      what: 'in the name of a subsite',
      by: holders('mail'),
      as: 'staff',
      records: 'MessageSent',
      form: () => ({ to: 'stranger', from_sr: 'tea', ...words }),
    },
  ],
  'POST /api/read_message': [
    { by: anyUser, records: 'InboxEntryRead', on: mail, form: id },
    { what: 'to the moderators', by: moderators, as: 'moderator', records: 'ModmailRead', on: mailToTea, form: id },
  ],
  'POST /api/unread_message': [
    { by: anyUser, records: 'InboxEntryUnread', on: makeAfter(mail, 'self', '/api/read_message'), form: id },
    {
      what: 'to the moderators',
      by: moderators,
      as: 'moderator',
      records: 'ModmailUnread',
      on: makeAfter(mailToTea, 'founder', '/api/read_message'),
      form: id,
    },
  ],
  'POST /api/read_all_messages': { by: anyUser, records: 'InboxCleared', needsFreshCaller: true, on: mail },
  'POST /api/collapse_message': [
    { by: anyUser, isOpenToAnyToken: true, records: 'MessageCollapsed', on: mail, form: id },
    {
      what: 'to the moderators',
      by: moderators,
      as: 'moderator',
      isOpenToAnyToken: true,
      records: 'MessageCollapsed',
      on: mailToTea,
      form: id,
    },
  ],
  'POST /api/uncollapse_message': [
    { by: anyUser, isOpenToAnyToken: true, records: 'MessageUncollapsed', on: makeAfter(mail, 'self', '/api/collapse_message'), form: id },
    {
      what: 'to the moderators',
      by: moderators,
      as: 'moderator',
      isOpenToAnyToken: true,
      records: 'MessageUncollapsed',
      on: makeAfter(mailToTea, 'founder', '/api/collapse_message'),
      form: id,
    },
  ],
  'POST /api/del_msg': { by: anyUser, records: 'MessageDeleted', on: mail, form: id },
  'POST /api/block': [
    { by: anyUser, records: 'AccountBlocked', on: mailFromSomebody, form: id },
    { what: 'a subsite', by: anyUser, records: 'SubsiteBlocked', on: notice, form: id },
    { what: 'who wrote to the moderators', by: accountsOf('mail', 'full', 'founder'), records: 'AccountBlocked', on: mailToTea, form: id },
  ],
  'POST /api/unblock_subsite': {
    by: anyUser,
    records: 'SubsiteUnblocked',
    on: makeAfter(notice, 'self', '/api/block'),
    form: id,
  },
  'POST /api/mute_message_author': { by: holders(), as: 'staff', records: 'UserMuted', on: mailToTea, form: id },
  'POST /api/unmute_message_author': { by: holders(), as: 'staff', records: 'UserUnmuted', on: mutedMail, form: id },
}
