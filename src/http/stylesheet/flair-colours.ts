// Decision 82.

const COLOUR_PROPERTIES = new Set(['color', 'background-color', 'border-color'])
/** Matches a colour in the form that the compiler writes: a name, `#` with digits, or figures in the functions that have only figures. */
const colour = /^(?:#[0-9a-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d.,%\s/deg-]{1,60}\))$/i
const flairClass = /^\.(flair-[A-Za-z0-9-]{1,100})$/

/** Returns the selectors of a rule for classes of flair alone, as strong as those of the site's own sheet. */
const selectorsOf = (prelude: string): string | undefined => {
  const names = prelude.split(',').map((one) => flairClass.exec(one)?.[1])
  return names.every((name) => name !== undefined) ? names.map((name) => `.badge.flair.${name}`).join() : undefined
}

const coloursOf = (declarations: string): string =>
  declarations
    .split(';')
    .flatMap((one) => {
      const [property = '', value = ''] = one.split(':', 2)
      return COLOUR_PROPERTIES.has(property) && colour.test(value) ? [`${property}:${value}`] : []
    })
    .join(';')

/**
 * Returns the colours that a published stylesheet gives to classes of flair, such as `.flair-hot{color:red}`: rules of their own, which
 * stand outside of the frame of the stylesheet. Whatever the text is, the result has nothing but such selectors, three properties and
 * colours. Rules within others, such as `@media`, have no effect on flair.
 */
export const flairColours = (css: string): string => {
  const rules: string[] = []
  let depth = 0
  let prelude = ''
  for (const [part] of css.matchAll(/[^{}]*[{}]/g)) {
    const text = part.slice(0, -1)
    if (part.endsWith('{')) {
      if (depth === 0) prelude = text
      depth += 1
      continue
    }
    depth -= 1
    const [selectors, colours] = [depth === 0 ? selectorsOf(prelude) : undefined, coloursOf(text)]
    if (selectors !== undefined && colours !== '') rules.push(`${selectors}{${colours}}`)
  }
  return rules.join('\n')
}
