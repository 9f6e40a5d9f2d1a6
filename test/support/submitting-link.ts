import { either as E } from 'fp-ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import type { WriteSide } from './commanding.ts'

const submission = LinkSubmitted({
  link: 't5_1',
  subsite: 't4_1',
  author: 't2_ann',
  title: 'tea',
  text: 'leaves',
  over18: false,
  sendReplies: true,
  filtered: false,
})

/** Submits a link of ann's, of which nothing was recorded before. */
export const submit = ({ run, by }: WriteSide, link = 't5_1') =>
  run(Link, link, () => E.right([LinkSubmitted({ ...submission.data, link })]), by('t2_ann'))

export const rightOf = <T>(result: E.Either<unknown, T>): T => {
  if (E.isLeft(result)) throw new Error(`refused: ${JSON.stringify(result.left)}`)
  return result.right
}
