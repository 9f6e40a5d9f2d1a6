import * as E from 'fp-ts/lib/Either.js'
import type { LinkId } from '../../src/domain/ids.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import type { WriteSide } from './commanding.ts'

/** Ann's link about tea, where a test needs a link and no matter which. */
export const teaSubmitted = (link: LinkId) =>
  LinkSubmitted({ link, subsite: 't4_1', author: 't2_ann', title: 'tea', text: '', over18: false, sendReplies: true, filtered: false })

/** Submits it. */
export const submit = ({ run, by }: WriteSide, link: LinkId = 't5_1') => run(Link, link, () => E.right([teaSubmitted(link)]), by('t2_ann'))

export const rightOf = <T>(result: E.Either<unknown, T>): T => {
  if (E.isLeft(result)) throw new Error(`refused: ${JSON.stringify(result.left)}`)
  return result.right
}
