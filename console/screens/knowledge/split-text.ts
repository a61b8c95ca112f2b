// Splits pasted help text into answers and articles: by questions with their answers, or by headings. Pure.
import type { KnowledgeKind } from '../../state/knowledge.ts'

/** As the server has them: see server/domain/knowledge/schema.ts. */
const TITLE_MAX = 200
const ANSWER_MAX = 4_000
/** A section without a question becomes an answer if it is as short as this, in characters. */
const SHORT_MAX = 600
export const PARTS_MAX = 200

export type Part = { kind: KnowledgeKind; title: string; body: string }

// Beginnings of trimmed lines; what comes after them is the text.
const QUESTION = /^(?:q|question|f|frage|p|pregunta|pergunta|d|domanda)\s?\d{0,3}\s?[:.)]/i
const ANSWER = /^(?:a|answer|antwort|r|respuesta|resposta|réponse|risposta)\s?\d{0,3}\s?[:.)]/i
const HEADING = /^#{1,6}\s/
const NUMBER = /^\d{1,3}[.)]\s/
/** Also the question marks of Arabic and Chinese. */
const ASKS = /[?？؟]$/
const QUESTION_LINE_MAX = 160

/** `title` is empty before the first. */
type Section = { title: string; lines: string[]; isQuestion: boolean }

const isQuestionLine = (line: string): boolean =>
  line.length <= QUESTION_LINE_MAX && ASKS.test(line) && !/^[-*>]/.test(line)

/** The text after a beginning; null if the line doesn't have it. */
const after = (line: string, beginning: RegExp): string | null => {
  const found = beginning.exec(line)?.[0]
  return found === undefined ? null : line.slice(found.length).trim()
}

/** The text of a line that is bold as a whole. */
const boldOf = (line: string): string | null => {
  const text = after(line, NUMBER) ?? line
  const mark = ['**', '__'].find((one) => text.startsWith(one) && text.endsWith(one))
  return mark !== undefined && text.length > 2 * mark.length ? text.slice(mark.length, -mark.length) : null
}

/** The title that a line is, if it begins a section. `isAlone`: an empty line, or the start, is above it. */
const titleOf = (line: string, isAlone: boolean): Omit<Section, 'lines'> | null => {
  const heading = after(line, HEADING)
  if (heading) return { title: heading, isQuestion: isQuestionLine(heading) }
  const question = after(line, QUESTION)
  if (question) return { title: question, isQuestion: true }
  const bold = boldOf(line)
  if (bold !== null) return { title: bold, isQuestion: isQuestionLine(bold) }
  const plain = after(line, NUMBER) ?? line
  return isAlone && isQuestionLine(plain) ? { title: plain, isQuestion: true } : null
}

const sectionsOf = (text: string): Section[] => {
  const sections: Section[] = []
  let current: Section = { title: '', lines: [], isQuestion: false }
  let isCode = false
  let isAlone = true
  for (const raw of text.replace(/\r\n?/g, '\n').split('\n')) {
    const line = raw.trim()
    if (line.startsWith('```')) isCode = !isCode
    const found = isCode || line === '' ? null : titleOf(line, isAlone)
    if (found) {
      sections.push(current)
      current = { ...found, lines: [] }
    } else {
      const isFirst = current.lines.every((one) => one.trim() === '')
      const answer = isFirst && current.isQuestion ? after(line, ANSWER) : null
      current.lines.push(answer ?? raw)
    }
    isAlone = line === ''
  }
  return [...sections, current]
}

const bodyOf = ({ lines }: Section): string => lines.join('\n').trim()
const cutTitle = (title: string): string => title.replace(/[*_`]/g, '').trim().slice(0, TITLE_MAX)

/**
 * The parts of a text, in its order, at most PARTS_MAX. A section with a question, or a short one, is an answer; a long
 * one is an article. Text without questions and headings is one article, titled by its first line.
 */
export const splitText = (text: string): Part[] => {
  const sections = sectionsOf(text)
  if (sections.length === 1) {
    const [first = '', ...rest] = text.trim().split('\n')
    const body = rest.join('\n').trim()
    if (first === '') return []
    return [{ kind: 'articles', title: cutTitle(first), body: body || first.trim() }]
  }
  return sections
    .flatMap((section): Part[] => {
      const body = bodyOf(section)
      // A heading of headings has no text, and an introduction no title.
      if (body === '') return []
      const isAnswer = body.length <= (section.isQuestion ? ANSWER_MAX : SHORT_MAX) && section.title !== ''
      return [
        {
          kind: isAnswer ? 'answers' : 'articles',
          title: cutTitle(section.title) || cutTitle(body.split('\n')[0]!),
          body,
        },
      ]
    })
    .slice(0, PARTS_MAX)
}
