import { HtmlValidate } from 'html-validate'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { type Answer, type Caller, callerAt, type TestSite, type User } from './site.ts'

/** The header fields of Chromium when a person follows a link. */
export const browserHeaders = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8' }

/** Opens a browser without a session. */
export const browserOf = (site: Pick<TestSite, 'url'>): Caller => callerAt(site.url, browserHeaders)

/** A browser in which an account is logged in. */
export const browserAs = async (site: Pick<TestSite, 'url'>, user: User): Promise<Caller & { readonly modhash: string }> => {
  const { cookie, modhash } = await user.session()
  return { ...callerAt(site.url, { ...browserHeaders, Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' }), modhash }
}

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // both ways to write a void element and a doctype are valid
    'void-style': 'off',
    'doctype-style': 'off',
    'no-trailing-whitespace': 'off',
    // the parser adds it
    'prefer-tbody': 'off',
    'long-title': 'off',
    // buttons of the one form of a page stand outside of it, and name it by `form`
    'form-dup-name': 'off',
    'wcag/h32': 'off',
    // the names of users and of buttons may be as they like
    'prefer-native-element': 'off',
    'no-raw-characters': 'off',
    'attribute-boolean-style': 'off',
    'text-content': 'off',
  },
})

/** Returns the errors of a page's HTML, one line each. */
export const htmlProblems = async (html: string): Promise<readonly string[]> => {
  const { results } = await validator.validateString(html)
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line }) => `${ruleId}: ${message} in ${html.split('\n')[line - 1]?.slice(0, 200)}`),
  )
}

/** Tells whether an answer is a page. */
export const isPage = ({ headers }: Pick<Answer, 'headers'>): boolean => headers.get('content-type') === 'text/html; charset=UTF-8'

/** Returns the address that a form leads to, with `done=1` in place of the mark of the session. */
export const destinationOf = ({ headers }: Pick<Answer, 'headers'>): string | undefined =>
  headers.get('location')?.replace(/(?<=[?&](?:done|reported)=)[0-9a-f]{16}/, '1')

const refusedTag = /^(?:script|style|iframe|object|embed|base|math|template|frame|frameset|applet|marquee)$/
const refusedAttribute = /^(?:on.*|style|srcdoc|srcset|http-equiv|xlink:href|background|poster)$/
const takesAddress = /^(?:href|src|action|formaction|cite)$/
const safeAddress = /^(?:https?:\/\/|\/(?!\/|\\)|#|about:blank#blocked$|mailto:)/i
const ownScript = /^\/site\/(?:rostra|history)-\w+\.js$/

type Node = DefaultTreeAdapterTypes.Node
type Element = DefaultTreeAdapterTypes.Element

const isOwnScript = ({ tagName, attrs }: Element): boolean =>
  tagName === 'script' && attrs.some(({ name, value }) => name === 'src' && ownScript.test(value))

const isOfPlot = (element: Element): boolean => {
  const { parentNode: parent, tagName } = element
  if (parent === null || !('tagName' in parent)) return false
  if (tagName === 'svg') return parent.tagName === 'figure' && parent.attrs.some(({ name, value }) => name === 'class' && value === 'plot')
  return /^(?:g|path|rect|text)$/.test(tagName) && isOfPlot(parent)
}

/** Tells whether an element is of SVG, and none of a plot that the service draws. */
const isStrangeDrawing = (element: Element): boolean => element.namespaceURI.endsWith('/svg') && !isOfPlot(element)

const hasClass = (node: Node | null | undefined, name: string): boolean =>
  node !== null && node !== undefined && 'attrs' in node && node.attrs.some((one) => one.name === 'class' && one.value === name)

/** Tells whether an element is the frame of a subsite's own style: the root of a shadow tree. */
const isFrame = ({ tagName, attrs, parentNode }: Element): boolean =>
  tagName === 'template' &&
  attrs.map(({ name, value }) => `${name}=${value}`).join() === 'shadowrootmode=open' &&
  hasClass(parentNode && 'parentNode' in parentNode ? parentNode.parentNode : undefined, 'frame')

const isUnsafe = (element: Element): boolean =>
  isStrangeDrawing(element) ||
  (refusedTag.test(element.tagName) && !isOwnScript(element) && !isFrame(element)) ||
  element.attrs.some(({ name, value }) => {
    // a text may lead to another site
    const isLink = name === 'href' && value.startsWith('//')
    return refusedAttribute.test(name) || (takesAddress.test(name) && !isLink && !safeAddress.test(value))
  })

const elementsIn = (node: Node): readonly Element[] => [
  ...('tagName' in node ? [node] : []),
  ...('content' in node ? elementsIn(node.content) : []),
  ...('childNodes' in node ? node.childNodes.flatMap(elementsIn) : []),
]

/**
 * Returns the elements that could run or load something on a page, beside its one script, as the parser of a browser reads it. Texts of
 * users must never become such elements.
 */
export const unsafeMarkup = (text: string): readonly string[] =>
  elementsIn(parse(text))
    .filter(isUnsafe)
    .map(({ tagName, attrs }) => `${tagName} ${attrs.map(({ name, value }) => `${name}=${value}`).join(' ')}`)
