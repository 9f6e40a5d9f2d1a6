// Every behaviour saves a step of a link or a form that works without it.

/** Says how long ago a time was, where the markup has its date. */
const relativeTimes = () => {
  const units = [['year', 31536e3], ['month', 2592e3], ['day', 86400], ['hour', 3600], ['minute', 60]]
  const words = new Intl.RelativeTimeFormat('en')
  for (const time of document.querySelectorAll('time')) {
    const passed = (Date.now() - Date.parse(time.dateTime)) / 1000
    const [unit, seconds] = units.find(([, length]) => passed >= length) ?? []
    time.textContent = unit ? words.format(-Math.floor(passed / seconds), unit) : 'just now'
  }
}

/** Lets the keyboard scroll what is wider than its place in a text. */
const scrollables = () => {
  const observer = new ResizeObserver((seen) => {
    for (const { target } of seen) {
      if (target.scrollWidth > target.clientWidth) target.tabIndex = 0
      else target.removeAttribute('tabindex')
    }
  })
  for (const wide of document.querySelectorAll('.md pre, .md table')) observer.observe(wide)
}

/** Does what a button does, without leaving the page. */
const press = (button) => {
  const body = new URLSearchParams(new FormData(document.getElementById('act')))
  return fetch(button.formAction, { method: 'POST', body, keepalive: true })
}

/** Sends a vote. */
const votes = () => {
  const send = async (button) => {
    const answer = await press(button)
    if (!answer.ok) return button.form.requestSubmit(button)
    const on = button.getAttribute('aria-pressed') !== 'true'
    const [mark, count] = button.textContent.trim().split(' ')
    const number = count === '–' ? count : String(Number(count) + (on ? 1 : -1))
    const word = button.title.split(':')[0]
    button.setAttribute('aria-pressed', String(on))
    button.classList.toggle('on', on)
    button.textContent = `${mark} ${number}`
    button.title = number === '–' ? word : `${word}: ${number}`
    button.setAttribute('aria-label', button.title)
    button.formAction = button.formAction.replace(/1+$/, (dir) => (dir[1] ? '1' : '11'))
  }
  document.addEventListener('click', (event) => {
    const button = event.target.closest('button.vote')
    if (!button) return
    event.preventDefault()
    if (button.ariaBusy === 'true') return
    button.ariaBusy = 'true'
    send(button).finally(() => (button.ariaBusy = 'false'))
  })
}

/** Opens the form for a reply below its comment: the one for a comment on the link, which is posted as ever. */
const replies = () => {
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[data-reply]')
    const form = document.querySelector('#reply form[action="/api/comment"]')
    if (!link || !form || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    const comment = link.closest('.comment')
    const open = document.querySelector('form.in-place')
    const own = open?.dataset.to === comment.id
    open?.remove()
    if (own) return
    const copy = form.cloneNode(true)
    const field = copy.querySelector('textarea')
    copy.classList.add('in-place')
    copy.dataset.to = comment.id
    copy.elements.thing_id.value = comment.id
    for (const refused of copy.querySelectorAll('.refused, .reason, .hint')) refused.remove()
    for (const name of ['aria-describedby', 'aria-invalid']) field.removeAttribute(name)
    field.id = 'text-in-place'
    field.value = ''
    const label = copy.querySelector('label')
    label.htmlFor = field.id
    label.textContent = 'Your reply'
    link.closest('.acts').after(copy)
    field.focus()
  })
}

/** Keys and undo in a queue: an act is sent after ten seconds, at the next act, or when the page is left. */
const queue = () => {
  const list = document.querySelector('.queue')
  const note = document.querySelector('.undo')
  const help = document.querySelector('[data-keys]')
  if (!list || !note) return
  const cards = [...list.children]
  let at = 0
  let pending
  let keys = localStorage.getItem('keys') !== 'off'
  const showKeys = () => {
    for (const key of document.querySelectorAll('kbd')) key.hidden = !keys && !help?.contains(key)
  }
  const go = (to) => {
    cards[at].classList.remove('here')
    at = Math.max(0, Math.min(cards.length - 1, to))
    cards[at].classList.add('here')
    cards[at].scrollIntoView({ block: 'nearest' })
  }
  const say = (card, words) => {
    const line = document.createElement('p')
    line.className = 'refused'
    line.setAttribute('role', 'alert')
    line.textContent = words
    card.querySelector('.acts').before(line)
  }
  /** Counts anew what waits. */
  const showCount = async () => {
    const number = document.querySelector('[href="/about/modqueue"] b')
    if (number) number.textContent = (await (await fetch('/api/me.json')).json()).data.mod_queue_count
  }
  const send = async ({ card, button }) => {
    const answer = await press(button)
    showCount().catch(() => {})
    const said = await answer.json().catch(() => ({}))
    const reason = said.explanation ?? said.json?.errors?.[0]?.[1]
    if (answer.ok && !reason) return
    card.classList.remove('done')
    say(card, reason ?? 'This was not done.')
  }
  const flush = () => {
    if (!pending) return
    const one = pending
    clearTimeout(one.timer)
    pending = undefined
    note.hidden = true
    return send(one)
  }
  /** Sends before the page is left by a link or a form of its own, so that the next page shows what was decided. */
  const sendFirst = (event, goOn) => {
    if (!pending) return
    event.preventDefault()
    flush().finally(goOn)
  }
  const undo = () => {
    if (!pending) return
    clearTimeout(pending.timer)
    pending.card.classList.remove('done')
    go(cards.indexOf(pending.card))
    pending = undefined
    note.hidden = true
  }
  const decide = (card, button) => {
    if (card.classList.contains('done')) return
    flush()
    card.classList.add('done')
    pending = { card, button, timer: setTimeout(flush, 10_000) }
    note.firstElementChild.textContent = `${button.firstChild.textContent.trim()}: in ten seconds`
    note.hidden = false
    go(cards.indexOf(card) + 1)
  }
  list.addEventListener('click', (event) => {
    const button = event.target.closest('button')
    if (!button) return
    event.preventDefault()
    decide(button.closest('.queued'), button)
  })
  note.querySelector('button').addEventListener('click', undo)
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href]')
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) sendFirst(event, () => (location.href = link.href))
  })
  document.addEventListener('submit', (event) => sendFirst(event, () => event.target.requestSubmit(event.submitter)))
  addEventListener('pagehide', flush)
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input:not([type=checkbox]), textarea, select')) return
    if (event.key === '?') {
      keys = !keys
      localStorage.setItem('keys', keys ? 'on' : 'off')
      return showKeys()
    }
    if (!keys) return
    const card = cards[at]
    const button = card?.querySelector(`.key-${CSS.escape(event.key)}`)
    if (event.key === 'j') go(at + 1)
    else if (event.key === 'k') go(at - 1)
    else if (event.key === 'x') card.querySelector('input[type=checkbox]').click()
    else if (event.key === 'z') undo()
    else if (button) decide(card, button)
    else return
    event.preventDefault()
  })
  // what another moderator decides meanwhile is said on its card, which stays where it is
  new EventSource(list.dataset.log).addEventListener('message', ({ data }) => {
    const { action, mod, target_fullname: name } = JSON.parse(data).data ?? {}
    const card = cards.find(({ id }) => id === name)
    if (!card || card.classList.contains('done')) return
    if (/^(approve|remove)/.test(action)) card.classList.add('done')
    say(card, `${mod} ${JSON.parse(list.dataset.said)[action] ?? 'changed this'}.`)
  })
  showKeys()
  cards[0].classList.add('here')
}

for (const behaviour of [relativeTimes, scrollables, votes, replies, queue]) behaviour()
