// On a long page: a field above the contents that leaves only the entries in whose heading or first sentence all its words stand.
const main = document.querySelector('main')
const contents = document.querySelector('.contents')

/** The parts of the page: each heading with what follows it up to the next one. */
const parts = []
for (const node of main.children) {
  if (/^H[123]$/.test(node.tagName)) parts.push({ heading: node, nodes: [], isEntry: node.tagName === 'H3' })
  if (node !== contents) parts.at(-1)?.nodes.push(node)
}
for (const part of parts) {
  const first = part.nodes.find(({ tagName }) => tagName === 'P')
  part.words = `${part.heading.textContent} ${first?.textContent ?? ''}`.toLowerCase()
}
const links = new Map([...contents.querySelectorAll('li a')].map((link) => [link.hash.slice(1), link.parentElement]))

const field = Object.assign(document.createElement('input'), { type: 'search', placeholder: contents.dataset.filter })
field.setAttribute('aria-label', contents.dataset.filter)
const count = document.createElement('output')
contents.prepend(field, count)

const filter = () => {
  const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  const isFiltered = wanted.length > 0
  let found = 0
  for (const { heading, nodes, words, isEntry } of parts) {
    const isShown = !isFiltered || (isEntry ? wanted.every((word) => words.includes(word)) : heading.tagName === 'H1')
    if (isShown && isEntry) found += 1
    for (const node of nodes) node.hidden = !isShown
    const link = links.get(heading.id)
    if (link) link.hidden = !isShown
  }
  for (const section of contents.querySelectorAll('details')) {
    section.hidden = ![...section.querySelectorAll('li')].some((item) => !item.hidden)
    section.open = isFiltered
  }
  count.textContent = isFiltered ? `${found} found` : ''
}
field.addEventListener('input', filter)

// a link into the page leads to what it names, also while that is filtered out
addEventListener('hashchange', () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target?.closest('[hidden]')) return
  field.value = ''
  filter()
  target.scrollIntoView()
})
