// The demo's model: answers with the sentences of a source that fit the question best, word for word, and hands over if
// none does. It composes nothing, so what it says is as right as its sources.
import type { Answer, Entry, Heard } from '../exchange.ts'
import { shownIn } from '../read-content.ts'
import { fillSchema } from './fill-schema.ts'
import { findSources, type Source } from './find-sources.ts'
import { finish } from './finish.ts'

/** Short words say little; the start of a word is the same in most of its forms. */
const WORD_MIN = 4
const STEM = 5
/** Of the question's rare words, by weight. */
const SHARE_MIN = 0.4
const SENTENCES = 2

/** <facts>…</facts>, <earlier>…</earlier>, <sources>…</sources>. */
const ELEMENTS = /<(facts|earlier|sources)>[\s\S]*?<\/\1>/g

const WANTS_PERSON =
  /\b(person|human|someone real|representative|real agent|mensch(en)?|mitarbeiter(in)?|persona|humano|agente|humain|conseiller|pessoa|atendente)\b/i
const GREETS =
  /^\W*(hi|hello|hey|good (morning|afternoon|evening)|hallo|guten (tag|morgen|abend)|hola|bonjour|olá|ciao)\W*$/i
const THANKS =
  /^\W{0,5}(ok|okay|great|perfect|thanks|thank you|danke|gracias|merci|obrigad[oa])(\W{1,5}(thanks|thank you|so much|a lot|very much)){0,2}\W{0,5}$/i

export const facts = (heard: Heard): Answer => {
  const rewriting = rewrite(heard)
  if (rewriting !== undefined) return finish(heard, { action: 'reply', text: rewriting })
  const question = questionIn(heard.entries)
  const shown = shownIn(question)
  if (shown !== undefined && heard.tools.at(-1)?.name === 'answer')
    return finish(heard, { action: 'reply', text: `It shows ${shown}.` })
  if (WANTS_PERSON.test(question))
    return finish(heard, { action: 'hand_over', reason: 'asked', text: 'I’ll hand you over to a colleague.' })
  if (THANKS.test(question))
    return finish(heard, { action: 'stay_silent', reason: 'thanks', text: 'You’re welcome!' })
  if (GREETS.test(question)) return finish(heard, { action: 'ask', text: 'Hello! How can I help?' })
  const sources = findSources(heard)
  const best = findBest(question, sources)
  if (best) return finish(heard, { action: 'reply', text: best.text, sources: [best.id] })
  const search = heard.tools.find(({ name }) => /search/.test(name))
  const hasSearched = heard.entries.some((entry) => entry.from === 'call' && entry.name === search?.name)
  if (search && !hasSearched && (heard.mustCall === null || heard.mustCall === 'any'))
    return { calls: [{ name: search.name, arguments: fillSchema(search.parameters, question) }] }
  return finish(heard, {
    action: 'hand_over',
    reason: 'no_knowledge',
    text: 'I don’t know that. I’ll hand you over to a colleague.',
  })
}

/** A text that is asked for in another form. It knows no other language, so a translation only says which it would be. */
const rewrite = ({ system, tools, entries }: Heard): string | undefined => {
  if (!tools.some(({ name }) => name === 'end_rewrite')) return undefined
  const last = entries.at(-1)
  const text = /<text>\n([\s\S]*)\n<\/text>/.exec(last && 'text' in last ? last.text : '')?.[1] ?? ''
  const language = /Translate it into ([\p{L} ]{2,40})\./u.exec(system)?.[1]
  if (language !== undefined) return `(${language}) ${text}`
  if (/half as long/.test(system)) return text.split(/(?<=[.!?])\s+/, 1)[0]!
  return /friendlier/.test(system) ? `Happy to help! ${text}` : `Dear customer, ${text}`
}

/** What was said since the last answer, calls and results aside. Elements are what it is given beside the conversation. */
const questionIn = (entries: readonly Entry[]): string => {
  const said = entries.filter((entry) => entry.from === 'user' || entry.from === 'assistant')
  const last = said.findLastIndex(({ from }) => from === 'assistant')
  return said
    .slice(last + 1)
    .map((entry) => ('text' in entry ? entry.text.replace(ELEMENTS, '') : ''))
    .join(' ')
    .trim()
}

const stemsOf = (text: string): Set<string> =>
  new Set(
    (
      text
        .toLowerCase()
        .normalize('NFKD')
        .match(/[\p{L}\p{N}]+/gu) ?? []
    )
      .filter((word) => word.length >= WORD_MIN)
      .map((word) => word.slice(0, STEM)),
  )

const findBest = (question: string, sources: readonly Source[]): Source | undefined => {
  const asked = stemsOf(question)
  const sentences = sources.flatMap(({ id, text }) =>
    text.split(/(?<=[.!?])\s+|\n+/).map((sentence, at, all) => ({ id, at, all, stems: stemsOf(sentence) })),
  )
  const weightOf = (stem: string): number => 1 / (1 + sentences.filter(({ stems }) => stems.has(stem)).length)
  const sum = (stems: Iterable<string>): number =>
    [...stems].reduce((total, stem) => total + weightOf(stem), 0)
  let best: { score: number; source: Source } | undefined
  for (const { id, at, all, stems } of sentences) {
    const shared = [...asked].filter((stem) => stems.has(stem))
    // What no sentence has can't tell one from another.
    const known = [...asked].filter((stem) => sentences.some((one) => one.stems.has(stem)))
    const score = shared.length === 0 ? 0 : (sum(shared) / sum(known)) * (known.length / asked.size)
    if (score >= SHARE_MIN && score > (best?.score ?? 0))
      best = {
        score,
        source: {
          id,
          text: all
            .slice(at, at + SENTENCES)
            .join(' ')
            .trim(),
        },
      }
  }
  return best?.source
}
