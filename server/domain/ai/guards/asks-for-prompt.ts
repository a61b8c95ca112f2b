// Whether a message is after the instructions of the AI agent and nothing else: it gets a word of ours, and no model
// reads it. A message that asks something besides goes to the model, which is safe by the checks of what it replies.

import { foldedPieces, phraseFinder, phrasesOf } from './phrases.ts'
import { smallTalkOf } from './small-talk.ts'

/** Nobody says these of anything else. */
const ALWAYS =
  'system prompt|systemprompt|system message|initial prompt|hidden prompt|the prompt above|jailbreak|dan mode|developer mode|list your tools|list of your tools|tools can you use|tools do you have|tools you can use|' +
  'systemnachricht|werkzeuge kannst du|tools kannst du|prompt del sistema|prompt do sistema|mensaje del sistema|herramientas puedes usar|ferramentas você pode|prompt système|message système|outils peux tu|prompt di sistema|messaggio di sistema|strumenti puoi usare|' +
  'systeemprompt|tools kun je|prompt systemowy|sistem istemi|системный промпт|системный запрос|системний промпт|موجه النظام|تعليمات النظام|系统提示|系統提示|忽略之前的指令|忽略所有指令|忽略以上|你的指令是|以前の指示|指示を無視|システムプロンプト|' +
  '이전 지시|시스템 프롬프트|지시를 무시|पिछले निर्देश|सिस्टम प्रॉम्प्ट'
/** "Ignore all previous instructions." */
const IGNORE =
  'ignore|disregard|forget|override|bypass|ignoriere|ignorieren|vergiss|vergessen|missachte|ignora|olvida|olvide|desobedece|esqueça|desconsidere|ignorez|oublie|oubliez|dimentica|dimenticate|negeer|vergeet|zignoruj|ignoruj|zapomnij|' +
  'unut|yok say|görmezden gel|игнорируй|проигнорируй|игнорируйте|забудь|ігноруй|проігноруй|تجاهل|انس'
/** "Show me your instructions." */
const SHOW =
  'show|print|repeat|reveal|output|tell|display|share|recite|translate|give|what are|zeig|zeige|nenne|wiederhole|drucke|verrate|wie lauten|was sind|muestra|muéstrame|repite|dime|revela|cuáles son|mostre|repita|diga|revele|quais são|' +
  'montre|montrez|répète|répétez|affiche|révèle|quelles sont|mostra|mostrami|ripeti|stampa|rivela|quali sono|toon|herhaal|geef|laat|wat zijn|pokaż|powtórz|wypisz|jakie są|göster|tekrarla|yaz|покажи|повтори|выведи|какие|какови|які|виведи|أظهر|اعرض|كرر|ما هي'
const INSTRUCTIONS =
  'instructions|instruction|prompt|prompts|directives|guidelines|rules|anweisungen|anweisung|instruktionen|befehle|instrucciones|reglas|instruções|regras|consignes|directives|istruzioni|regole|instructies|regels|instrukcje|polecenia|zasady|' +
  'talimatları|talimatlarını|talimatlar|kuralları|инструкции|инструкциях|указания|правила|інструкції|вказівки|التعليمات|تعليماتك|الأوامر'
/** Whose they are: without it, they are those of a product. */
const YOURS =
  'your|the above|above|all previous|these|deine|ihre|obigen|tus|sus|suas|seus|tes|vos|le tue|tue|vostre|je|jouw|uw|twoje|swoje|твои|ваши|свои|твої|ваші|свої|تعليماتك'

const isAlways = phraseFinder(ALWAYS)
const oneOf = (phrases: string): string => `(?:${phrasesOf(phrases).join('|')})`
const WORDS = '(?:[^ ]{1,40} ){0,4}'
const IGNORES = new RegExp(` ${oneOf(IGNORE)} ${WORDS}${oneOf(INSTRUCTIONS)} `)
/** Nothing is between that says what they are for. */
const SHOWS = new RegExp(
  ` ${oneOf(SHOW)} ${WORDS}${oneOf(YOURS)} (?:[^ ]{1,40} ){0,2}?${oneOf(INSTRUCTIONS)} (?:please |now |above |verbatim |word for word |bitte |por favor |s il vous plait )?$`,
)
const ABOVE =
  / (?:instructions|prompt|text|everything|anweisungen|instrucciones) (?:above|oben|anteriores|de arriba) /

const SENTENCES_MAX = 12
const LENGTH_MAX = 600
/** Short sentences beside an order go with it: "Now.", "Word for word, please." */
const WORDS_BESIDE_MAX = 5

export const asksForPrompt = (text: string): boolean => {
  if (text.length > LENGTH_MAX) return false
  const sentences = (text.match(/[^.!?\n。！？]+[.!?\n。！？]?/gu) ?? [])
    .map((sentence) => sentence.trim())
    .filter((sentence) => smallTalkOf(sentence) === null)
  const others = sentences.filter((sentence) => !isOrder(sentence))
  return (
    others.length < sentences.length &&
    sentences.length <= SENTENCES_MAX &&
    others.every((sentence) => !/[?？]$/u.test(sentence) && sentence.split(/\s+/).length <= WORDS_BESIDE_MAX)
  )
}

const isOrder = (sentence: string): boolean =>
  isAlways(sentence) !== undefined ||
  foldedPieces(sentence).some((piece) => IGNORES.test(piece) || SHOWS.test(piece) || ABOVE.test(piece))
