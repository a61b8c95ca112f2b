// Turns people's text into text nodes and links. No code here or elsewhere parses HTML.

const addressPattern = /\bhttps?:\/\/[^\s<>"`]+/gi
/** Direction overrides can make one URL look like another. */
const bidiPattern = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/

export const toTextNodes = (text: string): Node[] => {
  const nodes: Node[] = []
  let end = 0
  for (const match of text.matchAll(addressPattern)) {
    const address = trimAddress(match[0])
    if (!isSafeAddress(address)) continue
    if (match.index > end) nodes.push(document.createTextNode(text.slice(end, match.index)))
    nodes.push(createLink(address, address))
    end = match.index + address.length
  }
  if (end < text.length) nodes.push(document.createTextNode(text.slice(end)))
  return nodes
}

export const createLink = (href: string, label: string): HTMLAnchorElement => {
  const link = document.createElement('a')
  link.href = href
  link.textContent = label
  link.target = '_blank'
  link.rel = 'noopener noreferrer nofollow'
  return link
}

/** Only http and https, and no user name that could pass for a host (https://bank.example@other.example). */
export const isSafeAddress = (address: string): boolean => {
  if (bidiPattern.test(address)) return false
  try {
    const { protocol, username, hostname } = new URL(address)
    return (protocol === 'https:' || protocol === 'http:') && username === '' && hostname !== ''
  } catch {
    return false
  }
}

/** Trims trailing punctuation, but keeps a closing bracket if the URL opened it. */
const trimAddress = (address: string): string => {
  let trimmed = address
  for (;;) {
    const last = trimmed.slice(-1)
    const isLooseBracket = last === ')' && count(trimmed, '(') < count(trimmed, ')')
    if (!isLooseBracket && !'.,;:!?\'"]}*_'.includes(last)) return trimmed
    if (trimmed.length <= 1) return trimmed
    trimmed = trimmed.slice(0, -1)
  }
}

const count = (text: string, character: string): number => text.split(character).length - 1
