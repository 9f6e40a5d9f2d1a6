import { Html, html } from '../../wire/html.ts'

/** A text that the service rendered and sanitized: a member `…_html` of an answer. Nothing else becomes markup without being escaped. */
export const renderText = (sanitized: string | null): Html | undefined =>
  sanitized === null || sanitized === ''
    ? undefined
    : html`<div class="text">${new Html(sanitized.replace(/^<!-- SC_OFF -->|<!-- SC_ON -->\s*$/g, ''))}</div>`
