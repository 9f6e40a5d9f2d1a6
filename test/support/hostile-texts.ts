const seeds = [
  '`',
  '`` ` ',
  '*a ',
  '**a',
  '*_',
  '[',
  '![](',
  '[a](b "',
  '](',
  '<',
  '<!--',
  '&#',
  '|a|\n|-|\n',
  '- a\n',
  '> ',
  '#\n',
  'a\n===\n',
  '```\n',
  '~~~\n',
  '    a\n',
  'http://a@',
  'https://a.b ',
  'u/',
  '/u/abc ',
  'a.',
  'a@b.',
  '%',
  '+a',
  ' ',
  ' \n',
  '\u00a0',
  '\\',
  '9',
  'a,',
  't1_1 ',
  '/',
  '-',
  '_',
  '_a',
  '𝒳',
  'e\u0301',
  '{',
  '[[',
  '"',
] as const

/** Texts of a length that make careless patterns and parsers slow: one fragment repeated, alone or between others that do not match it. */
export const hostileTexts = (length: number): ReadonlyMap<string, string> =>
  new Map(
    seeds.flatMap((seed) => {
      const again = seed.repeat(Math.ceil(length / seed.length))
      return [
        [`${JSON.stringify(seed)} again and again`, again.slice(0, length).toWellFormed()],
        [`x, ${JSON.stringify(seed)} again and again, !`, `x ${again.slice(0, length - 3).toWellFormed()}!`],
      ] as const
    }),
  )

/** Milliseconds of this thread's processor time that some work takes, at the best of six tries: what others do at the same time is not in it. */
export const processorTime = async (work: () => unknown): Promise<number> => {
  const tries: number[] = []
  for (let n = 0; n < 6 && (tries.at(-1) ?? Number.POSITIVE_INFINITY) > 25; n += 1) {
    const before = process.threadCpuUsage()
    await work()
    const { user, system } = process.threadCpuUsage(before)
    tries.push((user + system) / 1000)
  }
  return Math.min(...tries)
}

/** Milliseconds of this thread's processor time in the longest turn of the event loop while some work is done, at the best of six tries. */
export const longestTurn = async (work: () => Promise<unknown>): Promise<number> => {
  const tries: number[] = []
  for (let n = 0; n < 6 && (tries.at(-1) ?? Number.POSITIVE_INFINITY) > 25; n += 1) {
    let longest = 0
    let before = process.threadCpuUsage()
    let isOver = false
    const turn = () => {
      const { user, system } = process.threadCpuUsage(before)
      longest = Math.max(longest, (user + system) / 1000)
      before = process.threadCpuUsage()
      if (!isOver) setImmediate(turn)
    }
    const turns = setImmediate(turn)
    try {
      await work()
    } finally {
      isOver = true
      clearImmediate(turns)
    }
    turn()
    tries.push(longest)
  }
  return Math.min(...tries)
}
