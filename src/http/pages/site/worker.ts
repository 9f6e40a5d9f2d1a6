import { type Html, html } from '../../wire/html.ts'
import { shareOfLog } from '../parts/share-of-log.ts'

/** The state of a worker. */
export type WorkerStatus = {
  readonly ready: boolean
  readonly spare: boolean
  readonly problems: readonly string[]
  /** The position of each shard that the worker holds, and its delay in milliseconds. */
  readonly shards: readonly { readonly shard: number; readonly position: string; readonly lag: number }[]
  readonly head: string
  readonly parked: number
  readonly events: number
}

const shardTable = ({ shards, head }: WorkerStatus): Html =>
  html`<table><thead><tr><th scope="col">Part</th><th scope="col">Has of the log</th><th scope="col">Delay</th></tr></thead><tbody>${shards.map(
    ({ shard, position, lag }) =>
      html`<tr><th scope="row">${shard}</th><td>${shareOfLog(position, head)}</td><td>${lag === 0 ? 'none' : `${lag} milliseconds`}</td></tr>`,
  )}</tbody></table>`

/** Returns the page of a worker, for operators. It needs neither a script nor a style sheet. */
export const workerPage = (status: WorkerStatus): string =>
  html`<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Rostra worker</title></head>
<body><main>
<h1>Rostra worker</h1>
<p><b>${status.ready ? 'Ready.' : 'Not ready.'}</b>${status.spare ? ' It is spare: other workers have all parts of the read models.' : ''}</p>
${status.problems.length === 0 ? undefined : html`<ul>${status.problems.map((problem) => html`<li>${problem}</li>`)}</ul>`}
<h2>The parts of the read models that it keeps</h2>
${status.shards.length === 0 ? html`<p>None.</p>` : shardTable(status)}
<h2>Since its start</h2>
<p>It has projected ${status.events} events. ${status.parked === 0 ? 'No document is parked.' : `${status.parked} documents are parked, as far as it knows: npx rostra audit names them.`}</p>
<p><a href="/metrics">metrics</a> · <a href="/health/ready">readiness as JSON</a></p>
</main></body>
</html>`.text
