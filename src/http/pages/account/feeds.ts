import { html, url } from '../../wire/html.ts'
import { type Body, pageFor } from '../page.ts'
import { settingsHead } from './tabs.ts'

type Feeds = Required<Body<'GET /api/v1/me/feeds'>['feeds']>

const names: Readonly<Record<keyof Feeds, string>> = {
  front: 'The front page',
  saved: 'Saved',
  upvoted: 'Voted insightful',
  downvoted: 'Voted funny',
  hidden: 'Hidden',
  inbox: 'The inbox',
  unread: 'Unread messages',
  messages: 'Messages',
  comments: 'Replies to comments',
  selfreply: 'Replies to posts',
  mentions: 'Mentions',
  moderator_mail: 'Mail to your subsites',
  moderation_log: 'The logs of your subsites',
  modqueue: 'The queue',
  reports: 'Reports',
  spam: 'Removed things',
  unmoderated: 'Things that nobody decided about',
  edited: 'Edited things',
}

export const feedsPage = pageFor('GET /api/v1/me/feeds', {
  title: () => 'Private feeds',
  robots: 'none',
  main: (shown) => html`${settingsHead('feeds', 'Private feeds')}
<p class="meta wide">Addresses for a feed reader. Anybody who knows one can read it, so give them to nobody. Another password changes them all, and <a href="/prefs/options">a preference</a> turns them off.</p>
${
  shown.body.feed === null
    ? html`<p class="empty">They are turned off.</p>`
    : html`<ul class="links">${Object.entries(shown.body.feeds).map(
        ([name, address]) => html`<li class="single"><a href="${url(address)}">${names[name as keyof Feeds]}</a></li>`,
      )}</ul>`
}`,
})
