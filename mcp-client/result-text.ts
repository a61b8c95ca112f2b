// What a tool answered, as one text. Links aren't followed and files aren't kept.

type Content = { type?: unknown; text?: unknown; resource?: { text?: unknown } }
type Result = { content?: unknown; structuredContent?: unknown }

/** More is dropped; whoever uses it has limits of their own. */
const TEXT_MAX = 64 * 1_024

export const resultText = ({ content, structuredContent }: Result): string => {
  const blocks = Array.isArray(content) ? (content as Content[]) : []
  const texts = blocks.flatMap(({ type, text, resource }) => {
    const found = type === 'text' ? text : type === 'resource' ? resource?.text : undefined
    return typeof found === 'string' ? [found] : []
  })
  const whole =
    texts.length === 0 && structuredContent !== undefined
      ? JSON.stringify(structuredContent)
      : texts.join('\n')
  return whole.slice(0, TEXT_MAX).toWellFormed().replaceAll('\0', '')
}
