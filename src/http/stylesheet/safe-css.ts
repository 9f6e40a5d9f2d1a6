import { lexer } from 'css-tree'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** At-rules that load nothing and define no names shared beyond their subsite. */
const safeAtRules = words('media keyframes supports page')

/** Known to the parser but excluded: behaviour that runs scripts or loads other files. */
const unsafeProperties = words('behavior binding src cue cue-before cue-after play-during')

const withoutPrefix = (name: string): string => name.toLowerCase().replace(/^-(?:apple|khtml|moz|ms|o|webkit)-/, '')

/** Standard properties, with any vendor prefix. */
const properties: ReadonlySet<string> = new Set(
  Object.keys((lexer as unknown as { readonly properties: object }).properties).filter(
    (name) => !name.startsWith('-') && !unsafeProperties.has(name),
  ),
)

export const isSafeProperty = (name: string): boolean => properties.has(withoutPrefix(name))
export const isSafeAtRule = (name: string): boolean => safeAtRules.has(withoutPrefix(name))

/** Functions for colours, lengths, shapes and times; none takes an address or a value from elsewhere. */
const functions = words(`
  attr calc clamp max min minmax repeat fit-content counter counters steps cubic-bezier linear
  rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix light-dark
  linear-gradient radial-gradient conic-gradient gradient
  repeating-linear-gradient repeating-radial-gradient repeating-conic-gradient
  matrix matrix3d perspective rotate rotate3d rotatex rotatey rotatez scale scale3d scalex scaley
  scalez skew skewx skewy translate translate3d translatex translatey translatez
  blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia
  circle ellipse inset polygon rect path
`)

export const isSafeFunction = (name: string): boolean => functions.has(withoutPrefix(name))

/** The accepted kinds of nodes. All others, such as text that the parser did not understand and kept, are refused. */
export const safeNodes = words(`
  StyleSheet Rule Block Declaration DeclarationList Value Atrule AtrulePrelude Comment WhiteSpace
  SelectorList Selector TypeSelector ClassSelector IdSelector AttributeSelector PseudoClassSelector
  PseudoElementSelector NestingSelector Combinator Nth AnPlusB Percentage
  Identifier Function Number Dimension String Hash Operator Parentheses Brackets Ratio Url
  MediaQueryList MediaQuery Condition Feature FeatureRange SupportsDeclaration
`)
