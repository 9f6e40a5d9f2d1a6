import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { hostileTexts } from './hostile-texts.ts'
import { id36 } from './posting.ts'

/** The longest value that fits into the head of a request. */
export const IN_ADDRESS = 1_500

/** The hostile texts that are sent: one of each kind that differs for a parser of requests. */
export const textsToSend = (length: number) => [...hostileTexts(length)].filter(([what]) => /^x, "(`|a\.|t1_1 )"/.test(what))

type Hostile = Readonly<Record<string, string>>

/** Returns the addresses and the fields of requests to `tea`, in which one parameter is hostile and the others are not. */
export const hostileRequests = ({ link, comment }: { readonly link: string; readonly comment: string }) => {
  const usual: Hostile = {
    id: link,
    thing_id: link,
    link_id: link,
    article: id36(link),
    comment: id36(comment),
    sr: 'tea',
    kind: 'self',
    title: 'a title',
    text: 'some words',
    name: 'ann',
    user: 'ann',
    username: 'ann',
    to: 'ann',
    subject: 'a subject',
    type: 'friend',
    api_type: 'json',
    dir: '1',
    passwd: 'correct horse',
    resubmit: 'true',
  }
  const addressOf = ({ path, values }: AnyEndpoint, hostile: Hostile): string =>
    path
      .replace('[/s/{sub}]', '/s/tea')
      .replace('{sub}', 'tea')
      .replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent(values?.[name]?.[0] ?? hostile[name]?.slice(0, IN_ADDRESS) ?? usual[name] ?? 'x'),
      )
  const fieldsOf = ({ params }: AnyEndpoint, hostile: Hostile = {}): Readonly<Record<string, string | undefined>> => ({
    ...Object.fromEntries(Object.keys(params).map((name) => [name, usual[name]])),
    ...hostile,
  })
  return { addressOf, fieldsOf }
}
