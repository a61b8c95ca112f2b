// Joins paragraphs that were broken into lines (RFC 3676, format=flowed). Quoted lines only flow among themselves: text
// after a quote is never joined to it, even if its last line ends with a space.

/** Also with spaces between the marks, which some programs add against the standard. */
const MARKS = /^>(?: ?>)*/
const SIGNATURE = '-- '

export const unflow = (text: string, deletesSpace: boolean): string => {
  const paragraphs: string[] = []
  let parts: string[] = []
  let marks = ''
  let depth = 0
  const end = () => {
    if (parts.length > 0) paragraphs.push(marks + parts.join(''))
    parts = []
  }
  for (const line of text.split(/\r?\n/)) {
    const given = MARKS.exec(line)?.[0] ?? ''
    const lineDepth = given.replaceAll(' ', '').length
    // The space was added so that the line doesn't look quoted. It stays for the same reason.
    const words = line.slice(given.length).replace(/^ (?!>)/, '')
    if (lineDepth !== depth || words === '' || words === SIGNATURE) end()
    if (parts.length === 0) {
      depth = lineDepth
      marks = given === '' || words === '' ? given : `${given} `
    }
    const isBroken = words.endsWith(' ') && words !== SIGNATURE
    parts.push(isBroken && deletesSpace ? words.slice(0, -1) : words)
    if (!isBroken) end()
  }
  end()
  return paragraphs.join('\n')
}
