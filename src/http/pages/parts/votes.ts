import { type Html, html, url } from '../../wire/html.ts'
import type { Around, Wire } from '../page.ts'
import { actButton } from './forms.ts'

type Voted = Pick<Wire<'Link'>, 'name' | 'ups' | 'downs' | 'likes' | 'dislikes' | 'archived'> & { readonly hidesScore: boolean }

type VoteKind = {
  readonly word: 'insightful' | 'funny'
  readonly mark: string
  readonly count: number
  readonly given: boolean
  readonly dir: string
}

const shownCount = ({ count }: VoteKind, { hidesScore }: Voted): string => (hidesScore ? '–' : String(count))

const button = (kind: VoteKind, voted: Voted): Html =>
  actButton(url(`/api/vote?id=${voted.name}&dir=${kind.dir}`), {
    class: kind.given ? `vote ${kind.word} on` : `vote ${kind.word}`,
    pressed: kind.given,
    label: voted.hidesScore ? kind.word : `${kind.word}: ${kind.count}`,
    content: html`${kind.mark} ${shownCount(kind, voted)}`,
  })

const figure = (kind: VoteKind, voted: Voted): Html =>
  html`<span class="vote ${kind.word}" title="${kind.word}"><span aria-hidden="true">${kind.mark} ${shownCount(kind, voted)}</span><span class="sr">${voted.hidesScore ? kind.word : `${kind.count} ${kind.word}`}</span></span>`

/**
 * Renders the two kinds of vote: two equal buttons, or two figures for who cannot vote. A vote that was given is taken back by its button.
 */
export const votes = (voted: Voted, { viewer }: Pick<Around, 'viewer'>): Html => {
  const insightful = {
    word: 'insightful',
    mark: '✦',
    count: voted.ups,
    given: voted.likes === true,
    dir: voted.likes ? '11' : '1',
  } as const
  const funny = {
    word: 'funny',
    mark: '☺',
    count: voted.downs,
    given: voted.dislikes === true,
    dir: voted.dislikes ? '-11' : '-1',
  } as const
  const shown = viewer && !voted.archived ? button : figure
  return html`<p class="votes">${shown(insightful, voted)}${shown(funny, voted)}</p>`
}
