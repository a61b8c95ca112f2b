// A button on each block of code that copies it.

const SHOWN_MS = 1_500

for (const block of document.querySelectorAll('pre')) {
  const button = document.createElement('button')
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent ?? '')
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, SHOWN_MS)
  })
  const frame = document.createElement('div')
  frame.className = 'code'
  block.replaceWith(frame)
  frame.append(block, button)
}
