/** Returns the items in a random order, each order as likely as any other. */
export const shuffle = <T>(items: readonly T[]): readonly T[] => {
  const order = [...items]
  for (let last = order.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1))
    const moved = order[last] as T
    order[last] = order[other] as T
    order[other] = moved
  }
  return order
}
