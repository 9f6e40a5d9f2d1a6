// Says how many events came after those on the page; the link that shows them works without it.
const place = document.querySelector('[data-follow]')
const link = place?.querySelector('a')
let count = 0
if (link)
  new EventSource(place.dataset.follow).addEventListener('message', ({ data }) => {
    if (!data || JSON.parse(data).kind !== 'event') return
    count += 1
    place.setAttribute('role', 'status')
    link.textContent = `Show ${count} new ${count === 1 ? 'event' : 'events'}`
  })
