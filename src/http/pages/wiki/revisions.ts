import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import { type AnyPage, type Around, pageFor, type Wire } from '../page.ts'
import { actButton, fieldForm, lineField } from '../parts/forms.ts'
import { author, pager } from '../parts/rows.ts'
import { mayModerate } from '../parts/subsites.ts'
import { date, time } from '../parts/time.ts'
import { encodePageName, views, wikiOf, wikiPageName, wikiPlace } from './address.ts'

type Revision = Wire<'WikiRevision'>

export const reviser = (account: Revision['author']): Html => author(account?.data.name ?? null)

const COMPARE = 'compare'

/** Renders the two buttons that choose a revision to compare. */
const picks = ({ id, timestamp, author: by }: Revision, index: number): Html => {
  const words = `the revision of ${timestamp === null ? 'an unknown day' : date(timestamp)} by ${by?.data.name ?? 'somebody'}`
  const pick = (name: 'v' | 'v2', side: string, isOn: boolean): Html =>
    isOn
      ? html`<input type="radio" form="${COMPARE}" name="${name}" value="${id}" aria-label="${side}: ${words}" checked>`
      : html`<input type="radio" form="${COMPARE}" name="${name}" value="${id}" aria-label="${side}: ${words}">`
  return html`<span class="pick">${pick('v', 'before', index === 1)} ${pick('v2', 'after', index === 0)}</span> `
}

/** Renders the acts of moderators of the wiki on a revision. */
const acts = ({ id, page, revision_hidden }: Revision, around: Around, isNewest: boolean): Html | undefined => {
  if (!around.viewer || around.at.copyOf) return undefined
  const actAddress = (act: string) => url(`${wikiPlace(around)}/api/wiki/${act}?page=${encodeURIComponent(page)}&revision=${id}`)
  const quiet = (act: string, content: string): Html => actButton(actAddress(act), { class: 'quiet', content })
  return html`${
    mayModerate(around, 'wiki')
      ? html`${isNewest ? undefined : quiet('revert', 'revert to it')}${quiet('hide', revision_hidden ? 'show it' : 'hide it')}`
      : undefined
  }${around.viewer.is_employee ? html`<a class="quiet" href="${url(`${wikiOf(around)}/revisions/${encodePageName(page)}?erase=${id}#erase`)}">erase</a>` : undefined}`
}

const revision = (one: Revision, around: Around, before: Revision | undefined, pick: Html | undefined, isNewest: boolean): Html => {
  const page = `${wikiOf(around)}/${encodePageName(one.page)}`
  return html`<li class="single"><p>${pick}<a href="${url(`${page}?v=${one.id}`)}">${one.page}</a> ${
    one.revision_hidden ? html`<span class="badge">hidden</span> ` : undefined
  }<span class="meta">by ${reviser(one.author)} ${renderIf(one.timestamp, (at) => time(at))}</span></p>${renderIf(one.reason, (reason) => html`<p class="meta">${reason}</p>`)}
<div class="acts meta">${
    pick === undefined
      ? html`<a class="quiet" href="${url(`${wikiOf(around)}/revisions/${encodePageName(one.page)}`)}">history</a>`
      : renderIf(before, ({ id }) => html`<a class="quiet" href="${url(`${page}?v=${id}&v2=${one.id}`)}">what it changed</a>`)
  }${pick === undefined ? undefined : acts(one, around, isNewest)}</div></li>`
}

const none = html`<p class="empty">Nothing has been changed.</p>`

/** Renders the form with which an admin erases the revision that the address names. */
const eraseForm = (around: Around, name: string, all: readonly Revision[]): Html | undefined => {
  const erased = all.find(({ id }) => id === around.at.query.get('erase'))
  if (!erased || !around.viewer?.is_employee) return undefined
  return html`<div id="erase">${fieldForm(around, {
    action: `${wikiPlace(around)}/api/wiki/erase`,
    hidden: { page: name, revision: erased.id, dest: around.at.path },
    button: 'Erase it',
    look: 'button stern',
    class: 'write card',
    fields: (form) => html`<p>Its text and its reason become unreadable for good, for everybody. The other revisions stay.</p>
${lineField(form, { name: 'reason', id: 'erase-reason', label: 'Why', hint: 'It is public where the mod log is: it must not repeat what is erased.' })}`,
  })}</div>`
}

const ofPage = (all: readonly Revision[], around: Around, name: string): Html => {
  if (all.length === 0) return none
  const isFirst = !around.at.query.has('after') && !around.at.query.has('before')
  return html`${
    all.length > 1
      ? html`<form id="${COMPARE}" class="filters" action="${url(`${wikiOf(around)}/${encodePageName(name)}`)}"><p>Choose one before and one after.</p><button type="submit" class="button">Compare them</button></form>`
      : html`<form id="${COMPARE}" hidden action="${url(`${wikiOf(around)}/${encodePageName(name)}`)}"></form>`
  }${eraseForm(around, name, all)}
<ol class="links">${renderEach(all, (one, index) => revision(one, around, all[index + 1], picks(one, index), isFirst && index === 0))}</ol>`
}

export const revisionPages: readonly AnyPage[] = [
  pageFor('GET [/s/{sub}]/wiki/revisions', {
    title: () => 'Recent changes · wiki',
    tab: () => 'wiki',
    robots: 'none',
    main: (shown) => {
      const { children } = shown.body.data
      return html`<div class="bar"><h1 class="page">Recent changes</h1><p class="meta"><a href="${url(`${wikiOf(shown)}/pages`)}">All pages</a></p></div>
${children.length === 0 ? none : html`<ol class="links">${renderEach(children, (one) => revision(one, shown, undefined, undefined, false))}</ol>`}${pager(shown.body.data, shown)}`
    },
  }),
  pageFor('GET [/s/{sub}]/wiki/revisions/{page}', {
    title: ({ at }) => `Revisions of ${wikiPageName(at, 'revisions/')} · wiki`,
    tab: () => 'wiki',
    robots: 'none',
    main: (shown) => {
      const name = wikiPageName(shown.at, 'revisions/')
      return html`<div class="bar"><h1 class="page">${name}</h1>${views(shown, name, 'revisions')}</div>
${ofPage(shown.body.data.children, shown, name)}${pager(shown.body.data, shown)}`
    },
  }),
]
