import { existsSync, readdirSync, readFileSync } from 'node:fs'

// Reads Linux's figures of a process, by its number.

const TICKS_PER_SECOND = 100

/** Seconds of processor time of a process, or of one of its threads. */
const cpuIn = (directory: string): number => {
  const stat = readFileSync(`${directory}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Seconds of processor time so far, of all threads. */
export const cpuOf = (pid: number): number => cpuIn(`/proc/${pid}`)

/** Returns the processor time of libuv's pool alone. In the service that is nearly all hashes of passwords. */
export const poolCpuOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((task) => `/proc/${pid}/task/${task}`)
    .filter((task) => readFileSync(`${task}/comm`, 'utf8').startsWith('libuv-worker'))
    .reduce((sum, task) => sum + cpuIn(task), 0)

/** Resident memory in MiB. */
export const residentOf = (pid: number): { readonly now: number; readonly most: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { now: mebibytes('VmRSS'), most: mebibytes('VmHWM') }
}

/** MiB of the program itself and its libraries that are resident: pages of files. */
export const programOf = (pid: number): number => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/RssFile:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Bytes that it has had written to disks; undefined where the system does not count them. */
export const writtenBy = (pid: number): number | undefined => {
  const file = `/proc/${pid}/io`
  return existsSync(file) ? Number(/^write_bytes: (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1]) : undefined
}
