import type { Entry } from '../ledger.ts'
import { short } from '../ledger.ts'
import { amend, amendKnown, put, type Rules, serialOf } from './rule.ts'

// Flair of accounts and links.

type FlairChange = {
  readonly data: {
    readonly subsite: string
    readonly account: string
    readonly text: string
    readonly css: string
    readonly shown: boolean
  }
}

const wear = ({ data: { subsite, account, text, css, shown } }: FlairChange): readonly Entry[] => {
  const fields = { text: short(text), css: short(css), shown, listed: text.length + css.length > 0 }
  return [put('flairs', { id: `${subsite}.${account}`, subsite, account, seq: serialOf(account), ...fields })]
}

export const flairRules: Rules = {
  UserFlairChanged: wear,
  UserFlairSwitched: wear,
  AccountTextsErased: ({ data: { places = [] } }) =>
    places.flatMap(({ kind, id }) => {
      if (kind === 'flair') return [amend<{ css: string }>('flairs', id, (row) => ({ ...row, text: '', listed: row.css.length > 0 }))]
      return kind === 'link-flair' ? [amend('links', id, (row) => ({ ...row, flairText: '' }))] : []
    }),
  LinkFlairChanged: ({ data }, note) => [
    amendKnown('links', data.target.id, note, (row) => ({ ...row, flairText: short(data.text), flairCss: short(data.css) })),
  ],
}
