import type { LinkId } from '../../src/domain/ids.ts'
import { LinkSubmitted } from '../../src/domain/link.ts'

/** Ann's link about tea, where a test needs a link and no matter which. */
export const teaSubmitted = (link: LinkId) =>
  LinkSubmitted({ link, subsite: 't4_1', author: 't2_ann', title: 'tea', text: '', over18: false, sendReplies: true, filtered: false })
