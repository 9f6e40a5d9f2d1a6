// Decision 70.

import type { Scope } from '../../../auth/scopes.ts'
import { queueNames } from '../../../queries/mod-queues.ts'
import { relationsOf } from '../../../queries/relations.ts'
import { section } from '../../contract/endpoint.ts'
import { username } from '../../contract/schemas/names.ts'
import { component, orNull, recordSchema, someOf, text } from '../../contract/schemas/schema.ts'

/** The scopes of everything that feeds show, all of which a token needs to get the addresses. */
export const needed: readonly Scope[] = ['read', 'history', 'privatemessages', 'mysubsites']

const ofAccount = (name: string): Readonly<Record<string, string>> => ({
  front: '/hot',
  saved: `/user/${name}/saved`,
  upvoted: `/user/${name}/upvoted`,
  downvoted: `/user/${name}/downvoted`,
  hidden: `/user/${name}/hidden`,
  inbox: '/message/inbox',
  unread: '/message/unread',
  messages: '/message/messages',
  comments: '/message/comments',
  selfreply: '/message/selfreply',
  mentions: '/message/mentions',
})

const ofModerator: Readonly<Record<string, string>> = {
  moderator_mail: '/message/moderator',
  moderation_log: '/s/mod/about/log',
  ...Object.fromEntries(queueNames.map((queue) => [queue, `/s/mod/about/${queue}`])),
}

const feedAddress = text('https://rostra.example/message/inbox.rss?user=ann&feed=0123456789abcdef0123456789abcdef01234567')
const feedNames = [...Object.keys(ofAccount('')), ...Object.keys(ofModerator)]

const feedsShape = component('PrivateFeeds', () =>
  recordSchema({
    user: username,
    feed: orNull(text('0123456789abcdef0123456789abcdef01234567', 'The token; null where there are no private feeds.')),
    feeds: someOf(Object.fromEntries(feedNames.map((name) => [name, feedAddress]))),
  }),
)

export const privateFeeds = section('Account').get('/api/v1/me/feeds', {
  otherPaths: ['/prefs/feeds'],
  scope: () => needed,
  login: 'user',
  errors: 'coded',
  answers: { 200: feedsShape },
  summary: 'The addresses of your private feeds.',
  notes:
    'An address gives read access to your account: its parameters `user` and `feed` are valid on every feed and on the same paths with the suffix `.json`. Changing the password changes `feed`. If the preference `private_feeds` is off, there are no addresses. A token needs the scopes of everything that the feeds show.',
  uses: ['feedTokens'],
  handle: async (context) => {
    const { viewer, documents, feedTokens, config } = context
    const headers = { 'Cache-Control': 'no-store' }
    const { private_feeds: wanted } = await context.preferences()
    const token = wanted ? await feedTokens.tokenOf(viewer.account) : undefined
    const user = viewer.name ?? ''
    if (token === undefined) return { kind: 'json', body: { user, feed: null, feeds: {} }, headers }
    const moderated = await relationsOf(documents, viewer.account, 'moderator')
    const paths = { ...ofAccount(user), ...(moderated.length > 0 && ofModerator) }
    const query = new URLSearchParams({ user, feed: token }).toString()
    const addresses = Object.entries(paths).map(([name, path]) => [name, new URL(`${path}.rss?${query}`, config.publicUrl).href])
    return { kind: 'json', body: { user, feed: token, feeds: Object.fromEntries(addresses) }, headers }
  },
})
