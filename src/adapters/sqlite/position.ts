import type { Position } from '../../ports/event-store.ts'

export const toPosition = (row: number): Position => String(row).padStart(20, '0')

export const fromPosition = (position: Position): number => {
  const row = Number(position)
  if (position.length !== 20 || !Number.isSafeInteger(row) || row < 0) throw new Error(`not a position of this log: ${position}`)
  return row
}
