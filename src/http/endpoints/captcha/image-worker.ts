import { Resvg } from '@resvg/resvg-js'
import captcha from 'svg-captcha'
import { answerEach } from '../../workers/worker-entry.ts'

/** The module is a function, too, which its types leave out. */
const draw = captcha as unknown as (text: string, options: Parameters<typeof captcha.create>[0]) => string

const IMAGE_SIZE_PIXELS = { width: 120, height: 50 } as const

/** Draws letters as curves, so that no font is needed to make an image of them. */
const png = (answer: string): Uint8Array => {
  const svg = draw(answer, { ...IMAGE_SIZE_PIXELS, noise: 3, fontSize: 46, background: '#f4f4f4' })
  return new Resvg(svg, { font: { loadSystemFonts: false } }).render().asPng()
}

// The process that draws captchas, one after the other.
answerEach(png)
