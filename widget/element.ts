// Creates elements from names, attributes and children. It never accepts markup.

const svgNamespace = 'http://www.w3.org/2000/svg'

export const element = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string>,
  children: string | readonly (Node | string)[] = [],
): HTMLElementTagNameMap[Name] => {
  const node = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) node.setAttribute(attribute, value)
  node.append(...(typeof children === 'string' ? [children] : children))
  return node
}

export const createIcon = (shape: string): SVGElement => {
  const svg = document.createElementNS(svgNamespace, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(svgNamespace, 'path')
  path.setAttribute('d', shape)
  svg.append(path)
  return svg
}
