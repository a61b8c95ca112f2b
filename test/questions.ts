// The labelled set: saved answers with phrasings, and questions whose right answer is known. Each file of questions/
// has answers ("# title"), their text (">"), their phrasings ("-"), questions to calibrate with ("~"), questions to
// test with ("?"), and questions to test with that avoid the words of the phrasings ("!").
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type LabelledAnswer = { title: string; body: string; phrasings: string[]; language: string }
/** `title` is null if no answer is right. */
export type Question = { text: string; title: string | null; language: string | null }
export type LabelledSet = {
  answers: LabelledAnswer[]
  calibration: Question[]
  test: Question[]
  hard: Question[]
}

const FILES = [
  { name: 'english', language: 'en' },
  { name: 'german', language: 'de' },
  { name: 'outside', language: null },
] as const

export const readLabelledSet = (): LabelledSet => {
  const set: LabelledSet = { answers: [], calibration: [], test: [], hard: [] }
  for (const { name, language } of FILES) {
    let answer: LabelledAnswer | null = null
    const text = readFileSync(join(import.meta.dirname, 'questions', `${name}.txt`), 'utf8')
    for (const line of text.split('\n').filter(Boolean)) {
      const rest = line.slice(2)
      const question = { text: rest, title: answer?.title ?? null, language }
      if (line.startsWith('# ')) {
        answer = language ? { title: rest, body: '', phrasings: [], language } : null
        if (answer) set.answers.push(answer)
      } else if (line.startsWith('> ')) answer!.body = rest
      else if (line.startsWith('- ')) answer!.phrasings.push(rest)
      else if (line.startsWith('~ ')) set.calibration.push(question)
      else if (line.startsWith('? ')) set.test.push(question)
      else if (line.startsWith('! ')) set.hard.push(question)
      else throw new Error(`${name}.txt has a line that begins with neither of # > - ~ ? !: ${line}`)
    }
  }
  return set
}
