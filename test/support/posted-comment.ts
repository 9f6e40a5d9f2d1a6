import { CommentDeleted, CommentPosted, CommentRemoved } from '../../src/domain/comment.ts'

export const place = { comment: 't1_7', link: 't5_9k', subsite: 't4_1', author: 't2_bob' }
export const reply = { account: 't2_ann', reason: 'post_reply' } as const
export const posted = CommentPosted({ ...place, linkAuthor: 't2_ann', parent: null, body: 'nice', filtered: false, notified: [reply] })
const target = { id: 't1_7', author: 't2_bob', excerpt: 'nice', link: 't5_9k' }
export const verdict = { subsite: 't4_1', target, link: 't5_9k', notified: ['t2_ann'] }
export const removed = CommentRemoved({ ...verdict, spam: true, before: false })
export const deleted = CommentDeleted({ ...place, notified: ['t2_ann'] })
