import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type Body, pageFor } from '../page.ts'
import { count, time } from '../parts/time.ts'

type Overview = Body<'GET /history'>

/** Returns the number of events under a signed head: the second line of its note. */
const readTreeSize = (checkpoint: string): number => Number(/^[^\n]*\n(\d{1,15})\n/.exec(checkpoint)?.[1] ?? 0)

const head = ({ checkpoint }: Overview): Html =>
  checkpoint === null
    ? html`<p>Nothing is signed yet: the first head is signed some seconds after the first event.</p>`
    : html`<p>The last signed head covers <b>${count(readTreeSize(checkpoint), 'event')}</b>. Whoever keeps it can prove later that none of them was changed or taken out. <a href="/history/log/checkpoint">The head as a file</a></p>`

const keyRow = ({ key, since, endorsement }: Overview['keys'][number]): Html =>
  html`<li class="single"><code>${key}</code> <span class="meta">since ${time(since)}${endorsement === null ? '' : ', signed by the key before it'}</span></li>`

export const overviewPage = pageFor('GET /history', {
  title: () => 'The whole history',
  main: ({ body }) => html`<h1 class="page">The whole history</h1>
<div class="text"><div class="md"><p>Everything that ever happened here is an event in one log to which is only added. Each link, comment, subsite and account has a link <b>history</b> that shows what happened to it: who, when, why, and what followed, as far as you may read it.</p>
${head(body)}
<ul><li><a href="${url('/history/events?since=-1&limit=100')}">All events from the first one</a>, as lines of JSON</li><li><a href="/docs/following#the-history">How programs follow it</a></li><li><a href="/docs/verifying">How to verify it elsewhere</a></li></ul></div></div>
<h2 class="day">The keys of ${body.origin}</h2>
<ul class="log">${body.keys.map(keyRow)}</ul>
${
  body.previous.length === 0
    ? undefined
    : html`<h2 class="day">Earlier origins</h2><ul class="log">${body.previous.map(
        ({ origin, checkpoint, proved }) =>
          html`<li class="single">${origin}: ${count(readTreeSize(checkpoint), 'event')}${renderIf(!proved, () => html`, which the service cannot prove to be its own`)}</li>`,
      )}</ul>`
}`,
})
