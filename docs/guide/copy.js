// Beside each example: a button that copies it.
for (const example of document.querySelectorAll('main pre')) {
  const place = document.createElement('div')
  place.className = 'code'
  example.replaceWith(place)
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' })
  place.append(example, button)
  button.addEventListener('click', async () => {
    // a page that was not sent by HTTPS may not write to the clipboard: the text is chosen, and copied as by the keyboard
    const copied = await navigator.clipboard?.writeText(example.textContent).then(
      () => true,
      () => false,
    )
    if (!copied) {
      getSelection().selectAllChildren(example)
      if (!document.execCommand('copy')) return
    }
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2_000)
  })
}
