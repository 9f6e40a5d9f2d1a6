import { answerEach } from '../../src/http/workers/worker-entry.ts'

/** Fills a map, which V8 enlarges by one large piece of memory at a time, and answers with the id of the process; throws at less than no entries. */
answerEach((entries: number): number => {
  if (entries < 0) throw new RangeError('less than no entries')
  const map = new Map<number, number>()
  for (let n = 0; n < entries; n += 1) map.set(n, n)
  return process.pid
})
