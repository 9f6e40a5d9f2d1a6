import { openShares, type SharesPorts } from './leases.ts'

/** Work that one process of a group does at a time, until the signal aborts. */
export type Duty = (signal: AbortSignal) => Promise<void>

/** Runs each job in the process that holds its lease. If that one dies, another process takes it over within seconds. */
export const openDuties = (
  ports: SharesPorts,
  { group, duties }: { readonly group: string; readonly duties: Readonly<Record<string, Duty>> },
): { readonly close: () => Promise<void> } => {
  const running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>()
  const { close } = openShares(ports, {
    group,
    names: Object.keys(duties),
    onTaken: (name) => {
      const stop = new AbortController()
      const duty = duties[name] ?? (async () => {})
      running.set(name, { stop, done: duty(stop.signal).catch(ports.report) })
    },
    onLeaving: async (name) => {
      const work = running.get(name)
      running.delete(name)
      work?.stop.abort()
      await work?.done
    },
  })
  return { close }
}
