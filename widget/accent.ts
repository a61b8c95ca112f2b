/**
 * Accepts any CSS colour. Text on it is dark or white, and the focus ring falls back to the text colour,
 * whichever is legible.
 */
export const applyAccent = (host: HTMLElement, root: ShadowRoot, color: string | null): void => {
  // It may be the second one of this page.
  host.removeAttribute('style')
  if (!color || !CSS.supports('color', color)) return
  const probe = document.createElement('span')
  probe.style.color = color
  // A child of the host itself is outside the flat tree and has no computed style.
  root.append(probe)
  const channels = getComputedStyle(probe).color.match(/^rgb\((\d+), (\d+), (\d+)\)$/)
  probe.remove()
  if (!channels) return
  const [red = 0, green = 0, blue = 0] = channels.slice(1).map((channel) => linear(Number(channel) / 255))
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  const set = (name: string, value: string) => host.style.setProperty(name, value)
  set('--foyer-accent', color)
  set('--foyer-on-accent', luminance > 0.36 ? '#14161a' : '#fff')
  if (luminance > 0.3) set('--foyer-ring-light', '#16181d')
  if (luminance < 0.13) set('--foyer-ring-dark', '#b9c0cc')
}

const linear = (channel: number): number =>
  channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
