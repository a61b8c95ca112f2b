// Texts tagged with `t` or `rich` in a syntax tree, and how a catalogue names them: the English text, with {0} for the
// first value.

/** A language's texts by the English ones. */
export type Catalogue = Readonly<Record<string, string>>

type Place = { start: number; end: number }
export type TaggedText = Place & { tag: string; texts: string[]; values: Place[] }

/** Of ESTree's node, what is read here. */
type Template = Place & {
  type: string
  tag: { name?: string }
  quasi: { quasis: { value: { cooked: string } }[]; expressions: Place[] }
}

/** In the order of the file, an outer one before those in its values. */
export const taggedTexts = (tree: unknown, tags: readonly string[]): TaggedText[] => {
  const found: TaggedText[] = []
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { type, tag, quasi, start, end } = value as Template
    if (type === 'TaggedTemplateExpression' && tags.includes(tag.name ?? ''))
      found.push({
        start,
        end,
        tag: tag.name!,
        texts: quasi.quasis.map((part) => part.value.cooked),
        values: quasi.expressions.map((expression) => ({ start: expression.start, end: expression.end })),
      })
    for (const part of Object.values(value)) visit(part)
  }
  visit(tree)
  return found
}

/** "Ended {0} sign-ins" */
export const keyOf = ({ texts }: Pick<TaggedText, 'texts'>): string =>
  texts.map((text, index) => (index === 0 ? text : `{${index - 1}}${text}`)).join('')

/** A value's place has one brace on each side; `{{1}}` is text. */
const VALUE = /(?<!\{)\{(\d)\}(?!\})/
const MEANING = /^:[a-z ]+:/

/** Texts, and the numbers of the values between them. */
export const piecesOf = (text: string): (string | number)[] =>
  text
    .replace(MEANING, '')
    .split(VALUE)
    .map((piece, index) => (index % 2 === 0 ? piece : Number(piece)))
