/** Returns a text with LF as the line end. Browsers send CRLF. */
export const foldLineEnds = (text: string): string => text.replace(/\r\n?/g, '\n')
