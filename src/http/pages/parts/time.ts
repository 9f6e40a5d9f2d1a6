import { type Html, html } from '../../wire/html.ts'

/** Milliseconds. */
export const DAY_MS = 86_400_000

/** Renders a time of the interface, in seconds. The script makes the words relative; the markup stays true while a page is cached. */
export const time = (seconds: number): Html => {
  const iso = new Date(seconds * 1000).toISOString()
  const words = `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
  return html`<time datetime="${iso.replace('.000', '')}" title="${words}">${iso.slice(0, 10)}</time>`
}

/** Returns the day of a time that may be still to come, which the script leaves as it is. */
export const date = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

const numbers = new Intl.NumberFormat('en')

/** A number as it is written: `999`, `2,000`. */
export const figure = (number: number): string => (number < 1_000 ? String(number) : numbers.format(number))

/** Returns a number with its noun: `1 comment`, `2,000 comments`. */
export const count = (number: number, one: string, many = `${one}s`): string => `${figure(number)} ${number === 1 ? one : many}`
