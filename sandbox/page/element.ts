type Child = Node | string | null | undefined | false
type Props = {
  class?: string
  on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void }
} & Record<string, unknown>

/** Builds an element; text is only ever set as text. */
export const element = <K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { on = {}, ...props }: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] => {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue
    // ARIA's states are words; HTML's are there or not.
    if (value === false && !name.startsWith('aria-')) continue
    made.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : String(value))
  }
  for (const [name, listen] of Object.entries(on)) made.addEventListener(name, listen as EventListener)
  made.append(...children.filter((child): child is Node | string => Boolean(child) || child === ''))
  return made
}

const PATHS = {
  back: 'M15 5l-7 7 7 7',
  plus: 'M12 5v14M5 12h14',
  send: 'M4 12l16-8-6 16-3-6z',
  tools: 'M4 7h10M18 7h2M4 17h2M10 17h10M14 4v6M6 14v6',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M15.5 9.5h.01',
  pin: 'M12 21s7-6.2 7-11a7 7 0 1 0-14 0c0 4.8 7 11 7 11zM12 12.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  file: 'M7 3h7l4 4v14H7zM14 3v4h4',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20a7.5 7.5 0 0 1 15 0',
  question: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 17.5h.01',
  close: 'M6 6l12 12M18 6L6 18',
  reply: 'M10 6l-6 6 6 6M4 12h9a7 7 0 0 1 7 7',
  link: 'M14 4h6v6M20 4l-9 9M18 14v5H5V6h5',
  phone: 'M6 3h3l2 5-2.5 1.5a11 11 0 0 0 6 6L16 13l5 2v3a2 2 0 0 1-2 2A16 16 0 0 1 4 5a2 2 0 0 1 2-2z',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  list: 'M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01',
  play: 'M8 5l11 7-11 7z',
  smile: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 14a4 4 0 0 0 7 0M9 9.5h.01M15 9.5h.01',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2',
  tick: 'M5 12.5l4.5 4.5L19 7.5',
  ticks: 'M2 12.5l4.5 4.5L16 7.5M11.5 16l1 1L22 7.5',
  warning: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13.5 6.5l4 4',
  mail: 'M4 6h16v12H4zM4 7l8 6 8-6',
  whatsapp: 'M5 19l1.2-3.6A7.5 7.5 0 1 1 9 18.2zM9.5 9.5c.4 2.6 2.4 4.6 5 5',
  telegram: 'M3.5 11.5L20 5l-3 14-5-4-3 3-.5-5zM8.5 13L17 7.5',
  messenger:
    'M12 4c-4.700 0-8 3.300-8 7.5 0 2.300 1 4.200 2.700 5.500V20l2.700-1.500c.8.2 1.700.3 2.600.3 4.700 0 8-3.100 8-7.300S16.700 4 12 4zM7.5 13l3-3 3 2 3-2.500',
  sms: 'M5 5h14v10H10l-4 4v-4H5zM9 10h.01M12 10h.01M15 10h.01',
  verified:
    'M12 3l2.3 1.8 2.9-.2.9 2.8 2.4 1.6-1 2.8 1 2.8-2.4 1.6-.9 2.8-2.9-.2L12 21l-2.3-1.8-2.9.2-.9-2.8L3.5 15l1-2.8-1-2.8 2.4-1.6.9-2.8 2.9.2zM8.5 12.2l2.4 2.4 4.6-4.8',
} as const

export type Icon = keyof typeof PATHS

export const icon = (name: Icon, title?: string): SVGSVGElement => {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', `icon icon-${name}`)
  if (title) {
    svg.setAttribute('role', 'img')
    svg.setAttribute('aria-label', title)
  } else svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  path.setAttribute('d', PATHS[name])
  svg.append(path)
  return svg
}
