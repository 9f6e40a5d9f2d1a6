import { links } from '../../../../projections/links.ts'
import { deleteLink, editLink, Link } from '../../../domain/link.ts'
import { distinguishLink, eraseLink, linkModeration, setLinkReplies } from '../../../domain/thing-moderation.ts'
import { linkEntry } from '../../present/feed-entry.ts'
import { linkPermalink } from '../../present/permalink.ts'
import { postRecords, repliesToPosts, reportPost } from '../links-and-comments.ts'
import { distinguishOnly, kind } from './kind.ts'

export const linkKind = kind(Link, {
  collection: links,
  records: postRecords,
  feedEntry: linkEntry,
  text: (link) => ({
    ...link,
    report: (context, reason) => reportPost(context, link, reason),
    distinguish: distinguishOnly(({ run, viewer }, after) => run(Link, link.id, distinguishLink(viewer.account, after))),
    erase: ({ run }, reason) => run(Link, link.id, eraseLink(reason)),
  }),
  post: (link) => ({ ...link, link: link.id }),
  moderation: { permission: 'posts', ...linkModeration },
  authorActs: {
    edit: ({ run, viewer }, id, text) => run(Link, id, editLink(viewer, text)),
    delete: ({ run, viewer }, id) => run(Link, id, deleteLink(viewer.account)),
    setReplies: ({ run, viewer }, id, on) => run(Link, id, setLinkReplies(viewer.account, on)),
  },
  replies: repliesToPosts,
  permalink: ({ place, id, title }) => linkPermalink(place, id, title),
  lookedUp: true,
})
