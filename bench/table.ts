/** Formats rows as a Markdown table, so that the output can be pasted into the documentation. */
export const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]) => `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n')
}

export const toWholeText = (value: number): string => Math.round(value).toLocaleString('en')
export const ratio = (value: number): string => value.toFixed(2)
export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`

export const say = (line: string): void => void process.stdout.write(`${line}\n`)
