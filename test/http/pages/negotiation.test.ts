import test from 'ava'
import fc from 'fast-check'
import Negotiator from 'negotiator'
import { prefersHtml } from '../../../src/http/wire/wants-page.ts'

const types = ['text/html', 'application/json', 'application/xhtml+xml', 'application/*', 'text/*', 'image/webp', '*/*'] as const
const quality = fc.constantFrom('', ';q=1', ';q=0.9', ';q=0.5', ';q=0', ';level=1')
const accepts = fc
  .array(fc.tuple(fc.constantFrom(...types), quality), { maxLength: 5 })
  .chain((ranges) => fc.constantFrom(',', ', ').map((comma) => ranges.map((range) => range.join('')).join(comma)))

test('what a browser accepts is judged as the negotiation of the protocol judges it', (t) => {
  let preferred = 0
  fc.assert(
    fc.property(
      fc.oneof(
        accepts,
        accepts.map((rest) => `text/html,${rest}`),
      ),
      (accept) => {
        const isNegotiated =
          accept.includes('text/html') &&
          new Negotiator({ headers: { accept } }).mediaType(['application/json', 'text/html']) === 'text/html'
        if (isNegotiated) preferred += 1
        t.is(prefersHtml(accept), isNegotiated, accept)
      },
    ),
    { numRuns: 2_000 },
  )
  t.true(preferred > 100)
})
