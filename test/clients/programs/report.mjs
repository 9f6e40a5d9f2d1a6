// How a program reports: one line for each function.

const line = (outcome, call, reason = '') => console.log([outcome, call, String(reason).split(/\s+/).join(' ')].join('\t'))
const wordsOf = (error) => (error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error))

/** Runs it at once; what it throws is what failed. */
export const works = async (call, work) => {
  try {
    await work()
    line('ok', call)
  } catch (error) {
    line('failed', call, `${wordsOf(error)} ${/\w+\.m?[jt]s:\d+(?=:\d+\)?$)/m.exec(error?.stack ?? '')?.[0] ?? ''}`)
  }
}

/** It must fail in words that contain `refusal`: a reason that no longer holds is a failure, too. */
export const ruledOut = async (call, reason, refusal, work) => {
  try {
    await work()
  } catch (error) {
    if (wordsOf(error).includes(refusal)) return line('ruled out', call, reason)
    return line('failed', call, `expected ${refusal}, got ${wordsOf(error)}`)
  }
  line('failed', call, `works, although it is said that ${reason}`)
}

export const same = (found, expected) => {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
}

export const truth = (found, what) => {
  if (!found) throw new Error(what)
}

export const scene = JSON.parse(process.env.SCENE)
