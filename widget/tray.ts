// The files of the next message above the input field, and the ways to add some: a button, dropping, pasting.
import { createIcon, element } from './element.ts'
import { fileEndings, fileMaxBytes, filesMax } from './file-rules.ts'
import { createUploads, type Refusal, type Send, type Upload } from './uploads.ts'
import { fill, locale, plural, words } from './words.ts'

export const createTray = (send: Send, onChange: () => void) => {
  const picker = element('input', {
    type: 'file',
    multiple: '',
    hidden: '',
    accept: fileEndings.map((ending) => `.${ending}`).join(),
  })
  const button = element('button', { type: 'button', class: 'tool', 'aria-label': words.attach }, [
    createIcon('m20 11-8.5 8.5a5 5 0 0 1-7-7L13 4a3.5 3.5 0 0 1 5 5l-8.5 8.5a2 2 0 0 1-3-3L14 7'),
  ])
  const list = element('ul', { class: 'tray', 'aria-label': words.files, hidden: '' })
  const problem = element('p', { class: 'tray-problem', role: 'alert' })
  const chips = new Map<string, ReturnType<typeof createChip>>()

  const render = (): void => {
    const all = uploads.list()
    list.hidden = all.length === 0
    for (const [clientId, chip] of chips)
      if (!all.some((one) => one.clientId === clientId)) {
        chip.node.remove()
        chips.delete(clientId)
      }
    for (const upload of all) {
      let chip = chips.get(upload.clientId)
      if (!chip) {
        chip = createChip(upload, uploads)
        chips.set(upload.clientId, chip)
        list.append(chip.node)
      }
      chip.update(upload)
    }
    onChange()
  }
  const uploads = createUploads(send, render)
  const add = (files: FileList | null | undefined): void => {
    const refusal = uploads.add(Array.from(files ?? []))
    problem.textContent = refusal ? describe(refusal) : ''
  }
  button.addEventListener('click', () => picker.click())
  picker.addEventListener('change', () => {
    add(picker.files)
    picker.value = ''
  })

  return {
    button,
    nodes: [picker, list, problem],
    add,
    count: (): number => uploads.list().length,
    isReady: (): boolean => uploads.list().every(({ state }) => state === 'done'),
    take: uploads.take,
    clear: (): void => {
      problem.textContent = ''
      uploads.clear()
    },
  }
}

export type Tray = ReturnType<typeof createTray>

/** Files are dropped anywhere in the panel. */
export const acceptDrops = (panel: HTMLElement, tray: Pick<Tray, 'add'>): void => {
  const veil = element('div', { class: 'drop', 'aria-hidden': 'true', hidden: '' }, words.dropHere)
  panel.append(veil)
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => Boolean(dataTransfer?.types.includes('Files'))
  panel.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    veil.hidden = false
  })
  panel.addEventListener('dragleave', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && panel.contains(relatedTarget))) veil.hidden = true
  })
  panel.addEventListener('drop', (event) => {
    if (!hasFiles(event)) return
    event.preventDefault()
    veil.hidden = true
    tray.add(event.dataTransfer?.files)
  })
}

const describe = ({ why, name }: Refusal): string => {
  const bidi = `\u2068${name}\u2069`
  if (why === 'count') return plural(words.tooMany, filesMax)
  if (why === 'type') return fill(words.fileRefused, { name: bidi })
  const size = `${new Intl.NumberFormat(locale).format(fileMaxBytes / 1024 / 1024)} MB`
  return fill(words.tooLarge, { name: bidi, size })
}

const createChip = (
  { clientId, name, preview }: Upload,
  { remove, retry }: Pick<ReturnType<typeof createUploads>, 'remove' | 'retry'>,
) => {
  const file = createIcon('M13 3H7a2 2 0 0 0-2 2v14a2 2 0 0 0 2 2h10a2 2 0 0 0 2-2V9l-6-6Zm0 0v6h6')
  const thumb = element('span', { class: 'thumb', 'aria-hidden': 'true' }, [file])
  if (preview !== null) {
    const image = element('img', { src: preview, alt: '' })
    // A site's policy may not allow it.
    image.addEventListener('load', () => thumb.replaceChildren(image))
  }
  const state = element('span', { class: 'chip-state' })
  const bar = element('span', { class: 'bar' }, [element('i', {})])
  const again = element('button', { type: 'button', class: 'chip-again' }, words.tryAgain)
  const away = element(
    'button',
    { type: 'button', class: 'chip-away', 'aria-label': fill(words.removeFile, { name }) },
    [createIcon('M6 6l12 12M18 6 6 18')],
  )
  again.addEventListener('click', () => retry(clientId))
  away.addEventListener('click', () => remove(clientId))
  const node = element('li', { class: 'chip' }, [
    thumb,
    element('span', { class: 'chip-text' }, [
      element('span', { class: 'file-name', dir: 'auto' }, name),
      state,
      bar,
    ]),
    again,
    away,
  ])
  return {
    node,
    update: ({ state: now, progress }: Upload): void => {
      node.dataset.state = now
      const isWaiting = now === 'uploading'
      const text =
        now === 'refused'
          ? fill(words.fileRefused, { name })
          : now === 'failed'
            ? fill(words.uploadFailed, { name })
            : isWaiting
              ? words.uploading
              : ''
      if (state.textContent !== text) state.textContent = text
      again.hidden = now !== 'failed'
      bar.hidden = !isWaiting
      const [fillBar] = bar.children
      if (fillBar instanceof HTMLElement) fillBar.style.width = `${Math.round(progress * 100)}%`
    },
  }
}
