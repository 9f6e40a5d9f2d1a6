/** Keeps one queue for each key. Work with the same key runs one after the other, whether the previous one succeeded or not. */
export const queues = () => {
  const lasts = new Map<string, Promise<unknown>>()

  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = lasts.get(key)
    const mine = before ? before.then(work, work) : work()
    lasts.set(key, mine)
    const leave = () => {
      if (lasts.get(key) === mine) lasts.delete(key)
    }
    mine.then(leave, leave)
    return mine
  }
}
