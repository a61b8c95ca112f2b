// The parts of an email's text that the message hides: quotes and signatures. They can still be read and searched.

/** The lines of `text` that are missing from `visible`, which has the same order. */
export const hiddenOf = (text: string, visible: string): string => {
  const kept = visible.split('\n')
  const hidden: string[] = []
  let at = 0
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    if (at < kept.length && line.trim() === kept[at]!.trim()) at++
    else hidden.push(line.trimEnd())
  }
  return hidden
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
