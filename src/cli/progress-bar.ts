import { Presets, SingleBar } from 'cli-progress'
import type { Call } from './program.ts'

export type ProgressBar = { readonly update: (done: number, total: number) => void; readonly stop: () => void }

const LINE_INTERVAL_MS = 5_000 // ms between lines without a terminal

/** Shows progress on stderr: a bar on a terminal, otherwise a line now and then. */
export const progressBar = (title: string, stderr: Call['stderr']): ProgressBar => {
  if (stderr.isTTY) {
    const bar = new SingleBar({ format: `${title} {bar} {percentage}% | {value} of {total} | {eta_formatted} left` }, Presets.shades_grey)
    let started = false
    return {
      update: (done, total) => {
        if (!started) bar.start(total, done)
        started = true
        bar.setTotal(total)
        bar.update(done)
      },
      stop: () => bar.stop(),
    }
  }
  let reportedAt = Date.now()
  return {
    update: (done, total) => {
      if (Date.now() - reportedAt < LINE_INTERVAL_MS) return
      reportedAt = Date.now()
      stderr.write(`${title}: ${done} of ${total}\n`)
    },
    stop: () => {},
  }
}
