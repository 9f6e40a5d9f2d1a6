import Negotiator from 'negotiator'
import { type IncomingRequest, isRead } from '../contract/incoming.ts'

/** Matches what browsers accept: HTML before everything else, and JSON only among everything. */
const ofBrowsers = /^text\/html,(?!.*(?:json|text\/|application\/\*))/

/** Tells whether the sender would rather have HTML than JSON, as browsers do. */
export const prefersHtml = (accept: string | string[] | undefined): boolean =>
  typeof accept === 'string' &&
  accept.includes('text/html') &&
  (ofBrowsers.test(accept) || new Negotiator({ headers: { accept } }).mediaType(['application/json', 'text/html']) === 'text/html')

/** Tells whether an agent is a program in Java. These prefer text/html unless their authors say otherwise. */
const isJava = (agent: string): boolean => /^Java\//.test(agent)

/** Matches robots that fetch a page to show a preview of its link. They accept anything, and JSON shows them nothing. */
const previewRobots =
  /facebookexternalhit|Twitterbot|Slackbot-LinkExpanding|Discordbot|TelegramBot|WhatsApp|LinkedInBot|SkypeUriPreview|Mastodon\/|Iframely|Embedly/i

const isPreviewRobot = ({ 'user-agent': agent = '' }: IncomingRequest['headers']): boolean => previewRobots.test(String(agent))

const isForm = ({ 'content-type': type = '' }: IncomingRequest['headers']): boolean =>
  /^(?:application\/x-www-form-urlencoded|multipart\/form-data)/i.test(String(type))

/** Tells whether a target names the format: by an extension, or by the name of a function to call. */
const namesFormat = (target: string): boolean => /\.(?:json|rss|xml)(?:\?|$)|[?&]jsonp=/.test(target)

/** Tells whether a request is one of a browser that shows the answer to a person. */
export const wantsPage = ({
  method,
  target,
  headers,
  isPageAct,
}: Pick<IncomingRequest, 'method' | 'target' | 'headers' | 'isPageAct'>): boolean => {
  if (isPageAct) return true
  const { accept, authorization, 'user-agent': agent = '' } = headers
  if (authorization !== undefined || namesFormat(target)) return false
  if (isRead(method)) return isPreviewRobot(headers) || (prefersHtml(accept) && !isJava(String(agent)))
  return method === 'POST' && isForm(headers) && prefersHtml(accept) && !isJava(String(agent))
}

/** Tells whether another agent that sends the same `Accept` would get another format. */
export const isAgentDecisive = ({ method, target, headers }: Pick<IncomingRequest, 'method' | 'target' | 'headers'>): boolean => {
  const { 'user-agent': agent = '', ...others } = headers
  if (!isJava(String(agent)) && !isPreviewRobot(headers)) return false
  return wantsPage({ method, target, headers }) !== wantsPage({ method, target, headers: others })
}
