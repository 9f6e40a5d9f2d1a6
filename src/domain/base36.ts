const digits = '0123456789abcdefghijklmnopqrstuvwxyz'
const BASE = 36
const PAIR = BASE * BASE
const pairs = Array.from({ length: PAIR }, (_, n) => `${digits[Math.floor(n / BASE)]}${digits[n % BASE]}`)

/** Returns the same as `toString(36)` for a whole number, many times faster: pages name ten thousand ids. */
export const base36 = (number: number): string => {
  let tail = ''
  let rest = number
  while (rest >= PAIR) {
    const quotient = Math.floor(rest / PAIR)
    tail = pairs[rest - quotient * PAIR] + tail
    rest = quotient
  }
  return (rest < BASE ? digits[rest] : pairs[rest]) + tail
}
