import * as E from 'fp-ts/lib/Either.js'
import type { LinkId } from '../../src/domain/ids.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import type { WriteSide } from './commanding.ts'

/** The fields of a submission that tests rarely look at. */
export const born = { link: 't5_9k', subsite: 't4_1', author: 't2_ann', over18: false, filtered: false }
export const submitted = LinkSubmitted({ ...born, title: 'Tea', url: 'http://tea.example/', sendReplies: false })

/** Ann's link about tea, where a test needs a link and no matter which. */
export const teaSubmitted = (link: LinkId) => LinkSubmitted({ ...born, link, title: 'tea', text: '', sendReplies: true })

/** Submits it. */
export const submit = ({ run, by }: WriteSide, link: LinkId = 't5_1') => run(Link, link, () => E.right([teaSubmitted(link)]), by('t2_ann'))

export const rightOf = <T>(result: E.Either<unknown, T>): T => {
  if (E.isLeft(result)) throw new Error(`refused: ${JSON.stringify(result.left)}`)
  return result.right
}
