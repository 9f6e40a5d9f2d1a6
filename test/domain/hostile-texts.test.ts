import test from 'ava'
import { canonicalUrl, domainOf } from '../../src/domain/canonical-url.ts'
import { saysNsfw } from '../../src/domain/link.ts'
import { parsePermissions } from '../../src/domain/moderators.ts'
import { bareSubsite } from '../../src/domain/names.ts'
import { excerptOf } from '../../src/domain/target.ts'
import { checkLine, checkMarkdown, checkText, foldLine } from '../../src/domain/text-limits.ts'
import { parseUrl } from '../../src/domain/url.ts'
import { slugOf } from '../../src/http/present/permalink.ts'
import { hostileTexts, processorTime } from '../support/hostile-texts.ts'

const functions: Readonly<Record<string, (text: string) => unknown>> = {
  slugOf,
  foldLine,
  saysNsfw,
  parseUrl,
  canonicalUrl,
  domainOf,
  bareSubsite,
  parsePermissions,
  excerptOf,
  checkLine: (text) => checkLine(text, 10_000, 'text'),
  checkMarkdown: (text) => checkMarkdown(text, 10_000, 'text'),
  checkText: (text) => checkText(text, 10_000, 'text'),
}

for (const [name, look] of Object.entries(functions))
  test.serial(`${name} takes at most 50 ms for any text of 160,000 characters`, async (t) => {
    for (const [what, text] of hostileTexts(160_000)) {
      const spent = await processorTime(() => look(text))
      t.true(spent <= 50, `${what}: ${spent.toFixed()} ms`)
    }
  })
