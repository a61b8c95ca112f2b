// Takes out of a page what its visitors don't see: such text could be there to tell the AI agent something. Style
// sheets in files of their own are not read; those in the page are, without what depends on the device.

type Style = Map<string, string>
export type HtmlElement = {
  nodeName: string
  parentElement: HtmlElement | null
  childNodes: Iterable<HtmlElement & { nodeType: number; textContent: string | null }>
  children: Iterable<HtmlElement>
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  remove(): void
}
export type HtmlDocument = {
  documentElement: HtmlElement | null
  querySelectorAll(selector: string): Iterable<HtmlElement & { textContent: string | null }>
}

const RULES_MAX = 2_000
const SHEETS_CHARS_MAX = 500_000
const SELECTOR_CHARS_MAX = 200
const TEXT = 3

const NEVER_SHOWN =
  'script,style,noscript,template,iframe,object,svg,canvas,video,audio,img,picture,head link,dialog:not([open])'

const declarationsOf = (text: string): Style =>
  new Map(
    text
      .toLowerCase()
      .replaceAll('!important', '')
      .split(';')
      .map((one) => [one.slice(0, one.indexOf(':')).trim(), one.slice(one.indexOf(':') + 1).trim()] as const)
      .filter(([name]) => name !== ''),
  )

/** Selectors and declarations of a sheet's plain rules; those in at-rules are left out. */
const rulesOf = (sheet: string): [selector: string, style: Style][] => {
  const rules: [string, Style][] = []
  let at = 0
  const text = sheet.replace(/\/\*[\s\S]*?\*\//g, '')
  while (rules.length < RULES_MAX) {
    const open = text.indexOf('{', at)
    if (open < 0) break
    const selector = text.slice(at, open).split(';').at(-1)!.trim()
    let end = text.indexOf('}', open)
    if (selector.startsWith('@')) {
      let depth = 1
      for (end = open + 1; end < text.length && depth > 0; end++)
        depth += text[end] === '{' ? 1 : text[end] === '}' ? -1 : 0
      end -= 1
    } else if (end > 0 && selector.length <= SELECTOR_CHARS_MAX)
      rules.push([selector, declarationsOf(text.slice(open + 1, end))])
    if (end < 0) break
    at = end + 1
  }
  return rules
}

/** Whether it or its box can't be seen; `width` and the like are those of text for screen readers. */
const hides = (style: Style): boolean => {
  const is = (name: string, value: RegExp) => value.test(style.get(name) ?? '')
  const isTiny = (name: string) => is(name, /^[01](px)?$/)
  return (
    is('display', /^none$/) ||
    is('visibility', /^(hidden|collapse)$/) ||
    is('content-visibility', /^hidden$/) ||
    (is('opacity', /^0?\.?0*%?$/) && style.has('opacity')) ||
    (is('font-size', /^(0(\.\d+)?|1)(px|pt|em|rem|%)?$/) && !is('font-size', /^1r?em$/)) ||
    is('transform', /scale\(0\)/) ||
    is('clip', /rect\(\s*[01](px)?[,\s]/) ||
    is('clip-path', /inset\((50|100)%/) ||
    is('text-indent', /^-\d{3,}/) ||
    (is('position', /^(absolute|fixed)$/) && ['left', 'top', 'right'].some((side) => is(side, /^-\d{3,}/))) ||
    (is('overflow', /^hidden$/) && (isTiny('width') || isTiny('height') || isTiny('max-height')))
  )
}

type Color = readonly [red: number, green: number, blue: number]
const WHITE: Color = [255, 255, 255]
const BLACK: Color = [0, 0, 0]
const NAMED: Record<string, Color> = {
  white: WHITE,
  snow: [255, 250, 250],
  ivory: [255, 255, 240],
  ghostwhite: [248, 248, 255],
  whitesmoke: [245, 245, 245],
  black: BLACK,
}
/** As large as the least difference that people read without effort is a multiple of this. */
const COLORS_ALIKE = 24

const hexColor = (digits: string): Color => {
  const width = digits.length < 5 ? 1 : 2
  const part = (at: number) =>
    Number.parseInt(digits.slice(at * width, (at + 1) * width).repeat(3 - width), 16)
  return [part(0), part(1), part(2)]
}

/** Null: not visible at all; undefined: not understood. */
const colorOf = (value: string | undefined): Color | null | undefined => {
  if (!value) return undefined
  const hex = /#([\da-f]{3,8})/.exec(value)?.[1]
  if (hex && hex.length !== 5) return hexColor(hex)
  const open = value.search(/(rgb|hsl)a?\(/)
  if (open >= 0) {
    const [first = '', second = '', third = '', alpha = '1'] =
      value.slice(open).match(/\d+(\.\d+)?%?|\.\d+/g) ?? []
    if (Number.parseFloat(alpha) === 0) return null
    if (value.startsWith('rgb', open)) return [Number(first), Number(second), Number(third)]
    return third === '100%' ? WHITE : third === '0%' ? BLACK : undefined
  }
  const words = value.split(/\s+/)
  if (words.includes('transparent')) return null
  const word = words.find((one) => Object.hasOwn(NAMED, one))
  return word ? NAMED[word] : undefined
}

const isAlike = (one: Color, other: Color): boolean =>
  one.every((part, at) => Math.abs(part - other[at]!) <= COLORS_ALIKE)

/** Undefined: set to something that isn't understood, so that nothing can be said. */
type Colors = { text: Color | null | undefined; ground: Color | undefined }

const colorsOf = (style: Style | undefined, above: Colors): Colors => {
  const background = style?.get('background-color') ?? style?.get('background')
  const ground = colorOf(background)
  const hasImage = /url\(|gradient\(/.test(background ?? '') || style?.has('background-image')
  const color = style?.get('color')
  return {
    text: color === undefined || color === 'inherit' ? above.text : colorOf(color),
    ground: hasImage ? undefined : background === undefined || ground === null ? above.ground : ground,
  }
}

const removeUnseenText = (root: HtmlElement, styles: Map<HtmlElement, Style>): void => {
  const todo: [HtmlElement, Colors][] = [[root, { text: BLACK, ground: WHITE }]]
  for (let next = todo.pop(); next; next = todo.pop()) {
    const [element, above] = next
    const colors = colorsOf(styles.get(element), above)
    const isUnseen =
      colors.text === null ||
      (colors.text !== undefined && colors.ground !== undefined && isAlike(colors.text, colors.ground))
    if (isUnseen) for (const child of [...element.childNodes]) if (child.nodeType === TEXT) child.remove()
    for (const child of element.children) todo.push([child, colors])
  }
}

const stylesOf = (document: HtmlDocument): Map<HtmlElement, Style> => {
  const styles = new Map<HtmlElement, Style>()
  const add = (element: HtmlElement, style: Style) =>
    styles.set(element, new Map([...(styles.get(element) ?? []), ...style]))
  const sheets = [...document.querySelectorAll('style')]
    .map(({ textContent }) => textContent ?? '')
    .join('\n')
  for (const [selector, style] of rulesOf(sheets.slice(0, SHEETS_CHARS_MAX))) {
    if (
      !hides(style) &&
      !['color', 'background', 'background-color', 'background-image'].some((name) => style.has(name))
    )
      continue
    try {
      for (const element of document.querySelectorAll(selector)) add(element, style)
    } catch {
      // A selector that the library doesn't know.
    }
  }
  for (const element of document.querySelectorAll('[style]'))
    add(element, declarationsOf(element.getAttribute('style') ?? ''))
  for (const element of document.querySelectorAll('font[color]'))
    add(element, new Map([['color', (element.getAttribute('color') ?? '').toLowerCase()]]))
  for (const element of document.querySelectorAll('[bgcolor]'))
    add(element, new Map([['background-color', (element.getAttribute('bgcolor') ?? '').toLowerCase()]]))
  return styles
}

/** Changes the document. */
export const removeHidden = (document: HtmlDocument): void => {
  const styles = stylesOf(document)
  for (const [element, style] of styles) if (hides(style)) element.remove()
  if (document.documentElement) removeUnseenText(document.documentElement, styles)
  for (const element of document.querySelectorAll(`[hidden],[aria-hidden="true"],${NEVER_SHOWN}`))
    element.remove()
}
